"""Replaying a history on an adapter: operations in order, each question asked of the store as it then is.

This module runs in the systems' own environments: nothing is imported here that they do not have.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from typing import Protocol, runtime_checkable

from forgeteval.cases.history import Anchor, Event, History, Operation, Question
from forgeteval.scoring.scorers import identifier_contains, substring_contains
from forgeteval.stores.contract import Adapter, GoldAware, Hit, Inspectable, Partial, Prefillable, Scoped
from forgeteval.stores.hook import HookedAdapter


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """How histories are replayed.

    Attributes:
        k: how many memories a question recalls, unless it says otherwise.
        strict: the first operation that the system cannot express, or question that breaks, ends the replay; else such
            a mutation is counted and leaves the old memory, the new one of a supersede is inscribed, and the next
            question is asked.
        hybrid: a system that has a search of its own besides the paper's recall is asked by that.
    """

    k: int
    strict: bool = False
    hybrid: bool = False


@dataclass(slots=True)
class Answer:
    """What came of one question; fields that were not reached are None.

    Attributes:
        recalled: texts, best first.
        recall_ms, cpu_ms: wall time of the recall, and processor time of this process for it.
        reached: asking for one of the probes directly brought it back.
        residue: how many of the probes the system's own storage holds.
        present: of each anchor, whether its memory was recalled, by the question or where it is asked for directly.
        error: what broke.
    """

    question_id: str
    recalled: list[str] | None = None
    recall_ms: float = 0.0
    cpu_ms: float = 0.0
    reached: bool | None = None
    residue: int | None = None
    present: list[bool] = field(default_factory=list)
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """What the erasure audit found at one place of a level; see `lethe.run.erasing`."""

    level: str
    place: str
    outcome: str
    detail: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Replay:
    """How the replay of one history went.

    Attributes:
        inscribed, mutated, not_expressed: numbers of operations.
        inscribe_ms, mutate_ms: wall time of all inscriptions, and of all mutations.
        cpu_ms: processor time of this process for both.
        answers: of the questions that were asked, in order.
        fallbacks, decisions: those of a hook; see `forgeteval.stores.hook.HookedAdapter`.
        refused: what the system cannot express, where that ended the replay.
        error: what broke the replay.
        findings: of the erasure audit, in place of all the others.
    """

    inscribed: int = 0
    mutated: int = 0
    not_expressed: int = 0
    inscribe_ms: float = 0.0
    mutate_ms: float = 0.0
    cpu_ms: float = 0.0
    answers: list[Answer] = field(default_factory=list)
    fallbacks: int = 0
    decisions: list[str] = field(default_factory=list)
    refused: str | None = None
    error: str | None = None
    findings: list[Finding] = field(default_factory=list)


@runtime_checkable
class Searchable(Protocol):
    """A system with a retrieval of its own besides the one that the paper's Adapter recalls with."""

    def search(self, query: str, k: int) -> list[Hit]: ...


def replay(adapter: Adapter, history: History, options: ReplayOptions, haystack: Sequence[str] = ()) -> Replay:
    """Replay `history` from an empty store; whatever the system raises is part of the result.

    Args:
        haystack: unrelated memories that stand in the store before the history; inscribing them is not timed.
    """
    replayed = Replay()
    try:
        not_offered = adapter.not_offered if isinstance(adapter, Partial) else frozenset()
        lacking = sorted({mutation.op for mutation in history.mutations} & not_offered)
        if options.strict and lacking:
            return Replay(refused=f"not offered: {', '.join(lacking)}")
        _reset_to(adapter, haystack)
        for events in _together(history.events):
            _apply(adapter, events, options, replayed)
    except BaseException as reason:  # noqa: BLE001 - whatever a measured system raises is its result, SystemExit too
        if options.strict and issubclass(type(reason), NotImplementedError):
            replayed.refused = _said(reason) or "not offered"
        else:
            replayed.error = describe(reason)
    if isinstance(adapter, HookedAdapter):
        replayed.fallbacks, replayed.decisions = adapter.fallbacks, list(adapter.decisions)
    return replayed


def apply_mutation(adapter: Adapter, mutation: Operation) -> None:
    """Call the adapter's method for a mutation.

    Raises:
        ValueError: where a supersede has no new text.
        NotImplementedError: where the system cannot express it.
    """
    query = mutation.query or ""
    if mutation.op == "supersede":
        if mutation.text is None:
            raise ValueError("supersede needs the new fact")
        adapter.supersede(query, mutation.text)
    elif mutation.op == "release":
        adapter.release(query)
    else:
        adapter.purge(query)


def _reset_to(adapter: Adapter, haystack: Sequence[str]) -> None:
    if haystack and isinstance(adapter, Prefillable):
        adapter.reset_to(haystack)
        return
    adapter.reset()
    if haystack:
        adapter.inscribe(haystack)


