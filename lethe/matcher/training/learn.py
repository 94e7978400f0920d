"""The weights of the decisions, learned from labelled ones (docs/matcher.md)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lethe.matcher.decision.kinds import Columns, table
from lethe.matcher.decision.link_columns import of_links
from lethe.matcher.decision.meant import Vectors, bounded, first_columns, ties_of
from lethe.matcher.decision.superseded import superseded_columns
from lethe.matcher.decision.trees import Floats, Trees
from lethe.matcher.evidence.ties import Ties
from lethe.matcher.training.decisions import MASKED, Decision, hidden, shown
from lethe.matcher.training.fit import fit

FOLDS = 4
"""Parts of the batches; the first probability that a second look learns from comes from the other parts."""
ABSENT = 0.3
"""How much a decision counts that is seen without the memories that are meant."""
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
        ties: of the memories; None for a supersession.
        weight: how much each memory counts.
    """

    batch: str
    decision: Decision
    off: frozenset[str]
    columns: tuple[str, ...]
    rows: Floats
    labels: Floats
    vectors: Floats
    ties: Ties | None
    weight: float

    @property
    def is_whole(self) -> bool:
        """Whether nothing is hidden, and the memories that are meant are there."""
        return not self.off and bool(self.labels.any())


def examples(batch: str, decisions: Sequence[Decision], embed: Vectors, weight: float) -> list[Example]:
    """Each decision in full, once more without a kind of evidence, and once without the memories that are meant.

    So the trees can do without any evidence, and know what a request looks like whose target is not stored.
    """
    return [one for decision in decisions for one in _seen(batch, decision, embed, weight)]


def _seen(batch: str, decision: Decision, embed: Vectors, weight: float) -> Iterator[Example]:
    is_fact = decision.operation == "supersede"
    if is_fact and not decision.meant:
        return
    asked = [decision.query, decision.new_fact] if is_fact else [decision.query]
    vectors = embed([*asked, *decision.memories])
    order = shown(decision, [float(value) for value in vectors[len(asked) :] @ vectors[0]])
    left = [at for at in order if at not in decision.meant] if decision.meant else []
    for positions, much in ((order, weight), (left, weight * ABSENT)):
        if not positions:
            continue
        one = _limited(decision, positions)
        own = vectors[[*range(len(asked)), *(len(asked) + at for at in positions)]]
        columns, labels = _columns(one, own), _labels(one)
        tied = None if is_fact else ties_of(one.query, one.memories)
        for off, share in ((frozenset[str](), much), (hidden(decision), much * MASKED)):
            yield Example(batch, one, off, tuple(sorted(columns)), table(columns, off), labels, own, tied, share)


def _limited(decision: Decision, order: Sequence[int]) -> Decision:
    """A decision with some of its memories."""
    return replace(
        decision,
        memories=tuple(decision.memories[at] for at in order),
        written_for=tuple(decision.written_for[at] for at in order),
        meant=frozenset(place for place, at in enumerate(order) if at in decision.meant),
        kept={},
    )


def _columns(decision: Decision, vectors: Floats) -> Columns:
    if decision.operation == "supersede":
        query, new_fact, memories = decision.query, decision.new_fact, decision.memories
        return superseded_columns(query, new_fact, memories, decision.written_for, vectors)
    return first_columns(decision.query, decision.memories, vectors, purge=decision.operation == "purge")


def _labels(decision: Decision) -> Floats:
    return np.array([float(at in decision.meant) for at in range(len(decision.memories))])


def learned(found: Sequence[Example]) -> dict[str, Any]:
    """The weights for which memories are meant, alone and beside the others, and which is superseded, as JSON."""
    asked = [one for one in found if one.decision.operation != "supersede"]
    facts = [one for one in found if one.decision.operation == "supersede"]
    likely = _fitted(asked, [one.rows for one in asked], asked[0].columns)
    seen = [_beside(one, scores) for one, scores in zip(asked, _out_of_fold(asked), strict=True)]
    rows = [np.hstack([table(beside, one.off), one.rows]) for beside, one in zip(seen, asked, strict=True)]
    return {
        "likely": likely,
        "meant": _fitted(asked, rows, (*sorted(seen[0]), *asked[0].columns), **SECOND),
        "superseded": _fitted(facts, [one.rows for one in facts], facts[0].columns),
    }


def _out_of_fold(found: Sequence[Example]) -> list[Floats]:
    """The scores of each example's memories, from trees that have not seen its batch."""
    fold_of = {batch: place % FOLDS for place, batch in enumerate(sorted({one.batch for one in found}))}
    rows, sizes = np.vstack([one.rows for one in found]), [len(one.labels) for one in found]
    own = np.repeat([fold_of[one.batch] for one in found], sizes)
    scores = np.zeros(len(rows))
    for fold in set(fold_of.values()):
        others = [one for one in found if fold_of[one.batch] != fold]
        trees = Trees.from_json(_fitted(others, [one.rows for one in others], others[0].columns))
        scores[own == fold] = trees.scores(rows[own == fold])
    return np.split(scores, np.cumsum(sizes)[:-1])


def _beside(one: Example, scores: Floats) -> Columns:
    assert one.ties is not None
    return of_links(one.ties, bounded(scores), one.vectors[1:])


def _fitted(
    found: Sequence[Example], rows: Sequence[Floats], columns: Sequence[str], **settings: Any
) -> dict[str, Any]:
    weights = np.concatenate([np.full(len(one.labels), one.weight) for one in found])
    return fit(columns, np.vstack(rows), np.concatenate([one.labels for one in found]), weights, **settings)
