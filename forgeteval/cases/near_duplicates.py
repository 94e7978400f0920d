"""Pairs of cases that are too similar (paper, section "Adversarial layer": the suite must not be one case retold).

Three measures, each a similarity of two cases from 0 to 1:

- `meaning`, by embedding: every memory (setup fact or new text) of one case is paired with the closest memory of the
  other; the measure is the mean cosine of these pairs, both ways. The cosine of the cases' mean vectors does not
  separate: it follows the topic, so that two different library cases (0.70) score above one renamed copy in nine.
- `row`, by embedding: the largest cosine of a memory of one case and a memory of the other. It finds a single copied
  sentence in cases that otherwise have nothing in common, which no mean can show.
- `shape`, by words: names, numbers, quotations and identifiers are masked, and the sets of masked word trigrams of the
  facts, mutations and final query are compared (Jaccard). It finds a case retold with other names, whatever these
  names do to the vectors.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from forgeteval.cases.case import Case
from forgeteval.errors import UserError

Vectors = NDArray[np.float32]
Similarities = NDArray[np.float32]
Measure = Literal["meaning", "row", "shape"]
MEASURES: tuple[Measure, ...] = get_args(Measure)

THRESHOLDS: Mapping[Measure, float] = MappingProxyType({"meaning": 0.55, "row": 0.80, "shape": 0.12})
"""Similarities at which two cases are too similar, measured on the 385 authored cases with all-MiniLM-L6-v2:

- meaning: the closest pair (two libraries with opening hours, different attacks) has 0.45; 87 copies of authored cases
  with new names and numbers lie between 0.60 and 0.99. 0.55 lies in the gap.
- row: three pairs of background facts said nearly the same (0.96, 0.92, 0.85); from 0.78 downwards the facts only share
  a subject ("robes are cleaned in the last week of term", "robes are dry-cleaned before Advent").
- shape: the closest pair shares 0.07 of its trigrams; a renamed copy shares all of them, and 19 in 20 of the cases made
  with half the facts of another lie above 0.13 (median 0.22). 0.12 is nearly twice the former and below the latter.
"""

_GRAM = 3
_CASES_AT_ONCE = 64
_MASK = "_"
_TOKEN = re.compile(r'"[^"]*"|“[^”]*”|\S+')
_EDGES = ".,;:!?()[]{}'’‘"
_CODE = frozenset("@/\\_#=:.<>")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two cases in the order of the suite, and their similarity by one measure."""

    measure: Measure
    first: str
    second: str
    similarity: float


@dataclass(frozen=True, slots=True)
class NearDuplicates:
    """The `pairs` at or above the thresholds, by measure, most similar first; `closest` has each measure's top pair."""

    pairs: tuple[Pair, ...]
    closest: tuple[Pair, ...]


def near_duplicates(
    cases: Sequence[Case], vectors: Mapping[str, Vectors], thresholds: Mapping[Measure, float] = THRESHOLDS
) -> NearDuplicates:
    """Compare all pairs of cases, in under 1 s for 385 cases and 4 s for 1385 (two cores).

    Args:
        vectors: unit vector, shape (dim,), of every setup fact and new text.
        thresholds: similarity (0 to 1) for each of the three measures.

    Raises:
        UserError: if a memory of a case has no vector.
    """
    if len(cases) < 2:
        return NearDuplicates((), ())
    meaning, largest = _embedding_similarities(cases, vectors)
    by_measure: dict[Measure, Similarities] = {"meaning": meaning, "row": largest, "shape": _shape_similarities(cases)}
    found: list[Pair] = []
    closest: list[Pair] = []
    for measure, similarities in by_measure.items():
        ranked = _ranked(cases, measure, similarities, thresholds[measure])
        closest.append(next(ranked))
        found.extend(pair for pair in (closest[-1], *ranked) if pair.similarity >= thresholds[measure])
    return NearDuplicates(tuple(found), tuple(closest))


