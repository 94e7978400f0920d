"""Which clauses of a memory no longer hold, or are meant by a request, and what stays of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from forgeteval.planners.protocol import Supersession
from lethe.matcher.decision.evidence_columns import columns, plain
from lethe.matcher.decision.kinds import Columns, table
from lethe.matcher.decision.meant import Vectors
from lethe.matcher.decision.trees import Floats, odds
from lethe.matcher.decision.weights import Weights
from lethe.matcher.evidence.clauses import KINDS, Clause, clauses, staying
from lethe.matcher.evidence.identity.identifier_finders import find
from lethe.matcher.evidence.reading import Token, read
from lethe.matcher.evidence.standing import stands_in
from lethe.matcher.evidence.text.syntax import starts_with_verb, subject, verb_of, verb_position
from lethe.matcher.evidence.text.words import clean
from lethe.matcher.evidence.times import times

_NONE = np.nan


@dataclass(frozen=True)
class Left:
    """What becomes of a memory.

    Attributes:
        kept: the text that stays; "" where nothing does.
        why: what goes, and the evidence for and against it.
    """

    kept: str
    why: str


def outdated(
    memory: str,
    query: str,
    new_fact: str,
    before: Supersession | None,
    embed: Vectors | None,
    weights: Weights,
    off: frozenset[str] = frozenset(),
) -> Left:
    """What stays of a memory that is superseded, or, where `new_fact` is empty, purged or released.

    Args:
        before: the supersession that wrote the memory; None where it was stored as it is.
        off: kinds of evidence left out.
    """
    text = clean(memory)
    pieces = clauses(text)
    if len(pieces) < 2:
        return Left("", "it makes one statement")
    said = [piece.text for piece in pieces]
    vectors = None if embed is None else embed([query, new_fact or query, *said])
    rows = table(clause_columns(text, query, new_fact, before, vectors), off)
    going = odds(weights.outdated.scores(rows))
    out = chosen(going)
    first = int(going.argmax())
    why = f"{said[first]!r} goes, {going[first]:.0%}: {weights.outdated.explain(rows[first])}"
    if len(out) == len(pieces):
        return Left("", f"all of it goes; {why}")
    last = min((at for at in range(len(pieces)) if at not in out), key=lambda at: going[at])
    why += f"; {said[last]!r} stays, {1 - going[last]:.0%}: {weights.outdated.explain(rows[last])}"
    return Left(staying(text, out), why)


def statements(memory: str) -> list[str]:
    """The clauses of a memory that makes more than one statement, which are compared with a request; otherwise none."""
    said = [piece.text for piece in clauses(clean(memory))]
    return said if len(said) > 1 else []


def chosen(going: Floats) -> set[int]:
    """The clauses that go, of the probabilities that they do; all of them where none is likely to."""
    out = {int(at) for at in np.flatnonzero(going >= 0.5)}
    return out or set(range(len(going)))


def clause_columns(
    memory: str, query: str, new_fact: str, before: Supersession | None, vectors: Floats | None
) -> Columns:
    """The evidence on which clauses go.

    Args:
        memory: clean.
        before: the supersession that wrote it.
        vectors: of query, new fact, and clauses.
    """
    pieces = clauses(memory)
    said = [piece.text for piece in pieces]
    similar = [None, None] if vectors is None else [list(map(float, vectors[2:] @ vectors[text])) for text in (0, 1)]
    of_query = columns(query, said, similar[0])
    of_fact = columns(new_fact or query, said, similar[1] if new_fact else None)
    hidden = {name: [_NONE] * len(said) for name in of_fact}
    return {
        **of_query,
        **{f"fact {name}": values for name, values in (of_fact if new_fact else hidden).items()},
        **_of_form(memory, pieces, new_fact),
        **_of_coverage(said, query, new_fact, before),
    }


def _of_form(memory: str, pieces: Sequence[Clause], new_fact: str) -> Columns:
    """Where each clause stands, how it is joined, and whether it has a verb, a subject and values of its own."""
    about, kinds = subject(memory), [_values(piece.text) for piece in pieces]
    of_fact = _values(new_fact)
    verb = verb_of(new_fact) if new_fact else ""
    after = [*(KINDS.index(piece.kind) for piece in pieces[1:]), -1]
    numbers = [any(token.is_number for token in read(piece.text)) for piece in pieces]
    return {
        "clause place": range(len(pieces)),
        "clause last": [at == len(pieces) - 1 for at in range(len(pieces))],
        "clause count": [len(pieces)] * len(pieces),
        "clause joined": [KINDS.index(piece.kind) for piece in pieces],
        "clause followed": after,
        "clause verb": [verb_position(piece.text) is not None for piece in pieces],
        "clause opens with verb": [starts_with_verb(piece.text) for piece in pieces],
        "clause subject": [bool(about) and piece.text.startswith(about) for piece in pieces],
        "clause same verb": [bool(verb) and verb_of(piece.text) == verb for piece in pieces],
        "clause values": [len(own & of_fact) for own in kinds],
        "clause other values": [len(own - of_fact) for own in kinds],
        "clause number": numbers,
        "clause fact number": [any(token.is_number for token in read(new_fact))] * len(pieces),
    }


def _values(text: str) -> set[str]:
    """The kinds of identifiers and times in a text."""
    return {one.kind for one in find(text)} | set(times(text))


def _of_coverage(said: Sequence[str], query: str, new_fact: str, before: Supersession | None) -> Columns:
    """How much of each clause stands in query, new fact, the other clauses, and in what was written for this query."""
    texts = [read(plain(text)) for text in said]
    asked, fact = read(plain(query)), read(plain(new_fact))
    asked_before, wrote = (read(plain(text)) for text in ((before.query, before.new_fact) if before else ("", "")))
    known = [*asked, *fact]
    repeats = _share(asked, asked_before) if asked_before else 0.0
    return {
        "clause in query": [_share(text, asked) for text in texts],
        "clause in fact": [_share(text, fact) for text in texts],
        "clause new": [sum(token.says and not stands_in(token, known)[0].holds for token in text) for text in texts],
        "clause names": [
            sum(token.is_name and not stands_in(token, known)[0].holds for token in text) for text in texts
        ],
        "asked repeated": [repeats] * len(texts),
        "asked words": [_share(text, wrote) if wrote else _NONE for text in texts],
    }


def _share(text: Sequence[Token], other: Sequence[Token]) -> float:
    """The share of a text's words that another one has."""
    said = [token for token in text if token.says]
    return sum(stands_in(token, other)[0].holds for token in said) / len(said) if said else _NONE
