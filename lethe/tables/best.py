"""The best of a column or row in bold: only where it means something."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from lethe.study.results import SuiteResults
from lethe.tables.table import Cell, Table

NOTE = (
    "Bold: the best; controls, published numbers, what had errors or has a caveat, and what was developed on these "
    "cases, do not compete, nor, in rates of facts, what is N/A on some cases."
)


def competes(results: SuiteResults, name: str, *, of_facts: bool = False) -> bool:
    """Whether a configuration may be the best on a suite: no control, no errors, no caveat, not developed on it.

    Args:
        of_facts: at a rate of facts, which those of its N/A cases are not in.
    """
    score = results.score(name)
    if score is None or score["errors"] or name in results.caveats or (of_facts and score["na"]):
        return False
    return results.configurations[name].regime != "control" and not results.is_seen_by(name)


def bold_best(column: Iterable[Cell], competing: Sequence[bool], *, lowest: bool = False) -> list[Cell]:
    """The cells of one column or row, the best of those that compete in bold; none where all of these are alike.

    Args:
        competing: of each cell, whether it may be the best; what is not measured here never is.
        lowest: the lowest is the best.
    """
    cells = list(column)
    places = [
        place
        for place, (cell, may) in enumerate(zip(cells, competing, strict=True))
        if may and cell.state == "measured" and cell.value is not None
    ]
    values = {cells[place].value or 0.0 for place in places}
    if len(values) > 1:
        best = min(values) if lowest else max(values)
        for place in places:
            if cells[place].value == best:
                cells[place] = replace(cells[place], bold=True)
    return cells


def with_best(
    table: Table, competing: Sequence[bool], *, highest: Iterable[int] = (), lowest: Iterable[int] = ()
) -> Table:
    """A table with the best of some of its columns in bold, and a note that says so.

    Args:
        competing: of each row, whether it may be the best.
    """
    rows = list(map(list, table.rows()))
    for places, least in ((highest, False), (lowest, True)):
        for place in places:
            for row, cell in zip(rows, bold_best((row[place] for row in rows), competing, lowest=least), strict=True):
                row[place] = cell
    if not any(cell.bold for row in rows for cell in row):
        return table
    following = iter(rows)
    sections = [[next(following) for _ in section] for section in table.sections]
    return replace(table, sections=sections, notes=list(dict.fromkeys([*table.notes, NOTE])))
