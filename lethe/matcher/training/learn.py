"""The weights of the decisions, learned from labelled ones (docs/matcher.md)."""

import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forgeteval.cases.case import Case
from lethe.matcher import EVIDENCE_KINDS
from lethe.matcher.decision.choice import View
from lethe.matcher.decision.columns import Columns, Vectors, table
from lethe.matcher.decision.trees import Floats, Trees, odds
from lethe.matcher.evidence.asking import asking
from lethe.matcher.evidence.identifiers import plain
from lethe.matcher.evidence.reading import Token
from lethe.matcher.training.decisions import Decision, decisions, shown
from lethe.matcher.training.fit import fit
from lethe.matcher.training.near_misses import near_miss

FOLDS = 3
"""Parts of the batches; the probabilities that the surety is learned from come from trees that have not seen a part."""
_COUNTS = {"stored": 1.0, "absent": 1.0, "removed": 0.7, "near": 0.5}
"""How much a decision of each kind counts."""
MASKED = 0.3
"""How much a decision seen without one kind of evidence counts."""
SURETY = {"max_iter": 80, "max_leaf_nodes": 6, "min_samples_leaf": 30}


@dataclass(frozen=True, eq=False)
class Example:
    """A decision as the matcher sees it.

    Attributes:
        batch: the author or batch of the case.
        case: id of the case.
        kind: "stored", "removed" (the memories that are meant are not shown), "near" or "absent".
        view: the mutation with its evidence.
        labels: whether each memory is meant.
        is_whole: those that are meant are meant whole.
        weight: how much it counts.
    """

    batch: str
    case: str
    kind: str
    view: View
    labels: Floats
    is_whole: bool
    weight: float

    @property
    def offs(self) -> tuple[tuple[frozenset[str], float], ...]:
        """Which kinds of evidence are left out, and how much that counts: none; where the target is stored, one too."""
        if self.kind != "stored":
            return ((frozenset(), self.weight),)
        at = zlib.crc32(f"{self.case} {self.view.mutation.query}".encode()) % len(EVIDENCE_KINDS)
        return (frozenset(), self.weight), (frozenset([EVIDENCE_KINDS[at]]), self.weight * MASKED)


def examples(batches: Iterable[tuple[str, float, list[Case]]], embed: Vectors) -> Iterator[Example]:
    """The decisions of all batches, as `material.batches` yields them.

    Each is seen as it is, without the memories that are meant, and with a request that nearly fits.
    """
    for name, weight, cases in batches:
        found = [decision for case in cases for decision in decisions(case)]
        pool = [word for decision in found for word in asking(plain(decision.query)).words if word.says]
        for decision in found:
            yield from _seen(name, decision, pool, embed, weight)


def _seen(batch: str, decision: Decision, pool: Sequence[Token], embed: Vectors, weight: float) -> Iterator[Example]:
    vectors = embed([decision.query, *decision.memories])
    order = shown(decision, [float(value) for value in vectors[1:] @ vectors[0]])
    yield _example(batch, "stored" if decision.meant else "absent", decision, order, embed, weight)
    left = [at for at in order if at not in decision.meant]
    if decision.meant and left:
        yield _example(batch, "removed", decision, left, embed, weight)
    near = near_miss(decision, pool) if decision.meant else None
    if near:
        yield _example(batch, "near", near, order, embed, weight)


def _example(batch: str, kind: str, decision: Decision, order: Sequence[int], embed: Vectors, weight: float) -> Example:
    labels = np.array([float(at in decision.meant) for at in order])
    view = View.of(decision.showing(order), embed)
    return Example(
        batch, decision.case, kind, view, labels, not decision.kept.keys() & decision.meant, weight * _COUNTS[kind]
    )


def learned(found: Sequence[Example], without: Collection[str] = ()) -> dict[str, Any]:
    """The weights of all decisions as JSON, learned without some batches."""
    left = [one for one in found if one.batch not in without]
    seen = [choice for trees, part in _folds(left) for one in part for choice in choices(one, trees)]
    return _scorers(left) | {
        "sure": _surety([choice for choice in seen if choice.chosen.any()], lambda choice: choice.is_right),
        "absent": _surety(seen, lambda choice: not choice.of.labels.any()),
    }


def _scorers(found: Sequence[Example]) -> dict[str, Any]:
    """The trees that say which memories are meant, each seen alone."""
    scorers = {}
    found = [one for one in found if one.kind != "near"]
    for name, is_fact in (("asked", False), ("superseded", True)):
        own = [one for one in found if (one.view.fact is not None) == is_fact]
        rows = np.vstack([one.view.rows(off) for one in own for off, _ in one.offs])
        labels = np.concatenate([one.labels for one in own for _ in one.offs])
        weights = np.concatenate([np.full(len(one.labels), weight) for one in own for _, weight in one.offs])
        scorers[name] = fit(own[0].view.names, rows, labels, weights)
    return scorers


def _folds(found: Sequence[Example]) -> Iterator[tuple[dict[str, Trees], list[Example]]]:
    """Parts of the examples, each with trees that have not seen its batches."""
    fold_of = {batch: place % FOLDS for place, batch in enumerate(sorted({one.batch for one in found}))}
    for fold in sorted(set(fold_of.values())):
        others = [one for one in found if fold_of[one.batch] != fold]
        trees = {name: Trees.from_json(read) for name, read in _scorers(others).items()}
        yield trees, [one for one in found if fold_of[one.batch] == fold]


@dataclass(frozen=True, eq=False)
class Choice:
    """What trees that have not seen an example choose of it.

    Attributes:
        of: the example.
        chosen: which of its memories.
        beside: the evidence on how sure that is, by name.
        off: kinds of evidence left out.
        weight: how much it counts.
    """

    of: Example
    chosen: NDArray[np.bool_]
    beside: Columns
    off: frozenset[str]
    weight: float

    @property
    def is_right(self) -> bool:
        """Whether exactly the chosen memories are meant, and whole."""
        return self.of.is_whole and bool(np.array_equal(self.chosen, self.of.labels > 0))


def choices(one: Example, trees: Mapping[str, Trees]) -> Iterator[Choice]:
    """What is chosen of an example: with all evidence first, then as `Example.offs` says."""
    for off, weight in one.offs:
        likely = odds(trees["asked" if one.view.fact is None else "superseded"].scores(one.view.rows(off)))
        chosen = one.view.chosen(likely)
        yield Choice(one, chosen, one.view.beside(likely, chosen), off, weight)


def surety_rows(seen: Sequence[Choice]) -> Floats:
    """Choices × columns that tell how sure they are."""
    return np.vstack([table(choice.beside, choice.off) for choice in seen])


def _surety(seen: Sequence[Choice], is_so: Callable[[Choice], bool]) -> dict[str, Any]:
    labels = np.array([float(is_so(choice)) for choice in seen])
    return fit(
        sorted(seen[0].beside), surety_rows(seen), labels, np.array([choice.weight for choice in seen]), **SURETY
    )
