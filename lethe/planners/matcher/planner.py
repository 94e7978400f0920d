"""`Matcher`: a Planner whose decisions are a pure function of what it is shown (docs/matcher.md)."""

import gc
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lethe.errors import LetheError
from lethe.planners.matcher import EVIDENCE_KINDS
from lethe.planners.matcher.choice.scoring import WEIGHTS, features, score
from lethe.planners.matcher.clauses.merging import merge
from lethe.planners.matcher.clauses.repeated_question import merge_again
from lethe.planners.matcher.evidence.restatement import restates
from lethe.planners.matcher.identity.identifier_finders import load_tables
from lethe.planners.matcher.names.readable import as_asked, readably
from lethe.planners.matcher.scope.dated import of_its_state, of_its_time
from lethe.planners.matcher.scope.matching import match
from lethe.planners.matcher.text.scripts import load_dictionaries, script
from lethe.planners.matcher.text.similarity import Similarity
from lethe.planners.matcher.text.words import clean
from lethe.planners.protocol import Choice, Edit, Matches, Replace, Unsure

if TYPE_CHECKING:
    from lethe.embedding.embedder import Embedder

_LEAST_SIMILAR = 0.35
"""Least similarity by which a memory that shares no word with query and new fact may be meant."""


class Matcher:
    """A Planner without a chat model: no network, no clock, no random numbers, no model except the embedder.

    Args:
        embedder: gives the similarity of whole memories; without it, shared words alone decide.
        off: EVIDENCE_KINDS that are left out, for the ablation.

    Raises:
        LetheError: from the constructor, for an unknown kind of evidence.
    """

    def __init__(self, embedder: "Embedder | None" = None, off: frozenset[str] = frozenset()) -> None:
        unknown = sorted(off - set(EVIDENCE_KINDS))
        if unknown:
            raise LetheError(f"matcher: no kind of evidence {unknown[0]!r}; known: {', '.join(EVIDENCE_KINDS)}")
        self._embedder, self._off = embedder, off

    def load(self) -> None:
        """Load the dictionaries and the embedding model now, not with the first text that needs one."""
        load_dictionaries()
        load_tables()
        if self._embedder is not None:
            self._embedder.embed(["load"])
        gc.collect()
        gc.freeze()  # what has been loaded stays; the collector need not look through it during each case

    def choose(
        self, query: str, new_fact: str, candidates: Sequence[str], written_for: Sequence[str] = ()
    ) -> Choice | Unsure:
        """The candidate that `new_fact` supersedes; the first where the evidence `choice` is left out.

        A candidate that says the new fact already is superseded only if no other one has to do with the query.
        """
        if "choice" in self._off or len(candidates) == 1:
            return Choice(0, "the best match")
        repeated = [position for position, memory in enumerate(candidates) if restates(memory, new_fact)]
        others = [position for position in range(len(candidates)) if position not in repeated]
        if not repeated or not others:
            return self._choose(query, new_fact, candidates, written_for)
        written = [written_for[position] for position in others] if written_for else ()
        chosen = self._choose(query, new_fact, [candidates[position] for position in others], written)
        if isinstance(chosen, Unsure):
            return Choice(repeated[0], "choice: says the new fact already", tuple(repeated[1:]))
        return Choice(others[chosen.index], chosen.reason, tuple(repeated))

    def _choose(
        self, query: str, new_fact: str, candidates: Sequence[str], written_for: Sequence[str]
    ) -> Choice | Unsure:
        identity = "identity" not in self._off
        if script(new_fact) != "latin":
            new_fact = as_asked(clean(query), [clean(new_fact), *map(clean, candidates)])[0]
        values = features(query, new_fact, candidates, self._similarity(), written_for, identity=identity)
        scored = [score(features_of_one) for features_of_one in values]
        best = max(range(len(scored)), key=scored.__getitem__)
        telling = dict(zip(WEIGHTS, values[best], strict=True))
        shared = telling["query words"] + telling["fact words"] + telling["written for"]
        if not shared and telling["query similarity"] < _LEAST_SIMILAR:
            return Unsure(f"choice: no memory has much to do with {query!r} (best {scored[best]:.2f})")
        return Choice(best, f"choice: score {scored[best]:.2f}")

    def supersede(
        self, memory: str, query: str, new_fact: str, written: Sequence[str] | None = None
    ) -> Replace | Edit | Unsure | None:
        """Edit the memory where only a part of it is outdated, otherwise replace it."""
        if "clauses" in self._off:
            return Replace("clauses: switched off")
        again = merge_again(memory, query, new_fact, written, self._similarity()) if written else None
        in_words_asked, native = readably(clean(query), clean(memory))
        merged = again or merge(in_words_asked if native else memory, query, new_fact, self._similarity())
        if isinstance(merged, str):
            return Replace(f"clauses: {merged}")
        kept = merged.kept
        for shown, original in native.items():
            kept = kept.replace(shown, original)
        text = merged.text.removesuffix(merged.kept) + kept
        return Edit(text, f"clauses: out went {merged.gone!r}, {kept!r} stays")

    def purge_match(self, target: str, candidates: Sequence[str]) -> Matches | Unsure | None:
        """The memories about `target`: by identifier, name, or topic, in this order."""
        return self._matches(target, candidates, purge=True)

    def release_match(self, target: str, candidates: Sequence[str]) -> Matches | Unsure | None:
        """The memories that `target` describes, as wide as it asks."""
        return self._matches(target, candidates, purge=False)

    def _matches(self, target: str, candidates: Sequence[str], *, purge: bool) -> Matches | Unsure:
        """The memories that `target` means.

        Where it names a time that tells memories apart, they are among those of that time.
        """
        if "scope" in self._off:
            return match(target, candidates, self._similarity(), self._off, purge=purge)
        rest, positions, others = of_its_time(target, candidates) or ("", [], set())
        if rest:
            memories = [candidates[position] for position in positions]
            found = match(rest, memories, self._similarity(), self._off, purge=purge)
            if isinstance(found, Matches):
                return Matches(
                    tuple(positions[index] for index in found.indices),
                    f"{found.reason}; of the time asked for",
                    tuple((positions[index], text) for index, text in found.edits),
                )
        found = match(target, candidates, self._similarity(), self._off, purge=purge)
        if not isinstance(found, Matches):
            return Matches(tuple(positions), "all of the time asked for") if positions and not rest else found
        left = [index for index in found.indices if index not in others]
        if not left and positions and found.indices and (similarity := self._similarity()):
            similar = similarity(target, [candidates[position] for position in positions])
            return Matches((positions[similar.index(max(similar))],), "the most similar of the time asked for")
        left = left or list(found.indices)
        left = of_its_state(target, candidates, left)
        if len(left) == len(found.indices):
            return found
        return Matches(tuple(left), f"{found.reason}; of the time or state asked for", found.edits)

    def _similarity(self) -> Similarity | None:
        embedder = self._embedder
        if embedder is None:
            return None

        def similarity(text: str, others: Sequence[str]) -> list[float]:
            vectors = embedder.embed([text, *others])
            return [float(value) for value in vectors[1:] @ vectors[0]]

        return similarity