def _together(events: Sequence[Event]) -> Iterator[list[Event]]:
    """Adjacent inscriptions of the same owners together, so that a system may add them at once; every other event on
    its own."""

    def kind(event: Event) -> tuple[str, ...] | None:
        return event.owners if isinstance(event, Operation) and event.op == "inscribe" else None

    for owners, group in groupby(events, key=kind):
        adjacent = list(group)
        yield from ([event] for event in adjacent) if owners is None else [adjacent]


def _apply(adapter: Adapter, events: Sequence[Event], options: ReplayOptions, replayed: Replay) -> None:
    first = events[0]
    if owners := (first.asker,) if isinstance(first, Question) and first.asker else getattr(first, "owners", ()):
        _enter(adapter, owners)
    if isinstance(first, Question):
        replayed.answers.append(Answer(first.question_id))
        _ask(adapter, first, options, replayed.answers[-1])
    elif first.op == "inscribe":
        with _timed(replayed, "inscribe_ms"):
            adapter.inscribe([event.text or "" for event in events])
        replayed.inscribed += len(events)
    else:
        with _timed(replayed, "mutate_ms"):
            expressed = _mutate(adapter, first, options.strict)
        if expressed:
            replayed.mutated += 1
        else:
            replayed.not_expressed += 1


def _enter(adapter: Adapter, owners: Sequence[str]) -> None:
    if not isinstance(adapter, Scoped):
        raise NotImplementedError("it has no scopes")
    adapter.enter(owners)


def _mutate(adapter: Adapter, mutation: Operation, strict: bool) -> bool:
    """Apply a mutation; False where the system cannot express it, so that at most its text is inscribed."""
    if not (isinstance(adapter, Partial) and mutation.op in adapter.not_offered):
        try:
            apply_mutation(adapter, mutation)
        except NotImplementedError:
            if strict:
                raise
        else:
            return True
    if mutation.text is not None:
        adapter.inscribe([mutation.text])
    return False


def _ask(adapter: Adapter, question: Question, options: ReplayOptions, answer: Answer) -> None:
    """Ask a question and fill in its answer; raises what the system raises only where the replay is strict."""
    k, recall = question.k or options.k, _recall(adapter, options.hybrid)
    try:
        if isinstance(adapter, GoldAware):
            adapter.expect(question.gold_texts)
        with _timed(answer, "recall_ms"):
            recalled = recall(question.text, k)
        answer.recalled = texts_of(recalled)
        if question.probes is not None:
            found = (
                substring_contains(text, probe) for probe in question.probes for text in texts_of(recall(probe, k))
            )
            answer.reached = any(found)
            if isinstance(adapter, Inspectable):
                stored = adapter.stored_bytes().decode("utf-8", errors="replace").lower()
                answer.residue = sum(probe.lower() in stored for probe in question.probes)
        if question.anchors is not None:
            answer.present = [
                _shows(answer.recalled, anchor) or _shows(texts_of(recall(anchor.text, k)), anchor)
                for anchor in question.anchors
            ]
    except BaseException as reason:
        if options.strict:
            raise
        answer.error = describe(reason)


def _shows(recalled: Sequence[str], anchor: Anchor) -> bool:
    return any(identifier_contains(text, wording) for text in recalled for wording in anchor.any_of)


def _recall(adapter: Adapter, hybrid: bool) -> Callable[[str, int], list[str]]:
    if not hybrid or not isinstance(adapter, Searchable):
        return adapter.recall_texts
    searchable = adapter
    return lambda query, k: [hit.text for hit in searchable.search(query, k)]


@contextmanager
def _timed(record: Replay | Answer, name: str) -> Iterator[None]:
    """Add the wall time of the block, in ms, to a field of the record, and the processor time to `cpu_ms`."""
    start, busy = time.perf_counter(), time.process_time()
    try:
        yield
    finally:
        setattr(record, name, getattr(record, name) + (time.perf_counter() - start) * 1000)
        record.cpu_ms += (time.process_time() - busy) * 1000


def describe(reason: BaseException) -> str:
    """The class of an exception and what it says, in one line that can be stored."""
    return f"{_kind(reason)}: {_said(reason)}"[:500]


def _kind(reason: BaseException) -> str:
    """The name of an exception's class, whatever the class says of itself."""
    return _storable(type.__dict__["__name__"].__get__(type(reason)))


def _said(reason: BaseException) -> str:
    """What an exception says, in one line; an exception is a part of the measured system too."""
    try:
        return " ".join(_storable(str(reason)).split())
    except BaseException as error:  # noqa: BLE001 - see above
        return f"it cannot say why ({_kind(error)})"


def texts_of(recalled: Sequence[str]) -> list[str]:
    """What a system recalled, as texts that can be stored; TypeError where it is none."""
    if isinstance(recalled, str):
        raise TypeError("a text was recalled where a list of texts is needed")
    for text in recalled:
        if not isinstance(text, str):
            raise TypeError(f"recalled {text!r:.80}, which is no text but {type(text).__name__}")
    return [_storable(text) for text in recalled]


def _storable(text: str) -> str:
    """The text with lone surrogates, which no file can hold as UTF-8, replaced."""
    return str.encode(text, "utf-8", "replace").decode()
