"""Depth, the one number that holds a memory's state, and how it moves.

`PINNED` (+inf), `SURFACE` (1.0), sinking (between 0 and 1), `SUBMERGED` (0.0: out of recall, but
kept and logged), or `None` for void: erased, an id without text.

What stands in the file is the depth of a memory's last event. By itself it sinks with the time since its last use, up
to the last consolidation: that is computed (`PRESENT`), so that a night writes nothing of memories that only sink.
"""

import math

from lethe.store.arguments import finite

PINNED = math.inf
SURFACE = 1.0
SUBMERGED = 0.0
SECONDS_PER_DAY = 86_400.0
_LAST = "FROM consolidation ORDER BY seq DESC, moment DESC LIMIT 1"
CONSOLIDATED_AT, HALF_LIFE = f"(SELECT moment {_LAST})", f"(SELECT half_life_days {_LAST})"
"""What a query selects in order to read the moment of the last consolidation and its half-life in days, or null."""
PRESENT = (
    "CASE WHEN memory.depth > 0.0 AND memory.depth <= 1.0 THEN memory.depth * coalesce(pow(2.0, -max(0.0,"
    f" ({CONSOLIDATED_AT} - memory.last_used_at) / {SECONDS_PER_DAY}) / {HALF_LIFE}), 1.0) ELSE memory.depth END"
)
"""What a query selects in order to read the depth that a memory has now."""
FLOOR = 0.05
"""Depth below which a sinking memory is submerged."""


def checked(depth: float) -> float:
    """A depth as the `float` that the log has of it; `ValueError` for what is none."""
    number = PINNED if depth == PINNED else finite("a depth", depth)
    if not (SUBMERGED <= number <= SURFACE or number == PINNED):
        raise ValueError(f"a depth lies between 0 and 1, or is that of a pin, not {depth!r:.80}")
    return number


def sunk(depth: float, factor: float) -> float:
    """`depth` times `factor` in [0, 1], or `SUBMERGED` if that is below `FLOOR`; a pinned memory does not sink."""
    if depth == PINNED:
        return PINNED
    lower = depth * factor
    return lower if lower >= FLOOR else SUBMERGED


def aged(depth: float, unused_days: float, half_life_days: float) -> float:
    """The depth after `unused_days` without use: halved every half-life."""
    return sunk(depth, math.exp2(-max(unused_days, 0.0) / half_life_days))


def promoted(depth: float, uses: int) -> float:
    """The depth after `uses` uses: each halves the distance to `SURFACE`; a pinned memory stays pinned."""
    if depth == PINNED:
        return PINNED
    return SURFACE - (SURFACE - depth) * math.exp2(-uses)
