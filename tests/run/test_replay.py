"""The worker's side: rows together, mutations in order, what cannot be expressed passed over and counted."""

from collections.abc import Sequence
from typing import Any

import pytest

from lethe.crosseval.records import History, Operation, Question
from lethe.run.replay import replay
from lethe.systems.protocol import Hit

HISTORY = History(
    "h",
    (
        Operation("inscribe", None, "one"),
        Operation("inscribe", None, "two"),
        Operation("supersede", "the first", "three"),
        Operation("purge", "the second", None),
        Operation("inscribe", None, "four"),
    ),
    (Question("q1", "p", "first?", "all"), Question("q2", "p", "second?", "all")),
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
        return [f"{query} {k}"]

    def supersede(self, query: str, text: str) -> None:
        self.calls.append(("supersede", query, text))

    def release(self, query: str) -> None:
        raise AssertionError("no benchmark releases")

    def purge(self, query: str) -> None:
        self.calls.append(("purge", query))

    def close(self) -> None: ...


class WithoutMutations(Recorder):
    not_offered = frozenset({"supersede", "release", "purge"})


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


def run(adapter: Any, *, hybrid: bool = False) -> dict[str, Any]:
    return replay(adapter, HISTORY.to_message(hybrid=hybrid), 7)


def test_operations_in_order_and_adjacent_rows_together() -> None:
    adapter = Recorder()
    done = run(adapter)
    assert adapter.calls == [
        "reset",
        ("inscribe", ["one", "two"]),
        ("supersede", "the first", "three"),
        ("purge", "the second"),
        ("inscribe", ["four"]),
    ]
    assert (done["inscribed"], done["mutated"], done["not_expressed"], done["error"]) == (3, 2, 0, None)
    assert [(name, texts, error) for name, texts, _, error in done["answers"]] == [
        ("q1", ["first? 7"], None),
        ("q2", ["second? 7"], None),
    ]
    assert done["inscribe_ms"] > 0 and done["mutate_ms"] > 0 and all(ms > 0 for _, _, ms, _ in done["answers"])


@pytest.mark.parametrize(("adapter", "counts"), [(WithoutMutations(), (3, 0, 2)), (RefusesToPurge(), (3, 1, 1))])
def test_what_cannot_be_expressed_is_counted_and_the_old_row_stays(
    adapter: Recorder, counts: tuple[int, int, int]
) -> None:
    done = run(adapter)
    assert (done["inscribed"], done["mutated"], done["not_expressed"]) == counts
    assert done["error"] is None and len(done["answers"]) == 2
    assert not any(call[0] == "purge" for call in adapter.calls)


def test_a_system_that_breaks_while_it_is_told_answers_nothing() -> None:
    done = run(BreaksAtPurge())
    assert done["error"] == "RuntimeError: disk full"
    assert done["answers"] == []


def test_a_question_that_breaks_does_not_take_the_next_one_with_it() -> None:
    (_, none, _, broke), (_, texts, _, error) = run(BreaksAtTheFirstQuestion())["answers"]
    assert (none, broke) == ([], "ValueError: odd query")
    assert (texts, error) == (["lone ? surrogate"], None)


def test_hybrid_asks_a_systems_own_search_where_it_has_one() -> None:
    assert run(Hybrid(), hybrid=True)["answers"][0][1] == ["hybrid first? 7"]
    assert run(Hybrid())["answers"][0][1] == ["first? 7"]
    assert run(Recorder(), hybrid=True)["answers"][0][1] == ["first? 7"]
