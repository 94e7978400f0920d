"""What the store is given, checked before a transaction begins; errors inside one are those of the file.

The clock alone is read inside, so that the log's moments are in the log's order; what it raises is a `ValueError`.
"""

import math
import operator
from collections.abc import Iterable, Mapping
from typing import SupportsIndex, TypeVar

from lethe.store.normalisation import is_blank

T = TypeVar("T")
_LARGEST = 2**63 - 1


def integer(what: str, given: SupportsIndex) -> int:
    """The `int` that equals `given`; `TypeError` for a bool and whatever is not an integer, named by `what`.

    What is hashed into the log is the `int` that SQLite stores.
    """
    try:
        if not isinstance(given, bool):
            return operator.index(given)
    except TypeError:
        pass
    raise TypeError(f"{what} must be an integer, not {given!r:.80}")


def memory_id(given: SupportsIndex) -> int:
    """A memory's id as an `int`; `TypeError` if it is not an integer, `LookupError` beyond what SQLite can number."""
    number = integer("a memory id", given)
    if abs(number) > _LARGEST:
        raise LookupError("there is no memory with a number beyond 64 bits")
    return number


def memory_ids(given: Iterable[SupportsIndex]) -> list[int]:
    """Ids of several memories, each as `memory_id` has it; `TypeError` for what is not a list of them."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise TypeError(f"several memories must be a list of their ids, not {given!r:.80}")
    return [memory_id(each) for each in given]


def keys(given: Iterable[str]) -> list[str]:
    """Keys of several items; `TypeError` for what is not a list of them, such as one key."""
    return strings("several keys", "a key", given)


def strings(what: str, one: str, given: Iterable[str]) -> list[str]:
    """Several strings; `TypeError` for what is not a list of them, such as one string, named by `what` and `one`."""
    return [string(one, each) for each in several(what, given)]


def several(what: str, given: Iterable[T]) -> list[T]:
    """The list of what is given; `TypeError`, named by `what`, where it is one text or mapping, or no list at all."""
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise TypeError(f"{what} must be a list, not {given!r:.80}")
    return list(given)


def number_of_rows(given: int) -> int:
    """How many are asked for or passed over: at most as many as SQLite can add up."""
    return min(given, _LARGEST // 2)


def finite(what: str, given: float) -> float:
    """The `float` of a finite number; `ValueError` for anything else, named by `what`."""
    try:
        if not isinstance(given, bool) and math.isfinite(given):
            return float(given) + 0.0  # SQLite has no -0.0, which the log would
    except (TypeError, OverflowError):
        pass
    raise ValueError(f"{what} must be a finite number, not {given!r:.80}")


def string(what: str, given: str) -> str:
    """`given`, if it is a string; else `TypeError`, named by `what`."""
    if not isinstance(given, str):
        raise TypeError(f"{what} must be a string, not {given!r:.80}")
    return given


def check_kind(what: str, given: object, *kinds: type) -> None:
    """Raise `TypeError`, which names it by `what`, for what is of none of these classes."""
    if not isinstance(given, kinds):
        raise TypeError(f"{what} must be a {' or a '.join(kind.__name__ for kind in kinds)}, not {given!r:.80}")


def check_encodable(what: str, given: str) -> None:
    """Raise `ValueError`, which names it by `what`, for a string with lone surrogates, which no file can hold."""
    try:
        given.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{what} holds a lone surrogate at position {error.start}") from error


def check_text(given: str) -> None:
    """Raise `TypeError` or `ValueError` for what cannot be a memory: blank text, lone surrogates. NUL is allowed."""
    if is_blank(string("the text of a memory", given)):
        raise ValueError("a memory needs text: of this one nothing can be seen")
    check_encodable("text", given)
