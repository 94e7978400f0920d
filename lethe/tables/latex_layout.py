"""How a table is laid out in LaTeX: how wide its columns are, upright or turned, and in which parts."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lethe.tables.latex_numbers import widest_texts
from lethe.tables.latex_text import width_pt
from lethe.tables.table import Cell, Kind, Table

LINE_PT, PAGE_PT = 345.0, 530.0
"""Width of a line and height of a page that every common class has: those of `article`, to be safe."""
COLUMN_PT = 200.0
"""Width of a column of a two-column page."""
_BASELINE_PT = 9.6
_GAP_PT = 7.0
"""Space between two columns."""
_LABEL_PT, _TEXT_PT = 150.0, 90.0
"""A name wider than this is set in several lines; running text is given at least so much."""
_SHORT_REASON = len("not run")
_RULES_LINES = 3


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its place in the table, what it holds, how wide it is, and whether its texts are broken into lines."""

    place: int
    kind: Kind
    width: float
    breaks: bool


@dataclass(frozen=True, slots=True)
class Block:
    """Rows of some sections, under one head; a panel of a table that is too wide has some of its columns."""

    columns: Sequence[Column]
    sections: Sequence[tuple[str, Sequence[Sequence[Cell]]]]


@dataclass(frozen=True, slots=True)
class Layout:
    """The floats of a table, each of some blocks.

    Attributes:
        turned: on a page of their own, by a quarter.
        narrow: no wider than a column of a two-column page.
    """

    floats: Sequence[Sequence[Block]]
    turned: bool
    narrow: bool


def lay_out(table: Table) -> Layout:
    """The layout of a table; see `docs/architecture.md` for the rules."""
    columns = [_column(table, place) for place in range(len(table.header))]
    turned = LINE_PT < _width(columns) <= PAGE_PT
    room, height = (PAGE_PT, LINE_PT) if turned else (LINE_PT, PAGE_PT)
    lines = int((height - _around_pt(table, room)) / _BASELINE_PT)
    narrow = not table.wide and _width(columns) <= COLUMN_PT
    blocks = [
        block
        for panel in _panels(table, columns, room)
        for block in _blocks(table, _fitted(table, panel, room), max(lines, _RULES_LINES + 8))
    ]
    return Layout(list(_floats(table, blocks, lines)), turned, narrow and len(blocks) == 1)


def head_lines(table: Table, column: Column) -> list[str]:
    """The head of a column, broken at spaces where it is wider than what stands below."""
    lines: list[str] = []
    for word in table.head(column.place).split():
        if lines and width_pt(f"{lines[-1]} {word}") <= column.width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines or [""]


def reason_place(row: Sequence[Cell]) -> int | None:
    """The column of a reason why there are no numbers, where nothing stands after it in its row; None without one."""
    told = [place for place, cell in enumerate(row) if cell.text]
    if not told or row[told[-1]].state != "not run" or len(row[told[-1]].text) <= _SHORT_REASON:
        return None
    return told[-1]


def reason_width(text: str, columns: Sequence[Column]) -> float:
    """The room of a reason in points: that of the columns from its own on, or more where a table is narrower."""
    return max(_width(columns), min(1.05 * width_pt(text), _LABEL_PT))


def _column(table: Table, place: int) -> Column:
    kind = table.kind(place)
    cells = [row[place] for row in table.rows() if reason_place(row) != place]
    texts = widest_texts(cells) if kind == "number" else [cell.text for cell in cells]
    body = max((width_pt(text, typewriter=kind == "id") for text in texts), default=0.0)
    head = max((width_pt(word) for word in table.head(place).split()), default=0.0)
    most = {"number": math.inf, "label": _LABEL_PT}.get(kind, _TEXT_PT)
    return Column(place, kind, max(min(body, most), head), body > max(most, head))


def _width(columns: Sequence[Column]) -> float:
    return sum(column.width for column in columns) + _GAP_PT * (len(columns) - 1)


