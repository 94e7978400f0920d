"""Which memory a new fact takes the place of."""

from collections.abc import Sequence

import numpy as np

from lethe.matcher.decision.evidence_columns import columns, plain, stood
from lethe.matcher.decision.kinds import Columns, table
from lethe.matcher.decision.meant import Vectors
from lethe.matcher.decision.trees import Floats, odds
from lethe.matcher.decision.weights import Weights


def superseded_columns(
    query: str, new_fact: str, memories: Sequence[str], written_for: Sequence[str], vectors: Floats | None
) -> Columns:
    """The evidence on which memory a new fact takes the place of.

    Args:
        written_for: for each memory, the queries of the supersessions that led to it, the last one first, one on each
            line; "" where none did. May be empty, where nothing is known of any.
        vectors: of query, new fact, and memories.
    """
    similar = [None, None] if vectors is None else [list(map(float, vectors[2:] @ vectors[text])) for text in (0, 1)]
    of_fact = {f"fact {name}": values for name, values in columns(new_fact, memories, similar[1]).items()}
    return {**columns(query, memories, similar[0]), **of_fact, **_of_history(query, written_for, len(memories))}


def _of_history(query: str, written_for: Sequence[str], size: int) -> Columns:
    """How much of the query those queries have for which each memory was written."""
    if not any(written_for):
        return {"asked words": [np.nan] * size, "asked before": [0.0] * size}
    share = stood(plain(query), [plain(queries) for queries in written_for]).share
    asked = np.array([bool(queries) for queries in written_for])
    return {"asked words": np.where(asked, share, np.nan), "asked before": asked}


def superseded(
    query: str,
    new_fact: str,
    memories: Sequence[str],
    written_for: Sequence[str],
    embed: Vectors | None,
    weights: Weights,
    off: frozenset[str] = frozenset(),
) -> tuple[Floats, Floats]:
    """The probability of each memory, and memories × columns that it comes from."""
    vectors = None if embed is None else embed([query, new_fact, *memories])
    rows = table(superseded_columns(query, new_fact, memories, written_for, vectors), off)
    return odds(weights.superseded.scores(rows)), rows
