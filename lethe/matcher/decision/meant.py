"""Which memories a purge or a release means."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lethe.matcher.decision.evidence_columns import columns, plain
from lethe.matcher.decision.kinds import Columns, table
from lethe.matcher.decision.link_columns import of_links
from lethe.matcher.decision.trees import Floats, odds
from lethe.matcher.decision.weights import Weights
from lethe.matcher.evidence.ties import Ties, ties

Vectors = Callable[[Sequence[str]], Floats]
"""Texts to unit vectors, texts × dimensions."""
_LEAST = 0.2
"""Probability below which even the likeliest memory is not meant for sure."""


@dataclass(frozen=True)
class Probabilities:
    """The probability that each memory is meant, and what it rests on.

    Attributes:
        likely: of each memory seen alone.
        first: memories × columns that `likely` comes from.
        final: of each memory, once the others are seen.
        rows: memories × columns that `final` comes from.
    """

    likely: Floats
    first: Floats
    final: Floats
    rows: Floats

    @property
    def chosen(self) -> list[int]:
        """The memories that are meant: the likely ones, or else the likeliest; none where that is not likely at all."""
        chosen = [int(at) for at in np.flatnonzero(self.final >= 0.5)]
        best = int(self.final.argmax())
        return chosen or ([best] if self.final[best] >= _LEAST else [])

    def why(self, at: int, weights: Weights) -> str:
        """How likely a memory is meant, and the evidence that moved this furthest, at either look."""
        second, first = weights.meant.explain(self.rows[at]), weights.likely.explain(self.first[at])
        return f"{self.final[at]:.0%}: {second}; at first: {first}"


def first_columns(
    request: str, memories: Sequence[str], vectors: NDArray[np.float64] | None, *, purge: bool
) -> Columns:
    """The columns of memories seen alone; `vectors` are those of the request and the memories."""
    similar = None if vectors is None else [float(value) for value in vectors[1:] @ vectors[0]]
    return {**columns(request, memories, similar), "purge": [purge] * len(memories)}


def ties_of(request: str, memories: Sequence[str]) -> Ties:
    """What ties memories to each other."""
    return ties(plain(request), [plain(memory) for memory in memories])


def meant(
    request: str,
    memories: Sequence[str],
    embed: Vectors | None,
    weights: Weights,
    off: frozenset[str] = frozenset(),
    *,
    purge: bool,
) -> Probabilities:
    """How likely each memory is meant by a request; `off` are kinds of evidence left out."""
    vectors = None if embed is None else embed([request, *memories])
    first = table(first_columns(request, memories, vectors, purge=purge), off)
    likely = bounded(weights.likely.scores(first))
    rows = np.hstack(
        [table(of_links(ties_of(request, memories), likely, None if vectors is None else vectors[1:]), off), first]
    )
    return Probabilities(likely, first, odds(weights.meant.scores(rows)), rows)


def bounded(scores: Floats) -> Floats:
    """Probabilities that have log odds again."""
    return np.clip(odds(scores), 1e-6, 1 - 1e-6)