def _around_pt(table: Table, room: float) -> float:
    """Height of caption and notes."""
    texts = [f"Table 00: {table.caption}", *table.notes]
    return _BASELINE_PT * (2 + sum(math.ceil(width_pt(text) / (0.97 * room)) for text in texts))


def _panels(table: Table, columns: Sequence[Column], room: float) -> list[list[Column]]:
    """The columns in parts that fit; each begins with the names of the rows, and groups stay together where they can."""
    if _width(columns) <= room:
        return [list(columns)]
    names = 1
    while names < len(columns) and columns[names].kind == "label":
        names += 1
    fixed, panels = list(columns[:names]), [list(columns[:names])]
    for group in _groups(table, columns[names:]):
        if len(panels[-1]) > names and _width([*panels[-1], *group]) > room and _width([*fixed, *group]) <= room:
            panels.append(list(fixed))
        for column in group:
            if len(panels[-1]) > names and _width([*panels[-1], column]) > room:
                panels.append(list(fixed))
            panels[-1].append(column)
    return panels


def _groups(table: Table, columns: Sequence[Column]) -> Iterator[list[Column]]:
    group: list[Column] = []
    for column in columns:
        if group and (not table.groups or table.groups[column.place] != table.groups[group[-1].place]):
            yield group
            group = []
        group.append(column)
    if group:
        yield group


def _fitted(table: Table, columns: Sequence[Column], room: float) -> list[Column]:
    """The columns, with what is left of the line given to those whose texts are broken."""
    breaking = [column for column in columns if column.breaks]
    if not breaking:
        return list(columns)
    more = max(room - _width(columns), 0.0) / len(breaking)
    return [
        Column(column.place, column.kind, column.width + (more if column.breaks else 0.0), column.breaks)
        for column in columns
    ]


def _blocks(table: Table, columns: Sequence[Column], room: int) -> Iterator[Block]:
    """The rows in parts of so many lines at most."""
    room -= _lines_of_head(table, columns)
    sections: list[tuple[str, list[Sequence[Cell]]]] = []
    left = room
    for place, section in enumerate(table.sections):
        title = table.titles[place] if table.titles else ""
        begun = False
        for row in section or [[]]:
            lines = row_lines(row, columns) if row else 0
            needed = lines if begun else lines + 0.7 + (1 if title else 0)
            if sections and needed > left:
                yield Block(columns, sections)
                sections, left, begun = [], room, False
            if not begun:
                sections.append((title, []))
                begun = True
            if row:
                sections[-1][1].append(row)
            left -= needed
    yield Block(columns, sections)


def row_lines(row: Sequence[Cell], columns: Sequence[Column]) -> int:
    """Lines that a row takes."""
    place = reason_place(row)
    if place is not None:
        after = [column for column in columns if column.place >= place]
        return math.ceil(width_pt(row[place].text) / reason_width(row[place].text, after)) if after else 1
    breaking = (column for column in columns if column.breaks)
    return max(
        (
            math.ceil(1.1 * width_pt(row[column.place].text, typewriter=column.kind == "id") / column.width)
            for column in breaking
        ),
        default=1,
    ) or 1


def _lines_of_head(table: Table, columns: Sequence[Column]) -> int:
    return _RULES_LINES - 2 + max(len(head_lines(table, column)) for column in columns) + bool(any(table.groups))


def _floats(table: Table, blocks: Sequence[Block], room: int) -> Iterator[list[Block]]:
    """Blocks together on a page as long as there is room."""
    together: list[Block] = []
    used = 0.0
    for block in blocks:
        rows = sum(row_lines(row, block.columns) for _, section in block.sections for row in section)
        titles = sum(0.7 + bool(title) for title, _ in block.sections)
        lines = rows + titles + _lines_of_head(table, block.columns) + 1
        if together and used + lines > room:
            yield together
            together, used = [], 0.0
        together.append(block)
        used += lines
    if together:
        yield together
