"""Replaying a history on a store: operations in order, each question asked of the store as it then is.

Two sides. `Player` stands where the store is, in another process perhaps, and does what it is told. `conduct` stands
where the history is, and tells it one step after another: operations, then a question without what it requires. Only
when the recall is in does it send what is looked for besides (`Look`), so that no store holds the solution of a
question that it has yet to answer.

This module runs in the systems' own environments: only the standard library is imported here.
"""

import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, Protocol

from forgeteval.cases.history import History, Operation, Question
from forgeteval.errors import Terminated
from forgeteval.run.raised import describe, said, traced
from forgeteval.run.storable import texts_of
from forgeteval.scoring.scorers import seen_contains, shows
from forgeteval.stores.contract import Adapter, not_offered, offers
from forgeteval.stores.controls import Oracle
from forgeteval.stores.hook import HookedAdapter

_wall_clock, _processor_clock = time.perf_counter, time.process_time
"""As they are here, whatever a store puts in their place."""


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """How histories are replayed.

    Attributes:
        k: how many memories a question recalls, unless it says otherwise.
        strict: the first operation that the system cannot express, or question that breaks, ends the replay; else such
            a mutation is counted and leaves the old memory, the new one of a supersede is inscribed, and the next
            question is asked.
        hybrid: a system that has a search of its own besides the paper's recall is asked by that.
        gold: the store is told the gold memories before each question: the control `oracle`, and nobody else.
    """

    k: int
    strict: bool = False
    hybrid: bool = False
    gold: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """What a store learns of a question.

    Attributes:
        k: how many memories are recalled; None for the run's own number.
        asker: who asks; nobody where the history knows of no owners.
        gold: what a perfect memory holds; only where `ReplayOptions.gold` says so.
    """

    text: str
    k: int | None = None
    asker: str | None = None
    gold: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """A part of a history, as a store is told it: operations, then a question; none where the history ends without.

    Attributes:
        mutations: the kinds that occur in the whole history, so that a strict replay can end before the first.
    """

    operations: tuple[Operation, ...]
    question: Asked | None = None
    mutations: tuple[str, ...] = ()

    def texts(self) -> list[str]:
        """Each distinct text that a system may want a vector of, in order."""
        told = (text for operation in self.operations for text in (operation.query, operation.text))
        asked = [] if self.question is None else [self.question.text]
        return list(dict.fromkeys(text for text in (*told, *asked) if text is not None))


@dataclass(frozen=True, slots=True)
class Look:
    """What is asked for directly once a question is answered.

    Attributes:
        probes: forbidden strings, which are also looked for in the system's storage; None where nobody does.
        anchors: memories as they were stored.
        k: how many memories are recalled, as for the question.
    """

    probes: tuple[str, ...] | None
    anchors: tuple[str, ...]
    k: int | None = None

    def texts(self) -> list[str]:
        """Each distinct text that a system may want a vector of, in order."""
        return list(dict.fromkeys((*(self.probes or ()), *self.anchors)))


@dataclass(slots=True, kw_only=True)
class _Broken:
    """Why a step or a look failed; each is None where it did not.

    Attributes:
        refused: what the system cannot express, where that ended the replay.
        error: what broke the replay.
        question_error: what broke the question, where that did not end the replay.
        traceback: of whatever broke.
    """

    refused: str | None = None
    error: str | None = None
    question_error: str | None = None
    traceback: str | None = None


@dataclass(slots=True)
class Stepped(_Broken):
    """What came of a step; `_Broken` says why it failed.

    Attributes:
        inscribed, mutated, not_expressed: numbers of operations.
        inscribe_ms, mutate_ms: wall time of all inscriptions, and of all mutations.
        cpu_ms: processor time of the store's process for both.
        asked: whether the question was reached.
        recalled: texts, best first; None where the question was not reached or broke.
        recall_ms, recall_cpu_ms: wall time of the recall, and processor time for it.
        decisions, fallbacks: those of a hook in the whole history so far; see `HookedAdapter`.
    """

    inscribed: int = 0
    mutated: int = 0
    not_expressed: int = 0
    inscribe_ms: float = 0.0
    mutate_ms: float = 0.0
    cpu_ms: float = 0.0
    asked: bool = False
    recalled: list[str] | None = None
    recall_ms: float = 0.0
    recall_cpu_ms: float = 0.0
    decisions: list[str] = field(default_factory=list)
    fallbacks: int = 0


