"""Readings of Memora's evidence: the scalars that count as its values.

Memora's memory evidence is a nested record whose shape differs by kind of question. The readings, from the narrowest
to the widest:

- `released`: leaves under the keys `value` and `item`, that of the paper's authors (docs/crosseval.md).
- `named_values`: also those whose key ends in `value` (`goal_value`, `actual_value`).
- `every_scalar`: every string and number except session ids and dates.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from forgeteval.cases.history import Evidence
from forgeteval.scoring.scorers import as_seen

_SESSIONS = ("session_id", "session_history")
_WHEN = (*_SESSIONS, "session_date")

READINGS: Mapping[str, Callable[[str], bool]] = {
    "released": lambda key: key in ("value", "item"),
    "named_values": lambda key: key == "item" or key.endswith("value"),
    "every_scalar": lambda key: key not in _WHEN,
}
"""Name of a reading to whether a leaf under a key counts."""


def scalars(record: Any, key: str = "") -> Iterator[Evidence]:
    """Every string, number and truth value of a nested record under its dotted key, in order; list positions leave no
    trace.

    Raises:
        ValueError: naming the key where a null stands, or a text that every recall would hold.
    """
    if isinstance(record, Mapping):
        for name, inner in record.items():
            yield from scalars(inner, f"{key}.{name}" if key else name)
    elif isinstance(record, list):
        for inner in record:
            yield from scalars(inner, key)
    elif record is None or not as_seen(str(record)).strip():
        raise ValueError(f"{key} is null, empty or blank")
    else:
        yield Evidence(key, str(record))


def values_read(evidence: Sequence[Evidence], reading: str) -> tuple[str, ...]:
    """The values that count under a reading, in order; a value that stands there twice counts twice."""
    counts = READINGS[reading]
    return tuple(scalar.value for scalar in evidence if counts(scalar.key.rpartition(".")[2]))


def sessions_named(evidence: Iterable[Evidence]) -> Iterator[str]:
    """The ids of the sessions that an evidence is from, in order."""
    return (scalar.value for scalar in evidence if scalar.key.rpartition(".")[2] in _SESSIONS)
