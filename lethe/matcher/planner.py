"""`Matcher`: a Planner whose decisions are a pure function of what it is shown (docs/matcher.md)."""

import gc
from collections.abc import Sequence
from typing import TYPE_CHECKING

from forgeteval.errors import UserError
from forgeteval.planners.protocol import Choice, Edit, Matches, Replace, Unsure
from lethe.matcher import EVIDENCE_KINDS
from lethe.matcher.decision.meant import meant
from lethe.matcher.decision.outdated import Left, outdated
from lethe.matcher.decision.superseded import superseded
from lethe.matcher.decision.trees import Floats
from lethe.matcher.decision.weights import Weights, shipped
from lethe.matcher.evidence.identity.identifier_finders import load_tables
from lethe.matcher.evidence.restatement import restates
from lethe.matcher.evidence.text.scripts import load_dictionaries

if TYPE_CHECKING:
    from forgeteval.embed.embedder import Embedder

_LEAST = 0.1
"""Probability below which not even the likeliest memory is superseded."""
_SURE = 0.5
"""The same where another memory says the new fact already."""


class Matcher:
    """A Planner without a chat model: no network, no clock, no random numbers, no model except the embedder.

    Args:
        embedder: gives the similarity of texts; without it, words alone decide.
        off: EVIDENCE_KINDS that are left out, for the ablation.
        weights: what training left; those that ship, unless given.

    Raises:
        UserError: from the constructor, for an unknown kind of evidence.
    """

    def __init__(
        self, embedder: "Embedder | None" = None, off: frozenset[str] = frozenset(), weights: Weights | None = None
    ) -> None:
        unknown = sorted(off - set(EVIDENCE_KINDS))
        if unknown:
            raise UserError(f"matcher: no kind of evidence {unknown[0]!r}; known: {', '.join(EVIDENCE_KINDS)}")
        self._off, self._weights = off, weights or shipped()
        self._embedder = embedder
        self._embed = None if embedder is None or "meaning" in off else self._vectors

    def load(self) -> None:
        """Load the dictionaries and the embedding model now, not with the first text that needs one."""
        load_dictionaries()
        load_tables()
        if self._embedder is not None:
            self._embedder.embed(["load"])
        self.choose("loads", "it loads 1", ["the load", "1 load"])
        gc.collect()
        gc.freeze()  # what has been loaded stays; the collector need not look through it during each case

    def choose(
        self, query: str, new_fact: str, candidates: Sequence[str], written_for: Sequence[str] = ()
    ) -> Choice | Unsure:
        """The candidate that `new_fact` supersedes.

        A candidate that says the new fact already is superseded only if no other one has to do with the query.
        """
        repeated = [position for position, memory in enumerate(candidates) if restates(memory, new_fact)]
        others = [position for position in range(len(candidates)) if position not in repeated]
        if not others:
            return Choice(repeated[0], "says the new fact already", tuple(repeated[1:]))
        memories = [candidates[position] for position in others]
        written = [written_for[position] for position in others] if written_for else []
        likely, rows = superseded(query, new_fact, memories, written, self._embed, self._weights, self._off)
        best = int(likely.argmax())
        why = f"{likely[best]:.0%}: {self._weights.superseded.explain(rows[best])}"
        if repeated and likely[best] < _SURE:
            return Choice(repeated[0], "says the new fact already", tuple(repeated[1:]))
        if likely[best] >= _LEAST:
            return Choice(others[best], why, tuple(repeated))
        return Unsure(f"no memory has much to do with {query!r} and the new fact: {why}")

    def supersede(
        self, memory: str, query: str, new_fact: str, written: Sequence[str] | None = None
    ) -> Replace | Edit | Unsure | None:
        """Edit the memory where only a part of it is outdated, otherwise replace it."""
        left = self._left(memory, query, new_fact, written or ())
        if not left.kept:
            return Replace(left.why)
        fact = new_fact.strip()
        return Edit(f"{fact if fact[-1:] in '.!?。！？' else fact + '.'} {left.kept}", left.why)

    def purge_match(self, target: str, candidates: Sequence[str]) -> Matches | Unsure | None:
        """The memories that `target` means."""
        return self._matches(target, candidates, purge=True)

    def release_match(self, target: str, candidates: Sequence[str]) -> Matches | Unsure | None:
        """The memories that `target` describes, as wide as it asks."""
        return self._matches(target, candidates, purge=False)

    def _matches(self, target: str, candidates: Sequence[str], *, purge: bool) -> Matches | Unsure:
        found = meant(target, candidates, self._embed, self._weights, self._off, purge=purge)
        best = int(found.final.argmax())
        if not found.chosen:
            return Unsure(f"no memory is likely meant; the best, {best}: {found.why(best, self._weights)}")
        whole, edits, why = [], [], []
        for at in found.chosen:
            left = self._left(candidates[at], target, "", ())
            why.append(f"{at}: {found.why(at, self._weights)}" + (f"; of it, {left.why}" if left.kept else ""))
            if left.kept:
                edits.append((at, left.kept))
            else:
                whole.append(at)
        return Matches(tuple(whole), "; ".join(why), tuple(edits))

    def _left(self, memory: str, query: str, new_fact: str, written: Sequence[str]) -> Left:
        if "clauses" in self._off:
            return Left("", "clauses are left out")
        return outdated(memory, query, new_fact, written, self._embed, self._weights, self._off)

    def _vectors(self, texts: Sequence[str]) -> Floats:
        assert self._embedder is not None
        return self._embedder.embed(list(texts)).astype("float64")