@dataclass(slots=True)
class Looked(_Broken):
    """What came of a look; `_Broken` says why it failed.

    Attributes:
        probed: what each probe recalled, as far as the first that brought itself back; None where that broke.
        residue: how many of the probes the system's own storage holds; None where it cannot be read.
        anchored: what each anchor recalled; None where that broke.
    """

    probed: list[list[str]] | None = None
    residue: int | None = None
    anchored: list[list[str]] | None = None


@dataclass(slots=True)
class Answer:
    """What came of one question; fields that were not reached are None.

    Attributes:
        recalled: texts, best first.
        recall_ms, cpu_ms: wall time of the recall, and processor time of the store's process for it.
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


@dataclass(slots=True)
class Replay:
    """How the replay of one history went.

    Attributes:
        inscribed, mutated, not_expressed, inscribe_ms, mutate_ms, cpu_ms: sums over its steps; see `Stepped`.
        answers: of the questions that were asked, in order.
        fallbacks, decisions: those of a hook; see `forgeteval.stores.hook.HookedAdapter`.
        refused: what the system cannot express, where that ended the replay.
        error, traceback: what broke the replay.
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
    traceback: str | None = None


Told = Step | Look
Came = Stepped | Looked
Conversation = Generator[Told, Came, Replay]


class Play(Protocol):
    """Where the store is: `Player` in this process, or what passes on to one in another."""

    def tell(self, told: Told) -> Came: ...


def replay(adapter: Adapter, history: History, options: ReplayOptions, haystack: Sequence[str] = ()) -> Replay:
    """Replay `history` on an adapter of this process, from an empty store; whatever it raises is part of the result.

    Args:
        haystack: unrelated memories that stand in the store before the history; inscribing them is not timed.

    Raises:
        KeyboardInterrupt: where Ctrl-C was pressed meanwhile.
    """
    options = replace(options, gold=isinstance(adapter, Oracle))
    replayed = play_through(Player(adapter, options, haystack), history, options)
    if describe(KeyboardInterrupt()) in (replayed.error, *(answer.error for answer in replayed.answers)):
        raise KeyboardInterrupt
    return replayed


def play_through(player: Play, history: History, options: ReplayOptions) -> Replay:
    """Conduct a history on a player that answers at once."""
    conversation = conduct(history, options)
    try:
        told = next(conversation)
        while True:
            told = conversation.send(player.tell(told))
    except StopIteration as end:
        replayed: Replay = end.value
        return replayed


def conduct(history: History, options: ReplayOptions) -> Conversation:
    """Yield what a player is to be told, one after the other, and take what came of it; returns the whole replay."""
    replayed = Replay()
    for step, question in _steps(history, options):
        stepped = yield step
        assert isinstance(stepped, Stepped)
        _check_reason(stepped, options.strict)
        _add(replayed, stepped)
        if question is not None and stepped.recalled is None and not _says_why(stepped):
            raise ValueError("no answer to a question, and no reason")
        if question is not None and stepped.recalled is not None and not stepped.asked:
            raise ValueError("an answer to a question that was not asked")
        if question is not None:
            _check_number(question, options, [stepped.recalled or []])
        if question is not None and stepped.asked:
            answer = Answer(question.question_id, stepped.recalled, stepped.recall_ms, stepped.recall_cpu_ms)
            answer.error = stepped.question_error or stepped.error
            replayed.answers.append(answer)
            if answer.recalled is not None:
                yield from _looked_for(question, answer, replayed, options)
        if replayed.refused is not None or replayed.error is not None:
            break
    return replayed


def _says_why(came: Came) -> bool:
    return bool(came.refused or came.error or came.question_error)


def _check_reason(came: Came, strict: bool) -> None:
    """Raise ValueError for a reason of the other kind of replay, which would leave a question without an answer and
    without an error."""
    if (came.question_error if strict else came.refused) is not None:
        raise ValueError("a reason that no replay of this kind has")


def _steps(history: History, options: ReplayOptions) -> Iterator[tuple[Step, Question | None]]:
    mutations = tuple(sorted({mutation.op for mutation in history.mutations}))
    operations: list[Operation] = []
    for event in history.events:
        if isinstance(event, Operation):
            # The data set's own name of a memory can tell what it is good for.
            operations.append(replace(event, row_id=None))
            continue
        gold = event.gold_texts if options.gold else None
        yield Step(tuple(operations), Asked(event.text, event.k, event.asker, gold), mutations), event
        operations = []
    if operations:
        yield Step(tuple(operations), None, mutations), None


