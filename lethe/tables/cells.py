"""A table of the paper as plain cells, and its two forms: LaTeX (booktabs) and CSV of the same cells."""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lethe.files import write_text

_LATEX_SPECIALS = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "`": r"\textasciigrave{}",
    # A bracket at the start of a row would be read as an argument of the rule before it.
    "[": "{[}",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "Δ": r"$\Delta$",
    "−": "$-$",
    "–": "--",
    "±": r"$\pm$",
    "×": r"$\times$",
    "κ": r"$\kappa$",
    "α": r"$\alpha$",
    "χ": r"$\chi$",
}


_MEANT = {escaped: plain for plain, escaped in _LATEX_SPECIALS.items()} | {"-{}-": "--"}
_ESCAPED = re.compile("|".join(map(re.escape, sorted(_MEANT, key=len, reverse=True))))
_SHRINK = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}"


@dataclass(frozen=True, slots=True)
class PaperTable:
    """One table: header cells, sections of rows (a rule between two sections), and the text around them.

    Attributes:
        wide: spans both columns of a two-column page.
    """

    name: str
    caption: str
    header: Sequence[str]
    sections: Sequence[Sequence[Sequence[str]]]
    notes: Sequence[str] = field(default_factory=tuple)
    wide: bool = False

    def to_csv(self) -> str:
        """The cells as CSV, a header line first."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(self.header)
        for section in self.sections:
            writer.writerows(section)
        return stream.getvalue()

    def to_latex(self) -> str:
        """A table environment for a document that loads booktabs and graphicx; it shrinks to the line where it must."""
        environment = "table*" if self.wide else "table"
        columns = "l" + "r" * (len(self.header) - 1)
        body = "\n\\midrule\n".join("\n".join(_row(row) for row in section) for section in self.sections)
        notes = "".join(f"\\par {escape_latex(note)}\n" for note in self.notes)
        return (
            f"\\begin{{{environment}}}[t]\n\\centering\\scriptsize\n"
            f"\\caption{{{escape_latex(self.caption)}}}\\label{{tab:{self.name}}}\n"
            f"\\setlength{{\\tabcolsep}}{{3pt}}\n{_SHRINK}{{%\n\\begin{{tabular}}{{{columns}}}\n\\toprule\n"
            f"{_row(self.header)}\n\\midrule\n{body}\n\\bottomrule\n\\end{{tabular}}}}\n"
            f"{notes}\\end{{{environment}}}\n"
        )

    def write(self, latex: Path, csv_file: Path) -> None:
        """Write both forms."""
        write_text(latex, self.to_latex())
        write_text(csv_file, self.to_csv())


def escape_latex(text: str) -> str:
    """Plain text as LaTeX source."""
    # Two hyphens would be set as a dash.
    return "-{}-".join(_escape(part) for part in text.split("--"))


def unescape_latex(source: str) -> str:
    """The reverse of `escape_latex`."""
    return _ESCAPED.sub(lambda found: _MEANT[found[0]], source)


def caption_and_notes(latex: str) -> tuple[str, list[str]]:
    """The caption and the notes of a table that `PaperTable.to_latex` wrote, as plain text.

    Raises:
        ValueError: where the text holds no such table.
    """
    caption = re.search(r"^\\caption\{(.*)\}\\label\{tab:", latex, re.MULTILINE)
    if caption is None:
        raise ValueError("no caption of a table")
    notes = re.findall(r"^\\par (.*)$", latex, re.MULTILINE)
    return unescape_latex(caption[1]), [unescape_latex(note) for note in notes]


def _escape(text: str) -> str:
    return "".join(_LATEX_SPECIALS.get(character, character) for character in text)


def _row(cells: Sequence[str]) -> str:
    return " & ".join(escape_latex(cell) for cell in cells) + r" \\"
