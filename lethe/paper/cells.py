"""A table of the paper as plain cells, and its two forms: LaTeX (booktabs) and CSV of the same cells."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lethe.parquet import write_text

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
}


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


def _escape(text: str) -> str:
    return "".join(_LATEX_SPECIALS.get(character, character) for character in text)


def _row(cells: Sequence[str]) -> str:
    return " & ".join(escape_latex(cell) for cell in cells) + r" \\"
