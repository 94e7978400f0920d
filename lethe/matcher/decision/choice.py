"""What a mutation may mean: a set of memories, and the evidence on whether exactly these are meant, or nothing."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lethe.matcher.decision.columns import (
    Columns,
    Stood,
    Vectors,
    columns,
    is_alike,
    is_name,
    of_history,
    stood,
    table,
)
from lethe.matcher.decision.trees import Floats
from lethe.matcher.evidence.identifiers import Match

Operation = Literal["supersede", "release", "purge"]
_MEANT = 0.5
"""Probability from which a memory belongs to the set that may be meant."""
_ENDS = ".;!?\n|。"
"""Signs that end a statement."""


@dataclass(frozen=True)
class Mutation:
    """What is asked.

    Attributes:
        operation: of the mutation.
        query: of the mutation.
        new_fact: "" unless something is superseded.
        memories: those that are shown.
        written_for: for each of them, the queries of the supersessions that led to it, one on each line.
    """

    operation: Operation
    query: str
    new_fact: str
    memories: tuple[str, ...]
    written_for: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class View:
    """A mutation with its evidence.

    Attributes:
        mutation: what is asked.
        query: how the words of the query stand in the memories.
        fact: the same of the new fact; None where there is none.
        evidence: memories × columns by name.
    """

    mutation: Mutation
    query: Stood
    fact: Stood | None
    evidence: Columns

    @classmethod
    def of(cls, mutation: Mutation, embed: Vectors | None) -> "View":
        """Read a mutation; without `embed`, texts are not compared by meaning."""
        query, fact, memories = mutation.query, mutation.new_fact, mutation.memories
        of_query = stood(query, memories)
        vectors = None if embed is None else embed([query, *memories])
        found = dict(columns(of_query, query, memories, vectors))
        if mutation.operation != "supersede":
            found["purge"] = [mutation.operation == "purge"] * len(memories)
            return cls(mutation, of_query, None, found)
        of_fact = stood(fact, memories)
        if vectors is not None and embed is not None:
            vectors = np.vstack([embed([fact]), vectors[1:]])
        found |= {f"fact {name}": values for name, values in columns(of_fact, fact, memories, vectors).items()}
        return cls(mutation, of_query, of_fact, found | dict(of_history(query, mutation.written_for)))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of `rows`."""
        return tuple(sorted(self.evidence))

    def rows(self, off: frozenset[str] = frozenset()) -> Floats:
        """Memories × columns, without some kinds of evidence."""
        return table(self.evidence, off)

    def chosen(self, likely: Floats) -> NDArray[np.bool_]:
        """The memories that are likely meant; of a new fact, the likeliest alone. A look-alike of a code never is."""
        among = np.where(is_alike(self.query), 0.0, likely)
        if self.fact is None:
            return among >= _MEANT
        best: NDArray[np.bool_] = (among >= _MEANT) & (np.arange(len(among)) == among.argmax())
        return best

    def beside(self, likely: Floats, chosen: NDArray[np.bool_]) -> Columns:
        """The evidence on whether exactly the chosen memories are meant, or nothing: each column has a single value."""
        best = chosen if chosen.any() else np.arange(len(likely)) == likely.argmax()
        bounded = np.clip(likely, 1e-5, 1 - 1e-5)
        scores = np.log(bounded / (1 - bounded))
        covered = _covered(self.query, best)
        of_fact = _covered(self.fact, best) if self.fact else dict.fromkeys(covered, np.nan)
        single = {
            "set": float(np.log(np.where(chosen, bounded, 1 - bounded)).sum()),
            "set least": scores[best].min(),
            "set other": scores[~best].max(initial=-7.0),
            "set size": int(chosen.sum()),
            "set sum": likely.sum(),
            "set operation": ("supersede", "release", "purge").index(self.mutation.operation),
            "words tied": _tied(self.query, best),
            "words rest": _rest(best, self.query, self.fact),
            "size statements": max(_statements(self.mutation.memories[at]) for at in np.flatnonzero(best)),
            "size wide": self.query.asked.is_wide,
            "meaning": np.max(self.evidence["meaning"]),
            "times fit": np.min(np.asarray(self.evidence["times fit"])[best]),
            **covered,
            **{f"fact {name}": value for name, value in of_fact.items()},
        }
        return {name: [value] for name, value in single.items()}


def _covered(one: Stood, best: NDArray[np.bool_]) -> dict[str, float]:
    """What of a text the likeliest memories lack, and what all memories lack."""
    held = one.held
    lacking, nowhere = ~held[best].any(axis=0), ~held.any(axis=0)
    named, numbered = one.are(is_name), one.are(lambda word: word.is_number)
    best_code = int(one.matches[best].min(initial=Match.ABSENT)) if one.codes else np.nan
    return {
        "size request": len(held[0]),
        "words lacking": float((one.weight * lacking).sum()),
        "words nowhere": int((nowhere & ~named & ~numbered).sum()),
        "words share": float(one.share[best].max()),
        "words head": float(one.worth[best, one.asked.head].max()),
        "names lacking": int((lacking & named).sum()),
        "names nowhere": int((nowhere & named).sum()),
        "names share": float((held[best].all(axis=0) & named).sum()),
        "codes lacking": int((lacking & numbered).sum()),
        "codes nowhere": int((nowhere & numbered).sum()),
        "codes best": best_code,
        "codes anywhere": int(one.matches.min()) if one.codes else np.nan,
    }


def _tied(one: Stood, best: NDArray[np.bool_]) -> int:
    """How many other memories share a name or number with the likeliest ones that the request does not say."""
    asked = {word.key for word in one.asked.words}
    told = [
        {token.key for token in row if token.says and (token.is_name or token.is_number)} - asked for row in one.rows
    ]
    own = set().union(*(words for words, is_in in zip(told, best, strict=True) if is_in))
    return sum(not own.isdisjoint(words) for words, is_in in zip(told, best, strict=True) if not is_in)


def _rest(best: NDArray[np.bool_], query: Stood, fact: Stood | None) -> float:
    """The largest share of a likely memory's words that neither query nor new fact has."""
    said = {word.key for one in (query, fact) if one for word in one.asked.words}
    likely = [[token.key for token in row if token.says] for row, is_in in zip(query.rows, best, strict=True) if is_in]
    return max(sum(word not in said for word in own) / max(1, len(own)) for own in likely)


def _statements(memory: str) -> int:
    """How many statements a memory may make: what signs, commas and "and" divide."""
    return 1 + sum(sign in _ENDS for sign in memory.rstrip(_ENDS + " ")) + memory.count(", ") + memory.count(" and ")
