"""How a table is laid out in LaTeX: how wide its columns are, upright or turned, and in which parts."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lethe.tables.latex_numbers import widest_texts
from lethe.tables.latex_text import width_pt
from lethe.tables.table import Cell, Kind, Table

LINE_PT, PAGE_PT = 336.0, 535.0
"""Width of a line and height of a page that every common class has: a little less than those of `article`."""
COLUMN_PT = 200.0
"""Width of a column of a two-column page."""
_BASELINE_PT = 9.6
_GAP_PT = 5.0
"""Space between two columns."""
_LABEL_PT, _TEXT_PT = 90.0, 70.0
"""A name wider than this is set in several lines; running text is given at least so much."""
DATA_FILES = ("hyphens.txt",)
_HYPHENS: Mapping[str, str] = {
    word.replace("-", ""): word for word in Path(__file__).with_name(DATA_FILES[0]).read_text(encoding="utf-8").split()
}
"""Long words of heads with the place where they may be broken."""
_LEAST_LINES, _UNEVEN_LINES = 12, 2
_CAPTION_SIZE = 1.25
"""Classes set a caption in normal type."""
_BOLD = 1.08
"""How much wider a column is in which some value is bold."""
_SHORT_REASON = len("not run")
_RULES_LINES, _SECTION_LINES = 1, 0.7
"""Height of the rules of a table, and of the one between two sections."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its place in the table, what it holds, and how wide it is, in points.

    Attributes:
        needs: how wide it would be with every text in one line.
        breaks: its texts are broken into lines.
    """

    place: int
    kind: Kind
    width: float
    needs: float
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
        notes_fit: the notes stand below the last of them, not in one more float.
    """

    floats: Sequence[Sequence[Block]]
    turned: bool
    narrow: bool
    notes_fit: bool


def lay_out(table: Table) -> Layout:
    """The layout of a table; `lethe.tables.render_latex` says how it comes about."""
    columns = [_column(table, place) for place in range(len(table.header)) if place != table.section]
    turned = LINE_PT < _width(columns) <= PAGE_PT
    room, height = (PAGE_PT, LINE_PT) if turned else (LINE_PT, PAGE_PT)
    width = min(room, COLUMN_PT) if not table.wide and _width(columns) <= COLUMN_PT else room
    caption = _CAPTION_SIZE * _text_pt(f"Table 00: {table.caption}", width / _CAPTION_SIZE)
    lines = int((height - caption) / _BASELINE_PT) - 2
    narrow = width < room
    blocks = [
        block
        for panel in _panels(table, columns, room)
        for block in _blocks(table, _fitted(panel, room), max(lines, _LEAST_LINES))
    ]
    floats = list(_floats(table, blocks, lines))
    used = sum(_block_lines(table, block) for block in floats[-1]) * _BASELINE_PT
    notes_fit = used + _text_pt(" ".join(table.notes), width) <= lines * _BASELINE_PT
    return Layout(floats, turned, narrow and len(blocks) == 1, notes_fit)


def head_lines(table: Table, column: Column) -> list[str]:
    """The head of a column, broken at spaces, or in a word, where it is wider than what stands below."""
    lines: list[str] = []
    for word in table.head(column.place).split():
        if lines and width_pt(f"{lines[-1]} {word}") <= column.width:
            lines[-1] += f" {word}"
        elif width_pt(word) <= column.width:
            lines.append(word)
        else:
            lines += _syllables(word)
    return lines or [""]


def _syllables(word: str) -> list[str]:
    """A long word of a head in the two parts that may stand on two lines; in one where it has none."""
    first, hyphen, rest = _HYPHENS.get(word, word).partition("-")
    return [first + hyphen, rest] if hyphen and rest else [word]


def reason_place(row: Sequence[Cell]) -> int | None:
    """The column of a reason why there are no numbers, where nothing stands after it in its row; None without one."""
    told = [place for place, cell in enumerate(row) if cell.text]
    if not told or row[told[-1]].state != "not run" or len(row[told[-1]].text) <= _SHORT_REASON:
        return None
    return told[-1]


def reason_width(text: str, columns: Sequence[Column]) -> float:
    """The room of a reason in points: that of the columns from its own on, or more where a table is narrower."""
    return max(_width(columns), min(1.05 * width_pt(text), 2 * _LABEL_PT))


def _column(table: Table, place: int) -> Column:
    kind = table.kind(place)
    cells = [row[place] for row in table.rows() if reason_place(row) != place]
    texts = widest_texts(cells) if kind == "number" else [cell.text for cell in cells]
    body = max((width_pt(text, typewriter=kind == "id") for text in texts), default=0.0)
    if any(cell.bold for cell in cells):
        body *= _BOLD
    parts = (part for word in table.head(place).split() for part in _syllables(word))
    head = max(map(width_pt, parts), default=0.0)
    most = {"number": math.inf, "label": _LABEL_PT}.get(kind, _TEXT_PT)
    width = max(min(body, most), head)
    return Column(place, kind, width, max(body, head), body > width)


