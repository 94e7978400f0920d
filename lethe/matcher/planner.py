"""`Matcher`: a Planner that acts where it is sure, and says where it is not (docs/matcher.md)."""

import gc
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from forgeteval.errors import UserError
from forgeteval.planners.protocol import Candidate, Decision, Meant, Unsure
from lethe.matcher import EVIDENCE_KINDS
from lethe.matcher.decision.choice import Mutation, Operation, View
from lethe.matcher.decision.columns import table
from lethe.matcher.decision.trees import Floats, odds
from lethe.matcher.decision.weights import Weights, shipped
from lethe.matcher.evidence.restatement import restates
from lethe.matcher.evidence.scripts import load_dictionaries

if TYPE_CHECKING:
    from forgeteval.embed.embedder import Embedder

SURE = 0.7
"""Probability from which the matcher acts: chosen on authors left out (docs/matcher.md)."""
ABSENT = 0.95
"""Probability from which it leaves everything as it is, since nothing that is stored is meant: the least at which no
author left out passes fewer cases than the store alone."""


class Matcher:
    """A Planner without a chat model: no network, no clock, no random numbers, no model except the embedder.

        HookedAdapter(store, Matcher(embedder), unsure="ask")

    It acts on exactly the memories that it answers; leaves everything as it is where nothing that is stored is meant;
    otherwise it is `Unsure`, with those memories as candidates that it hesitates between.

    Args:
        embedder: gives the similarity of texts; without it, words alone decide.
        off: EVIDENCE_KINDS that are left out, for the ablation.
        weights: what training left; those that ship, unless given.
        sure, absent: probabilities from which it acts, and from which it leaves everything as it is.

    Raises:
        UserError: from the constructor, for an unknown kind of evidence.
    """

    def __init__(
        self,
        embedder: "Embedder | None" = None,
        off: frozenset[str] = frozenset(),
        weights: Weights | None = None,
        *,
        sure: float = SURE,
        absent: float = ABSENT,
    ) -> None:
        unknown = sorted(off - set(EVIDENCE_KINDS))
        if unknown:
            raise UserError(f"matcher: no kind of evidence {unknown[0]!r}; known: {', '.join(EVIDENCE_KINDS)}")
        self._off, self._weights = off, weights or shipped()
        self._sure, self._absent = sure, absent
        self._embedder = embedder
        self._embed = None if embedder is None or "meaning" in off else self._vectors

    def load(self) -> None:
        """Load the dictionaries and the embedding model now, not with the first text that needs one."""
        load_dictionaries()
        if self._embedder is not None:
            self._embedder.embed(["load"])
        self.supersede("loads", "it loads 1", [Candidate("the load"), Candidate("1 load")])
        gc.collect()
        gc.freeze()  # what has been loaded stays; the collector need not look through it during each case

    def supersede(self, query: str, new_fact: str, candidates: Sequence[Candidate]) -> Decision:
        """The candidate that `new_fact` takes the place of, whole.

        One that says the new fact already goes as well, since the fact is stored anew; alone, it is superseded.
        """
        duplicates = [at for at, memory in enumerate(candidates) if restates(memory.text, new_fact)]
        others = [at for at in range(len(candidates)) if at not in duplicates]
        if duplicates and not others:
            return Meant((duplicates[0],), reason="says the new fact already", duplicates=tuple(duplicates[1:]))
        wrote = [at for at in others if any(restates(past.query, query) for past in candidates[at].written[:1])]
        if len(wrote) == 1:
            return Meant((wrote[0],), reason="was written for this very query", duplicates=tuple(duplicates))
        decision = self._decided("supersede", query, new_fact, candidates, others)
        if not duplicates:
            return decision
        if isinstance(decision, Meant) and decision.whole:
            return Meant(decision.whole, reason=decision.reason, duplicates=tuple(duplicates))
        return Meant((duplicates[0],), reason="says the new fact already", duplicates=tuple(duplicates[1:]))

    def release(self, query: str, candidates: Sequence[Candidate]) -> Decision:
        """The memories that `query` describes."""
        return self._decided("release", query, "", candidates, range(len(candidates)))

    def purge(self, query: str, candidates: Sequence[Candidate]) -> Decision:
        """The memories that `query` means."""
        return self._decided("purge", query, "", candidates, range(len(candidates)))

    def _decided(
        self, operation: Operation, query: str, new_fact: str, candidates: Sequence[Candidate], among: Sequence[int]
    ) -> Decision:
        """A decision on some of the candidates, given by position."""
        if not among:
            return Meant(reason="no memory is shown")
        shown = [candidates[at] for at in among]
        written = tuple("\n".join(past.query for past in memory.written) for memory in shown)
        view = View.of(
            Mutation(operation, query, new_fact, tuple(memory.text for memory in shown), written), self._embed
        )
        weights = self._weights
        scorer = weights.superseded if operation == "supersede" else weights.asked
        rows = view.rows(self._off)
        likely = odds(scorer.scores(rows))
        chosen = view.chosen(likely)
        beside = table(view.beside(likely, chosen), self._off)
        sure, absent = (float(odds(trees.scores(beside))[0]) for trees in (weights.sure, weights.absent))
        if chosen.any() and sure >= self._sure:
            why = "; ".join(
                f"{at}: {scorer.explain(row)}" for at, row in zip(_of(among, chosen), rows[chosen], strict=True)
            )
            return Meant(_of(among, chosen), reason=f"{sure:.0%} sure: {weights.sure.explain(beside[0])}; {why}")
        if absent >= self._absent:
            return Meant(
                reason=f"nothing that is stored is meant, {absent:.0%} sure: {weights.absent.explain(beside[0])}"
            )
        nearest = chosen if chosen.any() else likely == likely.max()
        told = f"{sure:.0%} sure that exactly these are meant, {absent:.0%} that nothing is"
        return Unsure(f"{told}: {weights.sure.explain(beside[0])}", _of(among, nearest))

    def _vectors(self, texts: Sequence[str]) -> Floats:
        assert self._embedder is not None
        return self._embedder.embed(list(texts)).astype("float64")


def _of(among: Sequence[int], which: "np.typing.NDArray[np.bool_]") -> tuple[int, ...]:
    return tuple(at for at, is_in in zip(among, which, strict=True) if is_in)
