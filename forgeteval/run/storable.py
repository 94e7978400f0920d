"""What a file can hold of what a measured system sends.

This module runs in the systems' own environments: only the standard library is imported here.
"""

from typing import Any

_LARGEST = 1 << 53
"""The largest number that an integer and a float of 64 bits both hold."""


def check_storable(value: Any) -> None:
    """Raise ValueError for a text that is not Unicode and a number that columns, or sums of them, do not hold."""
    match value:
        case str():
            value.encode()
        case int() | float() if not abs(value) <= _LARGEST:
            raise ValueError("a number that no table holds")
        case dict():
            check_storable([*value, *value.values()])
        case list() | tuple():
            for item in value:
                check_storable(item)


def check_came(came: dict[str, Any]) -> None:
    """Raise ValueError where no file could hold the fields of what came of a step or a look, or one is negative."""
    check_storable(came)
    if any(value < 0 for value in came.values() if isinstance(value, int | float)):
        raise ValueError("a negative number or time")
