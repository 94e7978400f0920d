"""Replaying a history: inscriptions together, the rest in order, what cannot be expressed passed over and counted."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from forgeteval.cases.history import History, Operation, Question
from forgeteval.run.raised import traced
from forgeteval.run.replay import Replay, ReplayOptions, replay
from forgeteval.stores.contract import Backend, Hit
from forgeteval.stores.controls import Verbatim
from forgeteval.stores.given import build_store, find_store
from forgeteval.stores.hook import HookedAdapter
from tests.support.scripted_planner import FixedPlanner

HISTORY = History(
    "h",
    (
        Operation("inscribe", None, "one"),
        Operation("inscribe", None, "two"),
        Operation("supersede", "the first", "three"),
        Operation("purge", "the second", None),
        Operation("inscribe", None, "four"),
        Question("q1", "p", "first?"),
        Question("q2", "p", "second?"),
    ),
)


class Recorder:
    """Keeps what it is told, in the order it is told."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def reset(self) -> None:
        self.calls.append("reset")

    def inscribe(self, texts: Sequence[str]) -> None:
        self.calls.append(("inscribe", list(texts)))

    def recall_texts(self, query: str, k: int) -> list[str]:
        self.calls.append(("recall", query, k))
        return [f"{query} {k}"]

    def supersede(self, query: str, text: str) -> None:
        self.calls.append(("supersede", query, text))

    def release(self, query: str) -> None:
        self.calls.append(("release", query))

    def purge(self, query: str) -> None:
        self.calls.append(("purge", query))

    def close(self) -> None: ...


class WithoutMutations(Recorder):
    not_offered = frozenset({"supersede", "release", "purge"})


class RefusesToSupersede(Recorder):
    def supersede(self, query: str, text: str) -> None:
        raise NotImplementedError("not here")


class RefusesToPurge(Recorder):
    def purge(self, query: str) -> None:
        raise NotImplementedError("not here")


class BreaksAtPurge(Recorder):
    def purge(self, query: str) -> None:
        raise RuntimeError("disk\nfull")


class BreaksAtTheFirstQuestion(Recorder):
    def recall_texts(self, query: str, k: int) -> list[str]:
        if query == "first?":
            raise ValueError("odd query")
        return ["lone \udcff surrogate"]


class Hybrid(Recorder):
    def search(self, query: str, k: int) -> list[Hit]:
        return [Hit(1, f"hybrid {query} {k}", 1.0)]


def run(adapter: Any, history: History = HISTORY, **options: bool) -> Replay:
    return replay(adapter, history, ReplayOptions(7, **options))


def test_operations_in_order_and_adjacent_inscriptions_together() -> None:
    adapter = Recorder()
    done = run(adapter)
    assert adapter.calls == [
        "reset",
        ("inscribe", ["one", "two"]),
        ("supersede", "the first", "three"),
        ("purge", "the second"),
        ("inscribe", ["four"]),
        ("recall", "first?", 7),
        ("recall", "second?", 7),
    ]
    assert (done.inscribed, done.mutated, done.not_expressed, done.error) == (3, 2, 0, None)
    assert [(answer.question_id, answer.recalled, answer.error) for answer in done.answers] == [
        ("q1", ["first? 7"], None),
        ("q2", ["second? 7"], None),
    ]
    assert done.inscribe_ms > 0 and done.mutate_ms > 0 and all(answer.recall_ms > 0 for answer in done.answers)
    assert done.cpu_ms > 0 and all(answer.cpu_ms > 0 for answer in done.answers)


def test_questions_are_asked_where_they_stand_with_a_k_of_their_own() -> None:
    events = (
        Operation("inscribe", None, "one"),
        Question("before", "p", "what?", k=2),
        Operation("inscribe", None, "two"),
        Operation("release", "one", None),
        Question("after", "p", "what?"),
    )
    adapter = Recorder()
    done = run(adapter, History("h", events))
    assert adapter.calls == [
        "reset",
        ("inscribe", ["one"]),
        ("recall", "what?", 2),
        ("inscribe", ["two"]),
        ("release", "one"),
        ("recall", "what?", 7),
    ]
    assert [answer.question_id for answer in done.answers] == ["before", "after"]
    assert (done.inscribed, done.mutated) == (2, 1)


def test_only_a_question_with_probes_is_probed() -> None:
    history = History("h", (Question("q1", "p", "first?", probes=("FIRST", "7")), Question("q2", "p", "second?")))
    probed, plain = run(Recorder(), history).answers
    assert (probed.reached, plain.reached) == (True, None)
    assert (probed.residue, plain.residue) == (None, None)


@pytest.mark.parametrize(
    ("adapter", "counts", "superseding"),
    [
        (WithoutMutations(), (3, 0, 2), ("inscribe", ["three"])),
        (RefusesToSupersede(), (3, 1, 1), ("inscribe", ["three"])),
        (RefusesToPurge(), (3, 1, 1), ("supersede", "the first", "three")),
    ],
)
def test_what_cannot_be_expressed_is_counted_and_at_most_adds_its_text(
    adapter: Recorder, counts: tuple[int, int, int], superseding: tuple[object, ...]
) -> None:
    done = run(adapter)
    assert (done.inscribed, done.mutated, done.not_expressed) == counts
    assert adapter.calls[2] == superseding
    assert (done.error, done.refused, len(done.answers)) == (None, None, 2)
    assert any(call[0] == "purge" for call in adapter.calls) == isinstance(adapter, RefusesToSupersede)


