"""The best of a column or row in bold: only where it means something."""

from collections.abc import Sequence
from dataclasses import replace

from lethe.tables.table import Cell

NOTE = (
    "Bold: the best of its column{among}; controls, published numbers, configurations with errors and those developed "
    "on these cases do not compete."
)


def bold_best(column: Sequence[Cell], competes: Sequence[bool], *, lowest: bool = False) -> list[Cell]:
    """The cells of one column, the best of those that compete in bold; none where all of these are alike.

    Args:
        column: the cells; what is no number is never the best, nor are numbers out of different counts compared.
        competes: of each cell, whether it may be the best.
        lowest: the lowest is the best.
    """
    values = [
        cell.value
        for cell, may in zip(column, competes, strict=True)
        if may and cell.state == "measured" and cell.value is not None
    ]
    if len(set(values)) < 2:
        return list(column)
    best = min(values) if lowest else max(values)
    return [
        replace(cell, bold=True) if may and cell.state == "measured" and cell.value == best else cell
        for cell, may in zip(column, competes, strict=True)
    ]
