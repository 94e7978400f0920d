"""A table as LaTeX, for a document that loads `tables.sty`, which lays it out.

It is made for a two-column page as in `acl`: A4 with margins of 2.5 cm. Everything is set in footnotesize, and in
scriptsize compact tables and what takes fewer turned pages so; nothing is scaled. Rows that differ in their first
column alone are printed as one, compact tables apart. No table is split by columns.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from lethe.tables.latex_text import breakable, escape_latex, identifier
from lethe.tables.table import Cell, Table

_TURNED, _UPRIGHT, _UPRIGHT_HEADS = 5, 8, 12
"""Columns of a table that may be turned by a quarter, has to be, and has its heads upright on the turned page."""
_SHORT_REASON = len("not run")
_END = r" \tabularnewline" + "\n"


def render_latex(table: Table) -> str:
    """The table, with the shapes that it may have."""
    table = _joined(table)
    columns = [place for place in range(len(table.header)) if place != table.section]
    shapes = [
        *(["compact"] if table.compact else []),
        *(["upright"] if len(columns) <= _UPRIGHT else []),
        *(["turned", "small"] if len(columns) >= _TURNED else []),
    ]
    parts = (
        ",".join(shapes),
        str(len(columns)),
        "".join(f"M{{{at}}}" for at in range(len(columns))),
        "".join(_specification(table, place, at) for at, place in enumerate(columns)),
        rf"{escape_latex(table.caption)}\label{{tab:{table.name}}}",
        f"\\toprule\n{''.join(_heads(table, columns))}\\midrule",
        "\\midrule\n".join(_section(table, section, columns) for section in table.sections),
        " ".join(map(breakable, table.notes)),
    )
    return f"\\measuredtable[{'*' * table.wide}]" + "%\n".join(f"{{{part}}}" for part in parts) + "\n"


def _joined(table: Table) -> Table:
    """The table with rows of a section that differ in their first column alone as one row, which names them all."""
    first = 1 if table.section == 0 else 0

    def rows(section: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
        found: dict[tuple[Cell, ...], list[Cell]] = {}
        for row in section:
            rest = tuple(replace(cell, note="") for place, cell in enumerate(row) if place != first)
            found.setdefault(rest, []).append(row[first])
        joined = (replace(names[0], text=", ".join(cell.text for cell in names)) for names in found.values())
        return [[*rest[:first], name, *rest[first:]] for name, rest in zip(joined, found, strict=True)]

    if len(table.header) < 2 or table.compact:
        return table
    return replace(table, sections=[rows(section) for section in table.sections])


def _specification(table: Table, place: int, at: int) -> str:
    side = "raggedleft" if table.kind(place) == "number" else "raggedright"
    return rf"P{{\{side}}}{{{at}}}{{{at + 1}}}"


def _over(first: int, last: int, side: str, text: str) -> str:
    """A text over columns side by side."""
    return rf"\multicolumn{{{last - first}}}{{P{{\{side}}}{{{first}}}{{{last}}}}}{{{text}}}"


def _section(table: Table, rows: Sequence[Sequence[Cell]], columns: Sequence[int]) -> str:
    lines = [_row(table, row, columns) + _END for row in rows if row]
    if title := table.title(rows):
        over = _over(0, len(columns), "raggedright", rf"\textit{{{escape_latex(title)}}}")
        lines.insert(0, f"{over} \\tabularnewline*\n")
    return "".join(lines)


def _row(table: Table, row: Sequence[Cell], columns: Sequence[int]) -> str:
    """A row; a reason why there are no numbers runs on over the empty columns after it."""
    cells = [_cell(table, row, place) for place in columns]
    last = max((at for at, place in enumerate(columns) if row[place].text), default=0)
    told = row[columns[last]]
    if told.state == "not run" and len(told.text) > _SHORT_REASON:
        alone = last + 1 == len(columns)
        text = breakable(told.text)
        over = rf"\raggedright {text}" if alone else _over(last, len(columns), "raggedright", rf"\reason {text}")
        cells[last:] = [over]
    return " & ".join(cells)


def _cell(table: Table, row: Sequence[Cell], place: int) -> str:
    cell = row[place]
    shown = identifier(cell.text) if table.kind(place) == "id" and cell.state != "blank" else breakable(cell.text)
    return rf"\textbf{{{shown}}}" if cell.bold else shown


def _heads(table: Table, columns: Sequence[int]) -> Iterator[str]:
    """The heads; above them the line of groups, with a rule under each."""
    heads, rules, start = [], "", 0
    for title, group in groupby(columns, key=lambda place: table.groups[place] if table.groups else ""):
        end = start + len(list(group))
        alone = end == start + 1
        heads.append(breakable(title) if alone else _over(start, end, "centering", breakable(title)))
        rules += rf"\cmidrule(lr){{{start + 1}-{end}}}" if title else ""
        start = end
    if rules:
        yield f"{' & '.join(heads)}{_END}{rules}\n"
    yield " & ".join(_head(table, place, len(columns)) for place in columns) + _END


def _head(table: Table, place: int, columns: int) -> str:
    head = breakable(table.head(place))
    upright = columns > _UPRIGHT_HEADS and table.kind(place) == "number"
    return rf"\rotatebox{{90}}{{\parbox{{8em}}{{\raggedright {head}}}}}" if upright else head
