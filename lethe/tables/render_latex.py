"""A table as LaTeX, for a document that loads array, booktabs, graphicx, longtable, pdflscape and rotating.

It is made for a two-column page as in `acl`: A4 with margins of 2.5 cm. Everything is set in footnotesize, and in
scriptsize compact tables and what is too wide even for a turned page; nothing is scaled. Rows that differ in their
first column alone are printed as one, compact tables apart. What is too wide for a line, or on fewer pages if turned,
is turned by a quarter, with heads upright; what is too long for a float runs on over pages by rows, in one column. No
table is split by columns.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import fmean

from lethe.tables.latex_text import breakable, escape_latex, identifier, least_width, width
from lethe.tables.table import Cell, Table

_NARROW, _UPRIGHT, _TURNED, _TURNED_SMALL = 38, 78, 128, 146
"""Letters in a column of a two-column page, in a line, in one of a turned page, and there in scriptsize."""
_COMPACT, _COMPACT_WIDE = 48, 116
"""Letters in scriptsize in a column of a two-column page, and in both."""
_LINES, _TURNED_LINES = 56, 32
"""Lines of a float; a longer table runs on over pages."""
_PAGE, _TURNED_PAGE = 68, 42
"""Lines of a page of such a table."""
_WIDEST = 40
"""No text needs more letters than this in a line."""
_SHORT_REASON = len("not run")
_END = r" \tabularnewline"
_ONE_COLUMN = (
    r"\makeatletter\if@twocolumn\onecolumn\gdef\aftertable{\twocolumn}"
    r"\else\clearpage\global\let\aftertable\relax\fi\makeatother" + "\n"
)


@dataclass(frozen=True, slots=True)
class _Layout:
    """The columns that are shown, each as many letters wide as `widths` says, of `room`; `fits`: no text is broken."""

    columns: Sequence[int]
    widths: Sequence[float]
    room: int
    turned: bool
    fits: bool
    compact: bool = False

    @property
    def type_size(self) -> str:
        return "scriptsize" if self.compact or self.room >= _TURNED_SMALL else "footnotesize"

    @property
    def narrow(self) -> bool:
        """Whether it fits a column of a two-column page."""
        return self.fits and sum(self.widths) <= (_COMPACT if self.compact else _NARROW)

    def size(self, first: int, last: int) -> str:
        """The width of columns side by side, without the space around them."""
        return rf"\dimexpr {0.998 * sum(self.widths[first:last]) / self.room:.4f}\linewidth-2\tabcolsep\relax"


def render_latex(table: Table) -> str:
    """The table, as a float or, where it is long, as a longtable."""
    table = _joined(table)
    layout = _lay_out(table)
    rows = "\\midrule\n".join(_section(table, section, layout) for section in table.sections)
    head, caption = _head(table, layout), rf"\caption{{{escape_latex(table.caption)}}}\label{{tab:{table.name}}}"
    kinds = "".join(_specification(table, layout, place) for place in range(len(layout.columns)))
    notes = rf"\par\smallskip{{\raggedright {' '.join(map(breakable, table.notes))}\par}}" + "\n" if table.notes else ""
    if _lines(table, layout) <= (_TURNED_LINES if layout.turned else _LINES):
        starred = "" if layout.narrow and not table.wide else "*"
        environment = ("sidewaystable" if layout.turned else "table") + starred
        body = f"\\begin{{tabular}}{{{kinds}}}\n{head}\\midrule\n{rows}\\bottomrule\n\\end{{tabular}}\n"
        before = f"\\begin{{{environment}}}[tp]\n\\centering\\{layout.type_size}\\setlength{{\\tabcolsep}}{{2.5pt}}\n"
        return f"{before}{caption}\n{body}{notes}\\end{{{environment}}}\n"
    long = (
        f"\\{layout.type_size}\\setlength{{\\tabcolsep}}{{2.5pt}}\\setlength{{\\LTcapwidth}}{{\\linewidth}}\n"
        f"\\begin{{longtable}}{{{kinds}}}\n{caption}{_END}\n{head}\\midrule\n\\endfirsthead\n"
        f"\\caption[]{{Continued.}}{_END}\n{head}\\midrule\n\\endhead\n\\bottomrule\n\\endfoot\n"
        f"{rows}\\end{{longtable}}\n{notes}"
    )
    body = f"\\begin{{landscape}}\n{long}\\end{{landscape}}\n" if layout.turned else f"{{{long}}}\n"
    return f"{_ONE_COLUMN}{body}\\aftertable\n"


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


def _lay_out(table: Table) -> _Layout:
    """As the columns need it where that fits a line; otherwise what takes the fewest pages, upright if it can be."""
    columns = [place for place in range(len(table.header)) if place != table.section]
    cells = {place: [row[place].text for row in table.rows() if _reason_place(row) != place] for place in columns}
    heads = [table.head(place) for place in columns]
    least = [max([3, *map(least_width, cells[place])]) + 1 for place in columns]
    with_heads = [max(own, least_width(head) + 1) for own, head in zip(least, heads, strict=True)]
    whole = [
        max(1 + min(max(map(width, cells[place]), default=0), _WIDEST), with_head, 1 + min(width(head), 12))
        for place, with_head, head in zip(columns, with_heads, heads, strict=True)
    ]
    if table.compact and sum(whole) <= _COMPACT_WIDE:
        return _Layout(columns, whole, _COMPACT_WIDE, turned=False, fits=True, compact=True)
    reasons = any(_reason_place(row) is not None for row in table.rows())
    shown_whole = all(width(text) <= _WIDEST for texts in cells.values() for text in texts)
    if sum(whole) <= _UPRIGHT and shown_whole and not reasons and not any(table.groups):
        return _Layout(columns, whole, _UPRIGHT, turned=False, fits=True)

    def shared_out(room: int, needed: Sequence[float], *, turned: bool) -> _Layout:
        lacking = [max(0, full - own) for full, own in zip(whole, needed, strict=True)]
        texts = [[*cells[place], "" if turned else head] for place, head in zip(columns, heads, strict=True)]
        by_row = (
            fmean(max(0, min(width(text), _WIDEST) + 1 - own) for text in column)
            for column, own in zip(texts, needed, strict=True)
        )
        more = _shares(room - sum(needed), lacking, list(by_row))
        widths = [own + extra for own, extra in zip(needed, more, strict=True)] if len(columns) > 1 else [room]
        return _Layout(columns, widths, max(room, round(sum(widths))), turned, fits=False)

    found = [shared_out(_UPRIGHT, with_heads, turned=False)] if sum(with_heads) <= _UPRIGHT else []
    found += [shared_out(room, least, turned=True) for room in (_TURNED, _TURNED_SMALL) if sum(least) <= room]
    return min(found or [shared_out(_TURNED_SMALL, least, turned=True)], key=lambda layout: _pages(table, layout))


def _shares(room: float, wanted: Sequence[float], weights: Sequence[float]) -> list[float]:
    """What each column gets of the room that is left, by its weight, and no more than it wants."""
    given = [0.0] * len(wanted)
    while room > 0.1 and (open_ := [place for place, want in enumerate(wanted) if want - given[place] > 0.1]):
        total = sum(weights[place] + 0.01 for place in open_)
        shares = {place: room * (weights[place] + 0.01) / total for place in open_}
        for place, share in shares.items():
            taken = min(share, wanted[place] - given[place])
            given[place] += taken
            room -= taken
    return given


def _pages(table: Table, layout: _Layout) -> int:
    return -(-int(_lines(table, layout)) // (_TURNED_PAGE if layout.turned else _PAGE))


def _lines(table: Table, layout: _Layout) -> float:
    """About how many lines the table takes with its caption and notes."""
    widths = dict(zip(layout.columns, layout.widths, strict=True))
    rows = sum(
        max(-(-width(row[place].text) // max(1, widths[place] - 1)) for place in layout.columns) for row in table.rows()
    )
    around = sum(map(width, (table.caption, *table.notes))) / layout.room
    return rows + around + len(table.sections) + (10 if layout.turned else 4)


def _specification(table: Table, layout: _Layout, place: int) -> str:
    number = table.kind(layout.columns[place]) == "number"
    if layout.fits:
        return "r" if number else "l"
    side = "raggedleft" if number else "raggedright"
    return rf">{{\{side}\arraybackslash}}p{{{layout.size(place, place + 1)}}}"


def _section(table: Table, rows: Sequence[Sequence[Cell]], layout: _Layout) -> str:
    title = table.title(rows)
    over = rf"\multicolumn{{{len(layout.columns)}}}{{l}}{{\textit{{{escape_latex(title)}}}}}{_END}" + "\n"
    return "".join([over if title else "", *(f"{_row(table, row, layout)}{_END}\n" for row in rows if row)])


def _row(table: Table, row: Sequence[Cell], layout: _Layout) -> str:
    """A row; a reason why there are no numbers runs on over the empty columns after it."""
    reason = _reason_place(row)
    if reason is None or reason not in layout.columns:
        return " & ".join(_cell(table, row, place) for place in layout.columns)
    first, last = layout.columns.index(reason), len(layout.columns)
    box, told = rf"p{{{layout.size(first, last)}}}", breakable(row[reason].text)
    text = rf"\multicolumn{{{last - first}}}{{{box}}}{{\raggedright {told}}}"
    return " & ".join([*(_cell(table, row, place) for place in layout.columns[:first]), text])


def _cell(table: Table, row: Sequence[Cell], place: int) -> str:
    cell = row[place]
    shown = identifier(cell.text) if table.kind(place) == "id" and cell.state != "blank" else breakable(cell.text)
    return rf"\textbf{{{shown}}}" if cell.bold else shown


def _reason_place(row: Sequence[Cell]) -> int | None:
    """The column of a reason why there are no numbers, where nothing stands after it in its row; None without one."""
    told = [place for place, cell in enumerate(row) if cell.text]
    if not told or row[told[-1]].state != "not run" or len(row[told[-1]].text) <= _SHORT_REASON:
        return None
    return told[-1]


def _head(table: Table, layout: _Layout) -> str:
    heads = " & ".join(_head_cell(table.head(place), layout, at) for at, place in enumerate(layout.columns))
    return f"\\toprule\n{''.join(_group_heads(table, layout))}{heads}{_END}\n"


def _head_cell(head: str, layout: _Layout, at: int) -> str:
    if layout.turned and least_width(head) + 1 > layout.widths[at]:
        return rf"\rotatebox{{90}}{{\parbox{{8em}}{{\raggedright {breakable(head)}}}}}"
    return breakable(head)


def _group_heads(table: Table, layout: _Layout) -> Iterator[str]:
    """The line of groups above the heads, with a rule under each."""
    if not any(table.groups):
        return
    heads, rules, start = [], [], 0
    for title, group in groupby(layout.columns, key=lambda place: table.groups[place]):
        end = start + len(list(group))
        box = rf"p{{{layout.size(start, end)}}}"
        heads.append(rf"\multicolumn{{{end - start}}}{{{box}}}{{\centering {breakable(title)}}}")
        if title:
            rules.append(rf"\cmidrule(lr){{{start + 1}-{end}}}")
        start = end
    yield f"{' & '.join(heads)}{_END}\n{''.join(rules)}\n"