def closest_memories(first: Case, second: Case, vectors: Mapping[str, Vectors]) -> tuple[str, str]:
    """The memory of each case that gives the measure `row` its value."""
    cosines = _memory_vectors(first, vectors) @ _memory_vectors(second, vectors).T
    here, there = np.unravel_index(int(cosines.argmax()), cosines.shape)
    return _memories(first)[here], _memories(second)[there]


def masked(text: str) -> list[str]:
    """The words of a text, with one placeholder for each run of names, numbers, quotations and identifiers."""
    words: list[str] = []
    for token in _TOKEN.findall(text):
        word = token.strip(_EDGES)
        if not word:
            continue
        # In a script without capitals nothing is lower case, so names are masked there too.
        plain = word.islower() and not any(c.isdigit() or c in _CODE for c in word) and token[0] not in '"“'
        if plain or words[-1:] != [_MASK]:
            words.append(word if plain else _MASK)
    return words


def _memories(case: Case) -> list[str]:
    return [*case.setup_facts, *(m.text for m in case.mutations if m.text is not None)]


def _embedding_similarities(cases: Sequence[Case], vectors: Mapping[str, Vectors]) -> tuple[Similarities, Similarities]:
    """The measures `meaning` and `row` of all pairs, each of shape (n, n)."""
    blocks = [_memory_vectors(case, vectors) for case in cases]
    everything = np.concatenate(blocks)
    sizes = np.array([len(block) for block in blocks])
    starts = np.cumsum(sizes) - sizes
    one_way = np.empty((len(cases), len(cases)), dtype=np.float32)
    largest = np.empty_like(one_way)
    for begin in range(0, len(cases), _CASES_AT_ONCE):
        part = slice(begin, begin + _CASES_AT_ONCE)
        cosines = everything @ np.concatenate(blocks[part]).T
        closest = np.maximum.reduceat(cosines, starts, axis=0)  # (n, memories of this part)
        own = starts[part] - starts[begin]
        one_way[:, part] = np.add.reduceat(closest, own, axis=1) / sizes[part]
        largest[:, part] = np.maximum.reduceat(closest, own, axis=1)
    meaning: Similarities = (one_way + one_way.T) / np.float32(2)
    return meaning, largest


def _memory_vectors(case: Case, vectors: Mapping[str, Vectors]) -> Vectors:
    try:
        return np.stack([vectors[text] for text in _memories(case)])
    except KeyError as error:
        raise UserError(
            f"case {case.case_id}: no vector for {error.args[0]!r}; embed the suite again after editing its cases"
        ) from error


def _shape_similarities(cases: Sequence[Case]) -> Similarities:
    """The measure `shape` of all pairs, shape (n, n)."""
    grams = [_grams(case) for case in cases]
    owners: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for position, own in enumerate(grams):
        for gram in own:
            owners[gram].append(position)
    shared: Similarities = np.zeros((len(cases), len(cases)), dtype=np.float32)
    for positions in owners.values():
        if len(positions) > 1:
            shared[np.ix_(positions, positions)] += 1
    sizes = np.array([len(own) for own in grams], dtype=np.float32)
    union = sizes[:, None] + sizes[None, :] - shared
    np.divide(shared, union, out=shared, where=union > 0)
    return shared


def _grams(case: Case) -> set[tuple[str, ...]]:
    texts = [*_memories(case), *(m.query for m in case.mutations), case.final_query]
    words = [masked(text) for text in texts]
    return {tuple(line[at : at + _GRAM]) for line in words for at in range(len(line) - _GRAM + 1)}


def _ranked(cases: Sequence[Case], measure: Measure, similarities: Similarities, threshold: float) -> Iterator[Pair]:
    """The pairs from the most similar down to the threshold, at least the most similar one."""
    first, second = np.triu_indices(len(cases), 1)
    values = np.clip(similarities[first, second], 0.0, 1.0)
    floor = min(threshold, float(values.max()))
    chosen = np.flatnonzero(values >= floor)
    for at in chosen[np.argsort(-values[chosen], kind="stable")]:
        yield Pair(measure, cases[first[at]].case_id, cases[second[at]].case_id, float(values[at]))
