"""The weights of the decisions, learned from labelled ones (docs/matcher.md)."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lethe.planners.matcher import EVIDENCE_KINDS
from lethe.planners.matcher.decision.kinds import Columns, table
from lethe.planners.matcher.decision.meant import Vectors, bounded, final_columns, first_columns
from lethe.planners.matcher.decision.superseded import superseded_columns
from lethe.planners.matcher.decision.trees import Floats, Trees
from lethe.planners.matcher.training.decisions import Decision, shown
from lethe.planners.matcher.training.fit import fit

FOLDS = 4
"""Parts of the batches; the first probability that a second look learns from comes from the other parts."""
MASKED = 0.3
"""How much a decision seen without one kind of evidence counts."""
SECOND = {"max_iter": 100, "learning_rate": 0.06, "max_leaf_nodes": 8}


@dataclass(frozen=True, eq=False)
class Example:
    """A decision as the matcher sees it.

    Attributes:
        batch: the author or batch of the case.
        decision: with the memories that are shown, in their order.
        off: kinds of evidence that are hidden.
        columns: names of the columns of memories seen alone.
        rows: memories × columns.
        labels: whether each memory is meant.
        vectors: of query and memories (for a supersession: query, new fact and memories).
        weight: how much each memory counts.
    """

    batch: str
    decision: Decision
    off: frozenset[str]
    columns: tuple[str, ...]
    rows: Floats
    labels: Floats
    vectors: Floats
    weight: float


def examples(batch: str, decisions: Sequence[Decision], embed: Vectors, weight: float) -> list[Example]:
    """Each decision in full, and once more without a kind of evidence, so that the trees can do without it."""
    return [one for decision in decisions for one in _seen(batch, decision, embed, weight)]


def _seen(batch: str, decision: Decision, embed: Vectors, weight: float) -> list[Example]:
    is_fact = decision.operation == "supersede"
    if is_fact and not decision.meant:
        return []
    asked = [decision.query, decision.new_fact] if is_fact else [decision.query]
    vectors = embed([*asked, *decision.memories])
    order = shown(decision, [float(value) for value in vectors[len(asked) :] @ vectors[0]])
    memories = tuple(decision.memories[at] for at in order)
    written = tuple(decision.written_for[at] for at in order)
    vectors = vectors[[*range(len(asked)), *(len(asked) + at for at in order)]]
    if is_fact:
        columns = superseded_columns(decision.query, decision.new_fact, memories, written, vectors)
    else:
        columns = first_columns(decision.query, memories, vectors, purge=decision.operation == "purge")
    seen = Decision(
        decision.case, decision.category, decision.operation, decision.query, decision.new_fact, memories, written,
        frozenset(place for place, at in enumerate(order) if at in decision.meant), {},
    )  # fmt: skip
    labels = np.array([float(at in seen.meant) for at in range(len(memories))])
    kinds = EVIDENCE_KINDS[:-1]
    hidden = kinds[zlib.crc32(f"{decision.case} {decision.query}".encode()) % len(kinds)]
    return [
        Example(batch, seen, off, tuple(columns), table(columns, off), labels, vectors, weight * much)
        for off, much in ((frozenset[str](), 1.0), (frozenset([hidden]), MASKED))
    ]


def learned(found: Sequence[Example]) -> dict[str, Any]:
    """The weights for which memories are meant, alone and beside the others, and which is superseded, as JSON."""
    asked = [one for one in found if one.decision.operation != "supersede"]
    facts = [one for one in found if one.decision.operation == "supersede"]
    likely = _fitted(asked, [one.rows for one in asked], asked[0].columns)
    seen = [_beside(one, scores) for one, scores in zip(asked, _out_of_fold(asked), strict=True)]
    rows = [np.hstack([table(beside, one.off), one.rows]) for beside, one in zip(seen, asked, strict=True)]
    return {
        "likely": likely,
        "meant": _fitted(asked, rows, (*seen[0], *asked[0].columns), **SECOND),
        "superseded": _fitted(facts, [one.rows for one in facts], facts[0].columns),
    }


def _out_of_fold(found: Sequence[Example]) -> list[Floats]:
    """The scores of each example's memories, from trees that have not seen its batch."""
    batches = sorted({one.batch for one in found})
    scores: dict[int, Floats] = {}
    for fold in range(FOLDS):
        held = set(batches[fold::FOLDS])
        others = [one for one in found if one.batch not in held]
        trees = Trees.from_json(_fitted(others, [one.rows for one in others], others[0].columns))
        scores |= {at: trees.scores(one.rows) for at, one in enumerate(found) if one.batch in held}
    return [scores[at] for at in range(len(found))]


def _beside(one: Example, scores: Floats) -> Columns:
    return final_columns(one.decision.query, one.decision.memories, bounded(scores), one.vectors)


def _fitted(
    found: Sequence[Example], rows: Sequence[Floats], columns: Sequence[str], **settings: Any
) -> dict[str, Any]:
    weights = np.concatenate([np.full(len(one.labels), one.weight) for one in found])
    return fit(columns, np.vstack(rows), np.concatenate([one.labels for one in found]), weights, **settings)
