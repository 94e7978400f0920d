"""A table as LaTeX, for a document that loads booktabs and graphicx; it shrinks to the line where it must."""

from collections.abc import Sequence

from lethe.tables.table import Rows, Table

_SPECIALS = {
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
    "→": r"$\to$",
}
_TYPESET = frozenset("“”‘’…²·•†")
"""Characters beyond Latin that pdflatex sets without further packages."""
_SHRINK = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}"
_ROWS_A_PAGE = 50
_FLOATS_BETWEEN_PAGES = 6
"""LaTeX holds back only so many floats; the pages are put out before there are too many."""


def render_latex(table: Table) -> str:
    """A table environment; of a long table, one for each page, every section on a page of its own."""
    if not table.long:
        return _environment(table, table.caption, f"tab:{table.name}", table.sections)
    pages = [
        section[start : start + _ROWS_A_PAGE]
        for section in table.sections
        for start in range(0, max(len(section), 1), _ROWS_A_PAGE)
    ]
    floats = [
        _environment(
            table,
            f"{table.name}, continued ({number})." if number > 1 else table.caption,
            f"tab:{table.name}" + (f"_{number}" if number > 1 else ""),
            [page],
        )
        + ("\\clearpage\n" if number % _FLOATS_BETWEEN_PAGES == 0 or number == len(pages) else "")
        for number, page in enumerate(pages, start=1)
    ]
    return "".join(floats)


def escape_latex(text: str) -> str:
    """Plain text as LaTeX source."""
    # Two hyphens would be set as a dash.
    return "-{}-".join("".join(map(_character, part)) for part in text.split("--"))


def _character(character: str) -> str:
    """A character as LaTeX source; one of a script that pdflatex does not set stands by its code point."""
    if character in _SPECIALS:
        return _SPECIALS[character]
    return character if character < "\u0180" or character in _TYPESET else rf"\texttt{{U+{ord(character):04X}}}"


def _environment(table: Table, caption: str, label: str, sections: Sequence[Rows]) -> str:
    environment = "table*" if table.wide else "table"
    columns = "l" + "r" * (len(table.header) - 1)
    body = "\n\\midrule\n".join("\n".join(_row([cell.text for cell in row]) for row in rows) for rows in sections)
    notes = "".join(f"\\par {escape_latex(note)}\n" for note in table.notes)
    return (
        f"\\begin{{{environment}}}[t]\n\\centering\\scriptsize\n"
        f"\\caption{{{escape_latex(caption)}}}\\label{{{label}}}\n"
        f"\\setlength{{\\tabcolsep}}{{3pt}}\n{_SHRINK}{{%\n\\begin{{tabular}}{{{columns}}}\n\\toprule\n"
        f"{_row(table.header)}\n\\midrule\n{body}\n\\bottomrule\n\\end{{tabular}}}}\n"
        f"{notes}\\end{{{environment}}}\n"
    )


def _row(texts: Sequence[str]) -> str:
    return " & ".join(map(escape_latex, texts)) + r" \\"