def _width(columns: Sequence[Column]) -> float:
    return sum(column.width for column in columns) + _GAP_PT * (len(columns) - 1)


def _text_pt(text: str, width: float) -> float:
    """Height of a paragraph."""
    return _BASELINE_PT * math.ceil(width_pt(text) / (0.96 * width))


def _panels(table: Table, columns: Sequence[Column], room: float) -> list[list[Column]]:
    """The columns in parts that fit; each begins with the names of the rows, and groups stay together if they can."""
    if _width(columns) <= room:
        return [list(columns)]
    names = 1
    while names < len(columns) and columns[names].kind == "label":
        names += 1
    fixed = list(columns[:names])
    panels = [list(fixed)]
    for group in _groups(table, columns[names:]):
        for part in _parts(group, room - _width(fixed)):
            if len(panels[-1]) > names and _width([*panels[-1], *part]) > room:
                panels.append(list(fixed))
            panels[-1] += part
    return panels


def _parts(columns: Sequence[Column], room: float) -> Iterator[Sequence[Column]]:
    """Columns in as few parts as fit, of about the same number."""
    for parts in range(1, len(columns) + 1):
        each = math.ceil(len(columns) / parts)
        found = [columns[start : start + each] for start in range(0, len(columns), each)]
        if all(_width(part) + _GAP_PT <= room for part in found) or each == 1:
            yield from found
            return


def _groups(table: Table, columns: Sequence[Column]) -> Iterator[list[Column]]:
    group: list[Column] = []
    for column in columns:
        if group and (not table.groups or table.groups[column.place] != table.groups[group[-1].place]):
            yield group
            group = []
        group.append(column)
    if group:
        yield group


def _fitted(columns: Sequence[Column], room: float) -> list[Column]:
    """The columns, with what is left of the line given to those whose texts are broken, each no more than it needs."""
    fitted = list(columns)
    left = room - _width(columns)
    for lacking in sorted((column.needs - column.width, at) for at, column in enumerate(columns) if column.breaks):
        at = lacking[1]
        waiting = sum(column.breaks and column.width == columns[place].width for place, column in enumerate(fitted))
        more = min(lacking[0], max(left, 0.0) / waiting)
        fitted[at] = replace(fitted[at], width=fitted[at].width + more, breaks=more < lacking[0])
        left -= more
    return fitted


def _blocks(table: Table, columns: Sequence[Column], room: int) -> Iterator[Block]:
    """The rows in parts of so many lines at most."""
    room -= _lines_of_head(table, columns)
    whole = sum(
        _SECTION_LINES + bool(table.title(section)) + sum(row_lines(row, columns) for row in section if row)
        for section in table.sections
    )
    # Parts of about the same length, so that no page holds the last row alone.
    room = min(room, math.ceil(whole / math.ceil(whole / room)) + _UNEVEN_LINES) if whole else room
    sections: list[tuple[str, list[Sequence[Cell]]]] = []
    left: float = room
    for section in table.sections:
        title = table.title(section)
        begun = False
        for row in section or [[]]:
            lines: float = row_lines(row, columns) if row else 0
            needed = lines if begun else lines + _SECTION_LINES + bool(title)
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
    return max((_wrapped(row[column.place].text, column) for column in columns if column.breaks), default=1)


def _wrapped(text: str, column: Column) -> int:
    """Lines of a text that is broken at spaces; an identifier is broken within."""
    if column.kind == "id":
        return math.ceil(1.1 * width_pt(text, typewriter=True) / column.width)
    lines, left = 1, column.width
    for word in text.split():
        width = width_pt(word)
        if width > left:
            lines += math.ceil(width / column.width)
            left = column.width
        left -= width + width_pt(" ")
    return lines


def _lines_of_head(table: Table, columns: Sequence[Column]) -> int:
    return _RULES_LINES + max(len(head_lines(table, column)) for column in columns) + bool(any(table.groups))


def _block_lines(table: Table, block: Block) -> float:
    """Height of a block in lines, with the space after it."""
    rows = sum(row_lines(row, block.columns) for _, section in block.sections for row in section)
    titles = sum(_SECTION_LINES + bool(title) for title, _ in block.sections)
    return rows + titles + _lines_of_head(table, block.columns) + 1


def _floats(table: Table, blocks: Sequence[Block], room: int) -> Iterator[list[Block]]:
    """Blocks together on a page as long as there is room."""
    together: list[Block] = []
    used = 0.0
    for block in blocks:
        lines = _block_lines(table, block)
        if together and used + lines > room:
            yield together
            together, used = [], 0.0
        together.append(block)
        used += lines
    if together:
        yield together