def _add(replayed: Replay, stepped: Stepped) -> None:
    for name in ("inscribed", "mutated", "not_expressed", "inscribe_ms", "mutate_ms", "cpu_ms"):
        setattr(replayed, name, getattr(replayed, name) + getattr(stepped, name))
    replayed.decisions, replayed.fallbacks = stepped.decisions, stepped.fallbacks
    replayed.refused, replayed.error, replayed.traceback = stepped.refused, stepped.error, stepped.traceback


def _check_number(question: Question, options: ReplayOptions, recalled: Iterable[Sequence[str]]) -> None:
    most = question.k or options.k
    if any(len(texts) > most for texts in recalled):
        raise ValueError(f"more texts than the {most} that were asked for")


def _looked_for(
    question: Question, answer: Answer, replayed: Replay, options: ReplayOptions
) -> Generator[Look, Came, None]:
    """Look for the probes of an answered question, and for the anchors whose memories were not recalled."""
    recalled = answer.recalled or []
    unseen = tuple(anchor.text for anchor in question.anchors or () if not shows(recalled, anchor.any_of))
    looked: Came = Looked(anchored=[])
    if question.probes is not None or unseen:
        looked = yield Look(question.probes, unseen, question.k)
    assert isinstance(looked, Looked)
    _check_reason(looked, options.strict)
    _check_number(question, options, [*(looked.probed or ()), *(looked.anchored or ())])
    probed_nothing = question.probes is not None and looked.probed is None
    if (looked.anchored is None or probed_nothing) and not _says_why(looked):
        raise ValueError("no answer to what was looked for, and no reason")
    if looked.anchored is not None and len(looked.anchored) != len(unseen):
        raise ValueError("another number of memories than were asked for")
    if looked.residue is not None and not 0 <= looked.residue <= len(question.probes or ()):
        raise ValueError("another number of probes in its storage than were looked for")
    if looked.probed is not None and question.probes is not None:
        probed = zip(question.probes, looked.probed, strict=False)
        answer.reached = any(seen_contains(text, probe) for probe, texts in probed for text in texts)
    answer.residue = looked.residue
    if looked.anchored is not None and question.anchors is not None:
        anchored = iter(looked.anchored)
        answer.present = [
            shows(recalled, anchor.any_of) or shows(next(anchored), anchor.any_of) for anchor in question.anchors
        ]
    answer.error = looked.question_error or looked.error
    replayed.refused, replayed.error, replayed.traceback = looked.refused, looked.error, looked.traceback


