"""Texts in the cells of a CSV file that people open in a spreadsheet, where some texts are formulas."""

import re

_FORMULA = re.compile(r"'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")


def as_text(given: str) -> str:
    """The cell of a text; one that a spreadsheet would take for a formula begins with an apostrophe more."""
    return f"'{given}" if _FORMULA.match(given) else given


def as_given(cell: str) -> str:
    """The text of a cell, as it was given to `as_text`."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
