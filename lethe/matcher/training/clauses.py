"""Decisions on clauses, labelled by what written cases keep of a memory."""

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from forgeteval.planners.protocol import Supersession
from lethe.matcher.decision.kinds import table
from lethe.matcher.decision.meant import Vectors
from lethe.matcher.decision.outdated import clause_columns
from lethe.matcher.decision.trees import Floats
from lethe.matcher.evidence.clauses import clauses
from lethe.matcher.evidence.reading import read
from lethe.matcher.evidence.text.words import clean
from lethe.matcher.training.decisions import MASKED, Decision, hidden
from lethe.matcher.training.fit import fit

_STAYS = 0.6
"""Share of its words from which a clause counts as kept."""
SETTINGS = {"max_iter": 120, "max_leaf_nodes": 8, "min_samples_leaf": 15, "learning_rate": 0.06}


@dataclass(frozen=True, eq=False)
class Cut:
    """A memory of several clauses in a decision.

    Attributes:
        batch: the author or batch of the case.
        decision, memory: the decision, and the position of the memory.
        columns, rows: names of the columns, and clauses × columns.
        labels: whether each clause goes; NaN where this cannot be told.
        weight: how much each clause counts.
    """

    batch: str
    decision: Decision
    memory: int
    columns: tuple[str, ...]
    rows: Floats
    labels: Floats
    weight: float


def cuts(batch: str, decisions: Iterable[Decision], embed: Vectors, weight: float) -> Iterator[Cut]:
    """The memories of several clauses that decisions are about."""
    for decision in decisions:
        written = decision.written_for
        for at in sorted(decision.meant):
            memory = clean(decision.memories[at])
            said = [piece.text for piece in clauses(memory)]
            if len(said) < 2 or (decision.operation == "supersede" and len(decision.meant) > 1):
                continue
            vectors = embed([decision.query, decision.new_fact or decision.query, *said])
            before = _before(decision, at) if written[at] else None
            columns = clause_columns(memory, decision.query, decision.new_fact, before, vectors)
            labels = gone(said, decision.kept.get(at, ""), decision.new_fact)
            for off, much in ((frozenset[str](), 1.0), (hidden(decision), MASKED)):
                yield Cut(batch, decision, at, tuple(sorted(columns)), table(columns, off), labels, weight * much)


def _before(decision: Decision, at: int) -> Supersession:
    """The supersession that wrote a memory; its new fact as far as the text tells: the first sentence."""
    return Supersession(decision.written_for[at].split("\n")[0], decision.memories[at].split(". ")[0])


def gone(said: Sequence[str], rest: str, new_fact: str) -> Floats:
    """1 for each clause whose words are not in what stays of the memory, NaN where the new fact has them all."""
    words = [[token.key for token in read(text)] for text in said]
    every = [word for own in words for word in own]
    matcher = difflib.SequenceMatcher(None, every, [token.key for token in read(rest)], autojunk=False)
    kept = {at for block in matcher.get_matching_blocks() for at in range(block.a, block.a + block.size)}
    fact = {token.key for token in read(new_fact)}
    labels, start = [], 0
    for text, own in zip(said, words, strict=True):
        telling = [start + place for place, token in enumerate(read(text)) if token.says and token.key not in fact]
        share = sum(at in kept for at in telling) / len(telling) if telling else np.nan
        labels.append(float(share < _STAYS) if telling else (np.nan if rest else 1.0))
        start += len(own)
    return np.array(labels)


def learned_clauses(found: Sequence[Cut]) -> dict[str, Any]:
    """The weights for which clauses go, as JSON."""
    rows, labels = np.vstack([one.rows for one in found]), np.concatenate([one.labels for one in found])
    weights = np.concatenate([np.full(len(one.labels), one.weight) for one in found])
    told = ~np.isnan(labels)
    return fit(found[0].columns, rows[told], labels[told], weights[told], **SETTINGS)
