"""Depth, the one number that holds a memory's state, and how it moves.

`PINNED` (+inf), `SURFACE` (1.0), sinking (between 0 and 1), `SUBMERGED` (0.0: out of recall, but
kept and logged), or `None` for void: erased, an id without text.
"""

import math

PINNED = math.inf
SURFACE = 1.0
SUBMERGED = 0.0
FLOOR = 0.05
"""Depth below which a sinking memory is submerged."""


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
