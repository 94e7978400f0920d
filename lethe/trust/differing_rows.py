"""The cells in which a Parquet file differs from the rows that follow from its inputs."""

import math
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Any

from lethe.parquet import Row
from lethe.schemas import Table

_SHOWN = 10
"""How many lines about one file are given."""
_LONGEST = 600
_RELATIVE, _ABSOLUTE = 1e-6, 1e-12
"""Differences of a real number that another processor or library may make."""


def compare_rows(path: str, table: Table, made: Sequence[Row], found: Sequence[Row], source: str) -> Iterator[str]:
    """One line for each cell or row of a file that does not follow; of many, the first ten and their number.

    Args:
        made: the rows that follow.
        found: the rows that stand in the file.
        source: what they follow from, for the lines.
    """
    yield from shortened(path, _differences(path, table, made, found, source), "differences")


def differing(says: Any, is_: Any, source: str) -> str:
    """What a file says, and what it is when it is counted again from something."""
    return f"this file says {says!r}; it is {is_!r}, counted again from {source}"


def files_named(paths: Collection[str]) -> str:
    """The files that something is counted from; of many, the first three and the number of the others.

    >>> files_named(["b.parquet", "a.parquet"])
    'a.parquet, b.parquet'
    """
    shown = sorted(paths)
    return ", ".join(shown[:3]) + (f" and {len(shown) - 3} more files" if len(shown) > 3 else "")


def shortened(path: str, lines: Iterator[str], what: str) -> Iterator[str]:
    """Of many lines about a file, the first ten and the number of the others."""
    yield from (line[:_LONGEST] for line in islice(lines, _SHOWN))
    more = sum(1 for _ in lines)
    if more:
        yield f"{path}: {more} more {what}"


def _differences(path: str, table: Table, made: Sequence[Row], found: Sequence[Row], source: str) -> Iterator[str]:
    if list(made) == list(found):
        return
    wanted, handed = ({_key(table, row): row for row in rows} for rows in (made, found))
    for key in wanted:
        if key not in handed:
            yield f"{path}: {_place(table, key)}: missing"
    for key, row in handed.items():
        if key not in wanted:
            yield f"{path}: {_place(table, key)}: does not follow from the results"
            continue
        if wanted[key] == row:
            continue
        for name in (column.name for column in table.columns):
            if not _equal(wanted[key].get(name), row[name]):
                yield f"{path}: {_place(table, key)}: {name}: {differing(row[name], wanted[key].get(name), source)}"
    if wanted.keys() == handed.keys() and list(wanted) != list(handed):
        yield f"{path}: its rows stand in another order"


def _key(table: Table, row: Row) -> tuple[Any, ...]:
    return tuple(row[name] for name in table.key)


def _place(table: Table, key: tuple[Any, ...]) -> str:
    return ", ".join(f"{name} {part}" for name, part in zip(table.key, key, strict=True))


def _equal(made: Any, found: Any) -> bool:
    if isinstance(made, list | tuple) and isinstance(found, list):
        return len(made) == len(found) and all(map(_equal, made, found))
    if isinstance(made, float) and isinstance(found, float):
        if math.isnan(made) or math.isnan(found):
            return math.isnan(made) and math.isnan(found)
        return math.isclose(made, found, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE)
    return bool(made == found)
