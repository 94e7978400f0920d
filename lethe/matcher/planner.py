"""`Matcher`: a Planner whose decisions are a pure function of what it is shown (docs/matcher.md)."""

import gc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from forgeteval.errors import UserError
from forgeteval.planners.protocol import Candidate, Decision, Meant, Supersession, Unsure
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
        self.supersede("loads", "it loads 1", [Candidate("the load"), Candidate("1 load")])
        gc.collect()
        gc.freeze()  # what has been loaded stays; the collector need not look through it during each case

    def supersede(self, query: str, new_fact: str, candidates: Sequence[Candidate]) -> Decision:
        """The candidate that `new_fact` takes the place of: in part, with the new fact before what stays, or whole.

        A candidate that says the new fact already is superseded only if no other one has to do with the query.
        """
        chosen = self._superseded(query, new_fact, candidates)
        if isinstance(chosen, Unsure):
            return chosen
        memory = candidates[chosen.at]
        left = self._left(memory.text, query, new_fact, next(iter(memory.written), None))
        whole: tuple[int, ...] = (chosen.at,)
        parts: tuple[tuple[int, str], ...] = ()
        if left.kept:
            fact = new_fact.strip()
            merged = f"{fact if fact[-1:] in '.!?。！？' else fact + '.'} {left.kept}"
            whole, parts = (), ((chosen.at, merged),)
        return Meant(whole, parts, chosen.why, left.why, restated=bool(parts), duplicates=chosen.duplicates)

    def release(self, query: str, candidates: Sequence[Candidate]) -> Decision:
        """The memories that `query` describes, as wide as it asks."""
        return self._meant(query, candidates, purge=False)

    def purge(self, query: str, candidates: Sequence[Candidate]) -> Decision:
        """The memories that `query` means."""
        return self._meant(query, candidates, purge=True)

    def _superseded(self, query: str, new_fact: str, candidates: Sequence[Candidate]) -> "_Chosen | Unsure":
        duplicates = [at for at, memory in enumerate(candidates) if restates(memory.text, new_fact)]
        others = [at for at in range(len(candidates)) if at not in duplicates]
        if not others:
            return _of_duplicates(duplicates)
        memories = [candidates[at].text for at in others]
        written = ["\n".join(past.query for past in candidates[at].written) for at in others]
        likely, rows = superseded(query, new_fact, memories, written, self._embed, self._weights, self._off)
        best = int(likely.argmax())
        why = f"{likely[best]:.0%}: {self._weights.superseded.explain(rows[best])}"
        if duplicates and likely[best] < _SURE:
            return _of_duplicates(duplicates)
        if likely[best] >= _LEAST:
            return _Chosen(others[best], why, tuple(duplicates))
        return Unsure(f"no memory has much to do with {query!r} and the new fact: {why}", (others[best],))

    def _meant(self, query: str, candidates: Sequence[Candidate], *, purge: bool) -> Decision:
        memories = [memory.text for memory in candidates]
        found = meant(query, memories, self._embed, self._weights, self._off, purge=purge)
        best = int(found.final.argmax())
        if not found.chosen:
            return Unsure(f"no memory is likely meant; the best, {best}: {found.why(best, self._weights)}", (best,))
        whole, parts, why = [], [], []
        for at in found.chosen:
            left = self._left(memories[at], query, "", None)
            why.append(f"{at}: {found.why(at, self._weights)}" + (f"; of it, {left.why}" if left.kept else ""))
            if left.kept:
                parts.append((at, left.kept))
            else:
                whole.append(at)
        return Meant(tuple(whole), tuple(parts), "; ".join(why))

    def _left(self, memory: str, query: str, new_fact: str, before: Supersession | None) -> Left:
        if "clauses" in self._off:
            return Left("", "clauses are left out")
        return outdated(memory, query, new_fact, before, self._embed, self._weights, self._off)

    def _vectors(self, texts: Sequence[str]) -> Floats:
        assert self._embedder is not None
        return self._embedder.embed(list(texts)).astype("float64")


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The candidate that a new fact supersedes, by position, and those that say the new fact already."""

    at: int
    why: str
    duplicates: tuple[int, ...]


def _of_duplicates(duplicates: Sequence[int]) -> _Chosen:
    return _Chosen(duplicates[0], "says the new fact already", tuple(duplicates[1:]))
