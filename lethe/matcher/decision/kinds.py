"""Columns by kind of evidence, and columns without some kinds."""

import functools
from collections.abc import Mapping, Sequence

import numpy as np

from lethe.matcher.decision.trees import Floats

Columns = Mapping[str, Sequence[float] | Floats]
GROUPS = {
    "words": ("words",),
    "names": ("names", "sound"),
    "identifiers": ("codes", "identifiers"),
    "times": ("times",),
    "meaning": ("meaning",),
    "links": ("links",),
}
"""The first words of the names of each kind's columns, after the word for the text that is compared."""
_KIND = {group: kind for kind, groups in GROUPS.items() for group in groups}
_COMPARED = frozenset({"fact", "asked"})


@functools.cache
def kind_of(column: str) -> str | None:
    """The kind of evidence of a column; None for sizes and first probabilities, which are never left out."""
    first, *rest = column.split()
    return _KIND.get(rest[0] if first in _COMPARED else first)


def table(columns: Columns, off: frozenset[str] = frozenset()) -> Floats:
    """Memories × columns by name, those of the kinds in `off` without values.

    They are rounded, so that the same weights decide alike on every machine.
    """
    values = [
        np.full(len(columns[name]), np.nan) if kind_of(name) in off else np.asarray(columns[name], dtype=np.float64)
        for name in sorted(columns)
    ]
    return np.round(np.array(values).T, 3)
