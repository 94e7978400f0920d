"""Integers at the store's edge: what is hashed into the log is the `int` that SQLite stores."""

import operator
from typing import SupportsIndex

_LARGEST_ID = 2**63 - 1


def integer(what: str, given: SupportsIndex) -> int:
    """The `int` that equals `given`; `TypeError` for a bool and whatever is no integer, named by `what`."""
    try:
        if not isinstance(given, bool):
            return operator.index(given)
    except TypeError:
        pass
    raise TypeError(f"{what} must be an integer, not {given!r:.80}")


def memory_id(given: SupportsIndex) -> int:
    """A memory's id as an `int`; `TypeError` if it is no integer, `LookupError` beyond what SQLite can number."""
    number = integer("a memory id", given)
    if abs(number) > _LARGEST_ID:
        raise LookupError("there is no memory with a number beyond 64 bits")
    return number