class Player:
    """One history on one adapter, told step by step; whatever the adapter raises is part of what comes of a step.

    Args:
        haystack: unrelated memories that stand in the store before the history.
    """

    def __init__(self, adapter: Adapter, options: ReplayOptions, haystack: Sequence[str] = ()) -> None:
        self._adapter: Any = adapter
        self._options, self._haystack = options, haystack
        self._begun = False

    def tell(self, told: Told) -> Came:
        """Do a step, or look for something."""
        return self._step(told) if isinstance(told, Step) else self._looked(told)

    def _step(self, step: Step) -> Stepped:
        stepped = Stepped()
        try:
            if not self._begun:
                lacking = sorted(set(step.mutations) & not_offered(self._adapter))
                if self._options.strict and lacking:
                    return Stepped(refused=f"not offered: {', '.join(lacking)}")
                self._begin()
            for operations in _together(step.operations):
                self._apply(operations, stepped)
            if step.question is not None:
                self._ask(step.question, stepped)
        except Terminated:
            raise
        except BaseException as reason:  # noqa: BLE001 - whatever a measured system raises is its result, SystemExit too
            self._note(reason, stepped)
        if isinstance(self._adapter, HookedAdapter):
            stepped.fallbacks, stepped.decisions = self._adapter.fallbacks, list(self._adapter.decisions)
        return stepped

    def _looked(self, look: Look) -> Looked:
        looked = Looked()
        try:
            self._look_for(look, looked)
        except Terminated:
            raise
        except BaseException as reason:  # noqa: BLE001 - see above
            if self._options.strict:
                self._note(reason, looked)
            else:
                looked.question_error, looked.traceback = describe(reason), traced(reason)
        return looked

    def _note(self, reason: BaseException, came: Stepped | Looked) -> None:
        if self._options.strict and issubclass(type(reason), NotImplementedError):
            came.refused = said(reason) or "not offered"
        else:
            came.error, came.traceback = describe(reason), traced(reason)

    def _begin(self) -> None:
        self._begun = True
        if self._haystack and offers(self._adapter, "reset_to"):
            self._adapter.reset_to(self._haystack)
            return
        self._adapter.reset()
        if self._haystack:
            self._adapter.inscribe(self._haystack)

    def _apply(self, operations: Sequence[Operation], stepped: Stepped) -> None:
        first = operations[0]
        if first.owners:
            self._enter(first.owners)
        if first.op == "inscribe":
            with _timed(stepped, "inscribe_ms", "cpu_ms"):
                self._adapter.inscribe([operation.text or "" for operation in operations])
            stepped.inscribed += len(operations)
        else:
            with _timed(stepped, "mutate_ms", "cpu_ms"):
                expressed = self._mutate(first)
            if expressed:
                stepped.mutated += 1
            else:
                stepped.not_expressed += 1

    def _enter(self, owners: Sequence[str]) -> None:
        if not offers(self._adapter, "enter"):
            raise NotImplementedError("it has no scopes")
        self._adapter.enter(owners)

    def _mutate(self, mutation: Operation) -> bool:
        """Apply a mutation; False where the system cannot express it, so that at most its text is inscribed."""
        if mutation.op not in not_offered(self._adapter):
            try:
                apply_mutation(self._adapter, mutation)
            except NotImplementedError:
                if self._options.strict:
                    raise
            else:
                return True
        if mutation.text is not None:
            self._adapter.inscribe([mutation.text])
        return False

    def _ask(self, question: Asked, stepped: Stepped) -> None:
        """Ask a question; raises what the system raises only where the replay is strict."""
        if question.asker:
            self._enter((question.asker,))
        stepped.asked = True
        try:
            if self._options.gold:
                self._adapter.expect(question.gold)
            with _timed(stepped, "recall_ms", "recall_cpu_ms"):
                recalled = self._recall(question.text, question.k)
            stepped.recalled = recalled
        except BaseException as reason:
            if self._options.strict or isinstance(reason, Terminated):
                raise
            stepped.question_error, stepped.traceback = describe(reason), traced(reason)

    def _look_for(self, look: Look, looked: Looked) -> None:
        if look.probes is not None:
            probed: list[list[str]] = []
            for probe in look.probes:
                probed.append(self._recall(probe, look.k))
                if any(seen_contains(text, probe) for text in probed[-1]):
                    break
            looked.probed = probed
            if offers(self._adapter, "stored_bytes"):
                stored = self._adapter.stored_bytes().decode("utf-8", errors="replace").lower()
                looked.residue = sum(probe.lower() in stored for probe in look.probes)
        looked.anchored = [self._recall(anchor, look.k) for anchor in look.anchors]

    def _recall(self, query: str, k: int | None) -> list[str]:
        most = k or self._options.k
        is_hybrid = self._options.hybrid and offers(self._adapter, "search")
        found = self._adapter.search(query, most) if is_hybrid else self._adapter.recall_texts(query, most)
        recalled = texts_of([hit.text for hit in found] if is_hybrid else found)
        if len(recalled) > most:
            raise ValueError(f"recalled {len(recalled)} texts where {most} were asked for; return at most k")
        return recalled


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


def _together(operations: Sequence[Operation]) -> Iterator[list[Operation]]:
    """Adjacent inscriptions of the same owners together, so that a system may add them at once; every mutation on its
    own."""

    def kind(operation: Operation) -> tuple[str, ...] | None:
        return operation.owners if operation.op == "inscribe" else None

    for owners, group in groupby(operations, key=kind):
        adjacent = list(group)
        yield from ([operation] for operation in adjacent) if owners is None else [adjacent]


@contextmanager
def _timed(record: Stepped, wall: str, cpu: str) -> Iterator[None]:
    """Add the wall time and the processor time of the block, in ms, to two fields of the record."""
    start, busy = _wall_clock(), _processor_clock()
    try:
        yield
    finally:
        setattr(record, wall, getattr(record, wall) + (_wall_clock() - start) * 1000)
        setattr(record, cpu, getattr(record, cpu) + (_processor_clock() - busy) * 1000)