@pytest.mark.parametrize(
    ("adapter", "why"), [(WithoutMutations(), "not offered: purge, supersede"), (RefusesToPurge(), "not here")]
)
def test_a_strict_replay_ends_where_something_cannot_be_expressed(adapter: Recorder, why: str) -> None:
    done = run(adapter, strict=True)
    assert (done.refused, done.error, done.answers) == (why, None, [])


def test_a_system_that_breaks_while_it_is_told_answers_nothing() -> None:
    done = run(BreaksAtPurge())
    assert done.error == "RuntimeError: disk full"
    assert done.answers == []


def test_a_question_that_breaks_does_not_take_the_next_one_with_it() -> None:
    done = run(BreaksAtTheFirstQuestion())
    assert [(answer.recalled, answer.error) for answer in done.answers] == [
        (None, "ValueError: odd query"),
        (["lone ? surrogate"], None),
    ]
    assert done.error is None


def test_a_question_that_breaks_ends_a_strict_replay() -> None:
    done = run(BreaksAtTheFirstQuestion(), strict=True)
    assert done.error == "ValueError: odd query"
    assert [answer.recalled for answer in done.answers] == [None]


def recalled(adapter: Recorder, *, hybrid: bool) -> list[str] | None:
    return run(adapter, hybrid=hybrid).answers[0].recalled


class TellsMore(Recorder):
    """Recalls all that it was told, however few are asked for."""

    def recall_texts(self, query: str, k: int) -> list[str]:
        return ["one", "two", "three"]

    def search(self, query: str, k: int) -> list[Hit]:
        return [Hit(text, text, 1.0) for text in self.recall_texts(query, k)]


@pytest.mark.parametrize("hybrid", [False, True])
def test_more_texts_than_were_asked_for_are_no_answer(hybrid: bool) -> None:
    few, enough = Question("q1", "p", "first?", k=2), Question("q2", "p", "second?", k=3)
    done = run(TellsMore(), History("h", (few, enough)), hybrid=hybrid)
    told = [(answer.recalled, answer.error) for answer in done.answers]
    said = "ValueError: recalled 3 texts where 2 were asked for; return at most k"
    assert told == [(None, said), (["one", "two", "three"], None)]


def test_hybrid_asks_a_systems_own_search_where_it_has_one() -> None:
    assert recalled(Hybrid(), hybrid=True) == ["hybrid first? 7"]
    assert recalled(Hybrid(), hybrid=False) == ["first? 7"]
    assert recalled(Recorder(), hybrid=True) == ["first? 7"]


class Hookable(Recorder):
    def add(self, texts: Sequence[str]) -> None:
        self.inscribe(texts)

    def search(self, query: str, k: int) -> list[Hit]:
        return [Hit(1, "one", 1.0)]

    def delete(self, id: str | int) -> None: ...


def test_decisions_and_fallbacks_of_a_hook_are_those_of_this_replay() -> None:
    adapter = HookedAdapter(Hookable(), FixedPlanner())
    for _ in range(2):
        done = run(adapter)
        assert done.fallbacks == 2
        assert [decision.partition(":")[0] for decision in done.decisions] == ["supersede", "purge"]


class Interrupted(Recorder):
    """As if Ctrl-C were pressed while it works."""

    def __init__(self, method: str) -> None:
        super().__init__()
        self._method = method

    def purge(self, query: str) -> None:
        if self._method == "purge":
            raise KeyboardInterrupt

    def recall_texts(self, query: str, k: int) -> list[str]:
        if self._method == "recall_texts":
            raise KeyboardInterrupt
        return []


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("method", ["purge", "recall_texts"])
def test_ctrl_c_is_no_error_of_the_store(method: str, strict: bool) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(Interrupted(method), strict=strict)


def in_a_library() -> None:
    """Raises in the standard library."""
    json.loads("{")


@pytest.mark.parametrize(
    ("error", "frames"),
    [
        (lambda: in_a_library(), ["<lambda>", "in_a_library", "loads", "decode", "raw_decode"]),
        (lambda: find_store("json:Store"), ["<lambda>", "find_store"]),
    ],
)
def test_a_traceback_is_from_the_stores_own_code_on(error: Callable[[], None], frames: list[str]) -> None:
    class Breaks(Recorder):
        def purge(self, query: str) -> None:
            error()

    replayed = run(Breaks(), strict=True)
    assert re.findall(r", in (\S+)", replayed.traceback or "")[:1] == ["purge"]
    assert re.findall(r", in (\S+)", replayed.traceback or "")[1 : len(frames) + 1] == frames


def test_an_answer_that_is_refused_needs_no_traceback() -> None:
    class Refused(Backend):
        def reset(self) -> None: ...

        def add(self, texts: Sequence[str]) -> None: ...

        def search(self, query: str, k: int) -> Any:
            return None

    replayed = run(build_store(Refused), strict=True)
    assert (replayed.error, replayed.traceback) == ("TypeError: search returned None; return a list", "")


def test_where_nothing_of_the_store_is_in_it_the_traceback_is_whole() -> None:
    replayed = run(build_store(Verbatim), History("h", (Operation("supersede", "what", None),)), strict=True)
    assert replayed.error == "ValueError: supersede needs the new fact"
    assert re.findall(r", in (\S+)", replayed.traceback or "")[-1] == "apply_mutation"


def test_a_file_that_is_no_python_is_shown_where_it_is_none() -> None:
    with pytest.raises(SyntaxError) as raised:
        compile("def (", "my_store.py", "exec")
    raised.value.__traceback__ = None
    said = traced(raised.value)
    assert said.splitlines()[0].strip() == 'File "my_store.py", line 1'
    assert said.splitlines()[-1] == "SyntaxError: invalid syntax"
