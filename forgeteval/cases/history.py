"""The history: what is done to one store, and the questions asked of it on the way, in order."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Op = Literal["inscribe", "supersede", "release", "purge"]
Criterion = Literal["all", "any", "rows"]
"""When a question is passed: `all` required strings are recalled and no forbidden one, `any` required string is
recalled, or one of the gold `rows` is recalled early enough."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation on the store.

    Attributes:
        query: what a mutation is aimed at; None for inscribe.
        text: the memory that is inscribed, or that replaces another; None for release and purge.
        row_id: the data set's own name of that memory; None where nothing refers to it.
        owners: whose memory it is, or who asks for a mutation; nobody where the history knows of no owners.
    """

    op: Op
    query: str | None
    text: str | None
    row_id: str | None = None
    owners: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """One scalar of a question's released memory evidence, under its dotted key."""

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class Anchor:
    """What shows whether a memory is there.

    Attributes:
        text: the memory as it was stored, which is asked for directly.
        any_of: wordings of which any one, as whole words, shows that it is there.
    """

    text: str
    any_of: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A question asked of the store as it is at that point of the history.

    Attributes:
        part: what the question is counted under: category, task, bucket or question type.
        required: see `Criterion`.
        forbidden: strings that must not be recalled (criterion `all`).
        gold_rows: ids of the memories that hold the answer (criterion `rows`).
        evidence: every scalar of the released memory evidence, for other readings of `required`.
        k: how many memories are recalled; None for the run's own number.
        probes: strings that are asked for directly after the question and looked for in the system's storage; None
            where that is not examined.
        gold_texts: what a perfect memory holds at this point; None where nobody says.
        asker: who asks; nobody where the history knows of no owners.
        anchors: memories of which it is noted whether they are there; None where nobody asks.
    """

    question_id: str
    part: str
    text: str
    criterion: Criterion = "all"
    required: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    gold_rows: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    k: int | None = None
    probes: tuple[str, ...] | None = None
    gold_texts: tuple[str, ...] | None = None
    anchors: tuple[Anchor, ...] | None = None
    asker: str | None = None


Event = Operation | Question


@dataclass(frozen=True, slots=True)
class History:
    """One store's life: operations and questions in order (a case, a persona, a bucket's facts, a haystack)."""

    name: str
    events: tuple[Event, ...]

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The operations, in order."""
        return tuple(event for event in self.events if isinstance(event, Operation))

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions, in order."""
        return tuple(event for event in self.events if isinstance(event, Question))

    @property
    def mutations(self) -> tuple[Operation, ...]:
        """The operations that supersede, release or purge, in order."""
        return tuple(operation for operation in self.operations if operation.op != "inscribe")

    def texts(self) -> list[str]:
        """Each distinct text that a system may want a vector of, in order: operations, questions and their probes."""
        return list(dict.fromkeys(text for event in self.events for text in _texts(event)))


def _texts(event: Event) -> Iterator[str]:
    if isinstance(event, Question):
        yield event.text
        yield from event.probes or ()
        yield from (anchor.text for anchor in event.anchors or ())
    else:
        yield from (text for text in (event.query, event.text) if text is not None)
