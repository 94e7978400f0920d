"""A benchmark's histories in a real worker: scored rows, and what a broken history or worker does to them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.history import History, Operation, Question
from forgeteval.errors import UserError
from forgeteval.planners.chat import ChatOptions
from lethe.gateway.context import CallContext, Usage
from lethe.jobs.benchmark_trials import RowIds, rows_of_benchmark
from lethe.jobs.kept import lent_trials
from lethe.jobs.messages import Complete, Completion, PlannerSetup
from lethe.jobs.services import RunServices
from lethe.jobs.session import Code, Workload
from lethe.parquet import read_rows, write_rows
from lethe.schemas import CROSSEVAL, CROSSEVAL_HISTORIES
from tests.support.bench import Bench

Rows = list[dict[str, Any]]


def told(*rows: str) -> tuple[Operation, ...]:
    return tuple(Operation("inscribe", None, text, f"row-{number}") for number, text in enumerate(rows))


QUESTION = Question("q", "part", "What is there?", "all", required=("pear",), forbidden=("plum",))


def history(name: str, *rows: str) -> History:
    return History(name, (*told(*rows), QUESTION))


def run(
    bench: Bench,
    histories: Sequence[History],
    backend: str = "tests.support.crosseval_backends:Keeper",
    limit_s: float = 20.0,
    **options: Any,
) -> tuple[Rows, Rows]:
    with bench.session(backend, **options) as session:
        [finished] = session.run([Workload("memora", "history", histories, limit_s)])
        return rows_of_benchmark("memora", session.system, histories, finished)


class ScriptedChat:
    """Answers what a hook asks this process with one text, and stops the run once `calls` answers are given."""

    def __init__(self, answer: str, calls: int = 100) -> None:
        self.context, self.answered = CallContext(), False
        self.answer, self.calls = answer, calls
        self.asked: list[str] = []

    @property
    def stop(self) -> str | None:
        return "the cap is reached" if len(self.asked) >= self.calls else None

    def complete(self, asked: Complete) -> Completion:
        self.asked.append(self.context.case_id)
        self.answered = True
        return Completion({"choices": [{"message": {"content": self.answer}, "finish_reason": "stop"}]})

    def usage(self, context: CallContext) -> Usage:
        calls = self.asked.count(context.case_id)
        return Usage(calls, 10 * calls, calls, 0.5 * calls)

    def lacking(self, context: CallContext) -> str | None:
        return None

    def options(self) -> dict[str, Any]:
        setup = PlannerSetup(ChatOptions("scripted", 0.0, 64, contract="paper"))
        return {
            "services": RunServices(self, asks_model=True, planner=setup, complete=self.complete),
            "model": "scripted",
        }


def test_rows_come_in_order_and_fit_their_tables(bench: Bench, tmp_path: Path) -> None:
    mutated = History(
        "c",
        (
            *told("a pear", "a plum"),
            Operation("supersede", "pear", "a fig"),
            Operation("purge", "plum", None),
            QUESTION,
        ),
    )
    answers, replays = run(bench, [history("b", "a pear"), history("a", "a plum"), mutated])
    write_rows(tmp_path / "answers.parquet", CROSSEVAL, answers, "test")
    write_rows(tmp_path / "replays.parquet", CROSSEVAL_HISTORIES, replays, "test")
    read = read_rows(tmp_path / "answers.parquet", CROSSEVAL)
    assert [(row["history"], row["verdict"], row["missing"], row["leaked"]) for row in read] == [
        ("b", "pass", [], []),
        ("a", "fail", ["pear"], ["plum"]),
        ("c", "fail", [], ["plum"]),
    ]
    assert [(row["recall_rate"], row["forgetting_rate"]) for row in read] == [(1.0, 1.0), (0.0, 0.0), (1.0, 0.0)]
    assert read[2]["recalled"] == ["a fig", "a plum", "a pear"]
    assert [(row["inscribed"], row["mutated"], row["not_expressed"]) for row in replays] == [
        (1, 0, 0),
        (1, 0, 0),
        (2, 1, 1),
    ]


def test_an_equal_run_is_taken_over_under_another_name(bench: Bench, tmp_path: Path) -> None:
    lender, count = Bench(tmp_path / "lender"), tmp_path / "count"
    histories = [history("short", f"touch {count}", "a pear"), history("long", "a plum", "a pear")]
    own = run(lender, histories, code=Code("lender", "recall"))
    lent = lent_trials(lender.kept)
    taken = run(bench, histories[:1], code=Code("other", "recall"), model="m", lent=lent)
    assert taken == tuple([{**row, "model": "m"} for row in rows if row["history"] == "short"] for rows in own)
    assert count.read_text(encoding="utf-8") == "told\n"


def test_a_store_that_embeds_is_sent_the_vectors_of_its_texts(bench: Bench) -> None:
    answers, _ = run(bench, [history("a", "red pear", "dull stone", "green fig")], "lethe", k=1)
    assert len(answers[0]["recalled"]) == 1
    question = Question("q", "part", "a dull stone", "all")
    answers, _ = run(bench, [History("a", (*told("red pear", "dull stone", "green fig"), question))], "lethe", k=1)
    assert answers[0]["recalled"] == ["dull stone"]


def test_each_history_starts_from_an_empty_store(bench: Bench) -> None:
    answers, _ = run(bench, [history("a", "a plum"), history("b", "a pear")], "naive_sql")
    assert [row["recalled"] for row in answers] == [["a plum"], ["a pear"]]


def test_a_killed_run_goes_on_after_the_last_whole_history(bench: Bench, tmp_path: Path) -> None:
    count, alive = tmp_path / "count", tmp_path / "alive"
    histories = [history("a", f"touch {count}"), history("b", f"needs {alive}"), history("c", "a pear")]
    with pytest.raises(UserError, match=r"the worker died at history b .*kept: 1 of 3 trials, in"):
        run(bench, histories)
    alive.touch()
    answers, _ = run(bench, histories)
    assert [row["history"] for row in answers] == ["a", "b", "c"]
    assert count.read_text(encoding="utf-8") == "told\n"


def test_worker_failures_can_be_recorded(bench: Bench) -> None:
    histories = [history("a", "a pear"), history("b", "needs /nowhere/at/all"), history("c", "a pear")]
    answers, replays = run(bench, histories, worker_failure="record")
    assert [row["verdict"] for row in answers] == ["pass", "error", "pass"]
    assert "died at history b" in answers[1]["error"] and replays[1]["error"] == answers[1]["error"]
    assert answers[1]["recall_rate"] is None


def test_a_hanging_history_is_ended(bench: Bench) -> None:
    answers, _ = run(bench, [history("a", "hang"), history("b", "a pear")], worker_failure="record", limit_s=2.0)
    assert [row["verdict"] for row in answers] == ["error", "pass"]
    assert "hung at history a for 2 s" in answers[0]["error"]


def test_a_system_that_raises_is_an_error_of_that_history_alone(bench: Bench) -> None:
    answers, replays = run(bench, [history("a", "raise"), history("b", "a pear")])
    assert [(row["verdict"], row["error"]) for row in answers] == [
        ("error", "RuntimeError: told to raise"),
        ("pass", None),
    ]
    assert [row["error"] for row in replays] == ["RuntimeError: told to raise", None]


def test_a_run_of_errors_alone_is_no_result(bench: Bench) -> None:
    with pytest.raises(UserError, match="every one of 2 trials broke, the first with: RuntimeError: told to raise"):
        run(bench, [history("a", "raise"), history("b", "raise")])


def test_rows_are_scored_by_their_ids(bench: Bench) -> None:
    question = Question("q", "type", "pear", "rows", gold_rows=("row-1",))
    answers, _ = run(bench, [History("a", (*told("a plum", "a pear", "a plum"), question))])
    assert answers[0]["recalled"] == ["row-0", "row-1", "row-2"]
    assert answers[0]["gold_ranks"] == [2] and answers[0]["verdict"] == "pass"


def test_equal_texts_give_their_ids_in_order_and_unknown_texts_none() -> None:
    ids = RowIds(History("a", told("x", "y", "x")))
    assert ids.of(["x", "z", "x", "x", "y"]) == ["row-0", "", "row-2", "", "row-1"]


PURGE = Operation("purge", "a plum", None)


def test_a_hook_decides_and_its_calls_are_counted_by_history(bench: Bench) -> None:
    histories = [History(name, (*told("a pear", "a plum"), PURGE, QUESTION)) for name in ("a", "b")]
    chat = ScriptedChat('{"matching_indices": [0, 1]}')
    answers, replays = run(bench, histories, "naive_sql", **chat.options())
    assert sorted(chat.asked) == ["a", "b"]
    assert [(row["model"], row["llm_calls"], row["tokens_in"], row["cost_usd"]) for row in replays] == [
        ("scripted", 1, 10, 0.5),
        ("scripted", 1, 10, 0.5),
    ]
    assert [row["fallbacks"] for row in replays] == [0, 0]
    assert [row["recalled"] for row in answers] == [[], []]


@pytest.mark.parametrize("answer", ["no JSON at all", '{"matching_indices": []}'], ids=["unusable", "none named"])
def test_an_unusable_or_empty_answer_falls_back_as_published_and_is_counted(bench: Bench, answer: str) -> None:
    histories = [History("a", (*told("a pear", "a plum"), PURGE, QUESTION))]
    answers, replays = run(bench, histories, "naive_sql", **ScriptedChat(answer).options())
    assert replays[0]["fallbacks"] == 1
    assert answers[0]["recalled"] == ["a pear"]


def test_a_spending_cap_stops_the_run_and_keeps_its_file(bench: Bench) -> None:
    histories = [History("a", (*told("a plum"), PURGE, QUESTION))]
    with pytest.raises(UserError, match="sut@scripted: the cap is reached; kept: 0 of 1 trials, in"):
        run(bench, histories, "naive_sql", **ScriptedChat('{"matching_indices": []}', calls=1).options())
    assert bench.kept.is_file()
