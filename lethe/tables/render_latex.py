"""A table as LaTeX, for a document that loads booktabs and graphicx.

Everything is set in footnotesize. What is too wide for a line is turned by a quarter on a page of its own, or set in
panels one below the other; what is too long for a page is set in parts. Nothing is scaled.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from lethe.tables.latex_layout import Block, Column, Layout, head_lines, lay_out, reason_place, reason_width
from lethe.tables.latex_numbers import align
from lethe.tables.latex_text import escape_identifier, escape_latex
from lethe.tables.table import Cell, Table

_END = r" \tabularnewline"
"""The end of a row; what ends a line would end one of a cell whose text is broken."""
_BREAK = r"\allowbreak{}"
_MARK = re.compile(r"(?<=\w)\.(?=[A-Za-z])|(?<=[A-Z])\.(?=\d)|(?<=[A-Za-z])/(?=\w)")
"""A full stop or slash within a key, a code or a path, and not within a number or a fraction."""
_LONG_CODE = re.compile(r"\b(?=\d*[A-Z])(?=[A-Z]*\d)[A-Z\d]{12,}\b")
_FLOATS_BETWEEN_PAGES = 6
"""LaTeX holds back only so many floats; the pages are put out before there are too many."""


def render_latex(table: Table) -> str:
    """The floats of a table; those after the first say that they continue it."""
    layout = lay_out(table)
    bodies = ["\\par\\medskip\n".join(_tabular(table, block) for block in blocks) for blocks in layout.floats]
    notes = f"\\raggedright {' '.join(map(_breakable, table.notes))}\n" if table.notes else ""
    if notes and layout.notes_fit:
        bodies[-1] += f"\\par\\smallskip{notes}"
    elif notes:
        bodies.append(notes)
    if len(bodies) == 1:
        return _float(table, layout, bodies[0], 1, "tp")
    return "".join(
        _float(table, layout, body, number, "p")
        + ("\\clearpage\n" if number % _FLOATS_BETWEEN_PAGES == 0 or number == len(bodies) else "")
        for number, body in enumerate(bodies, start=1)
    )


def _float(table: Table, layout: Layout, body: str, number: int, place: str) -> str:
    environment = "table" if layout.narrow else "table*"
    if number == 1:
        caption = f"\\caption{{{escape_latex(table.caption)}}}\\label{{tab:{table.name}}}\n"
    else:
        caption = "\\addtocounter{table}{-1}\n\\caption{Continued.}\n"
    inner = f"\\centering\\footnotesize\n{caption}\\setlength{{\\tabcolsep}}{{2.5pt}}\n{body}"
    if layout.turned:
        place = "p"
        inner = f"\\centering\n\\rotatebox{{90}}{{\\begin{{minipage}}{{0.98\\textheight}}\n{inner}\\end{{minipage}}}}\n"
    return f"\\begin{{{environment}}}[{place}]\n{inner}\\end{{{environment}}}\n"


def _tabular(table: Table, block: Block) -> str:
    kinds = "".join(map(_specification, block.columns))
    rows = [row for _, section in block.sections for row in section]
    sources = list(zip(*(_column(rows, column) for column in block.columns), strict=True))
    shown = iter(_row(row, source, block.columns) for row, source in zip(rows, sources, strict=True))
    body = []
    for title, section in block.sections:
        over = f"\\multicolumn{{{len(block.columns)}}}{{@{{}}l}}{{\\textit{{{escape_latex(title)}}}}}{_END}"
        body.append("\n".join([*([over] if title else []), *(next(shown) for _ in section)]))
    return (
        f"\\begin{{tabular}}{{@{{}}{kinds}@{{}}}}\n\\toprule\n{''.join(_group_heads(table, block.columns))}"
        f"{' & '.join(_head(table, column) for column in block.columns)}{_END}\n\\midrule\n"
        + "\n\\midrule\n".join(body)
        + "\n\\bottomrule\n\\end{tabular}\n"
    )


def _row(row: Sequence[Cell], source: Sequence[str], columns: Sequence[Column]) -> str:
    """A row as LaTeX source; a reason why there are no numbers runs on over the empty columns after it."""
    place = reason_place(row)
    places = [column.place for column in columns]
    if place not in places:
        return " & ".join(source) + _END
    at = places.index(place)
    width = reason_width(row[place].text, columns[at:])
    reason = f"\\multicolumn{{{len(columns) - at}}}{{@{{}}p{{{width:.0f}pt}}@{{}}}}"
    if at:
        reason = reason.replace("{@{}p", "{p", 1)
    return " & ".join([*source[:at], f"{reason}{{\\raggedright {_breakable(row[place].text)}}}"]) + _END


def _specification(column: Column) -> str:
    if column.breaks:
        return f"p{{{column.width:.0f}pt}}"
    return "c" if column.kind == "number" else "l"


def _column(rows: Sequence[Sequence[Cell]], column: Column) -> list[str]:
    """The cells of one column as LaTeX source."""
    cells = [row[column.place] for row in rows]
    if column.kind == "number":
        return align(cells)
    escape = escape_identifier if column.kind == "id" else _breakable
    raggedright = "\\raggedright " if column.breaks else ""
    return [f"{raggedright}{escape(cell.text)}" for cell in cells]


def _group_heads(table: Table, columns: Sequence[Column]) -> Iterator[str]:
    """The line of groups above the heads, with a rule under each."""
    if not any(table.groups):
        return
    heads, rules, start = [], [], 1
    for title, group in groupby(columns, key=lambda column: table.groups[column.place]):
        width = len(list(group))
        heads.append(f"\\multicolumn{{{width}}}{{c}}{{{escape_latex(title)}}}" if title else " & " * (width - 1))
        if title:
            rules.append(f"\\cmidrule(lr){{{start}-{start + width - 1}}}")
        start += width
    yield " & ".join(heads) + _END + "\n"
    yield "".join(rules) + "\n"


def _head(table: Table, column: Column) -> str:
    lines = [escape_latex(line) for line in head_lines(table, column)]
    if len(lines) == 1:
        return f"\\multicolumn{{1}}{{c}}{{{lines[0]}}}" if column.kind == "number" else lines[0]
    broken = "\\\\".join(lines)
    side = "c" if column.kind == "number" else "l"
    return f"\\begin{{tabular}}[b]{{@{{}}{side}@{{}}}}{broken}\\end{{tabular}}"


def _breakable(text: str) -> str:
    """Text as LaTeX source; keys and paths in it may be broken after a mark, a long code between any two signs."""
    source = _LONG_CODE.sub(lambda code: _BREAK.join(code[0]), escape_latex(text)).replace(r"\_", rf"\_{_BREAK}")
    return _MARK.sub(lambda mark: mark[0] + _BREAK, source)
