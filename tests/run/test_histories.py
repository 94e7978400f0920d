"""A run of histories in a real worker: scored rows, the journal of a killed run, and what a broken worker does."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from lethe.crosseval.records import History, Operation, Question
from lethe.embedding.embedder import CachedEmbedder
from lethe.errors import LetheError
from lethe.parquet import read_rows, write_rows
from lethe.run.histories import RowIds, run_histories
from lethe.run.runner import ChatAccess, RunSettings
from lethe.run.worker_process import SystemConfiguration
from lethe.schemas import CROSSEVAL, CROSSEVAL_HISTORIES
from tests.support.bench import HashEmbedder

Rows = list[dict[str, Any]]


def told(*rows: str) -> tuple[Operation, ...]:
    return tuple(Operation("inscribe", None, text, f"row-{number}") for number, text in enumerate(rows))


def history(name: str, *rows: str) -> History:
    question = Question("q", "part", "What is there?", "all", required=("pear",), forbidden=("plum",))
    return History(name, told(*rows), (question,))


class Runs:
    """One system's journal and log in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.journal = folder / "journals" / "sut.jsonl"
        self.log = folder / "logs" / "sut.log"

    def run(
        self,
        histories: Sequence[History],
        backend: str = "tests.support.crosseval_backends:Keeper",
        *,
        hybrid: bool = False,
        chat: ChatAccess | None = None,
        **settings: Any,
    ) -> tuple[Rows, Rows]:
        return run_histories(
            "memora",
            SystemConfiguration("sut", backend, {}, Path(sys.executable), "" if chat is None else "scripted"),
            histories,
            CachedEmbedder({}, HashEmbedder()),
            RunSettings(**{"case_timeout_s": 20.0, "start_timeout_s": 60.0, **settings}),
            self.journal,
            self.log,
            "code",
            hybrid=hybrid,
            chat=chat,
        )


class ScriptedChat:
    """Answers what a hook asks the parent with one text, and stops the run once `calls` answers are given."""

    asks_model = True
    lanes = 2
    patience_s = 1.0

    def __init__(self, answer: str, calls: int = 100) -> None:
        self.answer, self.calls = answer, calls
        self.asked: list[str] = []

    @property
    def stop(self) -> str | None:
        return "the cap is reached" if len(self.asked) >= self.calls else None

    def hook(self) -> dict[str, Any]:
        return {"model": "scripted", "temperature": 0.0, "max_tokens": 64}

    def services(self) -> None: ...

    def begin(self, trial: Mapping[str, Any]) -> None: ...

    def respond(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        self.asked.append(asked["key"]["case_id"])
        return {"completion": {"choices": [{"message": {"content": self.answer}, "finish_reason": "stop"}]}}

    def usage(self, row: Mapping[str, Any]) -> dict[str, int | float]:
        calls = self.asked.count(row["case_id"])
        return {"llm_calls": calls, "tokens_in": 10 * calls, "tokens_out": calls, "cost_usd": 0.5 * calls}


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    return Runs(tmp_path)


def test_rows_come_in_order_and_fit_their_tables(runs: Runs, tmp_path: Path) -> None:
    mutated = History(
        "c",
        (*told("a pear", "a plum"), Operation("supersede", "pear", "a fig"), Operation("purge", "plum", None)),
        history("c").questions,
    )
    answers, replays = runs.run([history("b", "a pear"), history("a", "a plum"), mutated])
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
    assert not runs.journal.exists()


def test_a_store_that_embeds_is_sent_the_vectors_of_its_texts(runs: Runs) -> None:
    answers, _ = runs.run([history("a", "red pear", "dull stone", "green fig")], "lethe", k=1)
    assert len(answers[0]["recalled"]) == 1
    question = Question("q", "part", "a dull stone", "all")
    answers, _ = runs.run([History("a", told("red pear", "dull stone", "green fig"), (question,))], "lethe", k=1)
    assert answers[0]["recalled"] == ["dull stone"]


def test_each_history_starts_from_an_empty_store(runs: Runs) -> None:
    answers, _ = runs.run([history("a", "a plum"), history("b", "a pear")], "naive_sql")
    assert [row["recalled"] for row in answers] == [["a plum"], ["a pear"]]


def test_a_killed_run_goes_on_after_the_last_whole_history(runs: Runs, tmp_path: Path) -> None:
    count, alive = tmp_path / "count", tmp_path / "alive"
    histories = [history("a", f"touch {count}"), history("b", f"needs {alive}"), history("c", "a pear")]
    with pytest.raises(LetheError, match=r"the worker died in history b .*1 finished histories are kept in"):
        runs.run(histories)
    alive.touch()
    answers, _ = runs.run(histories)
    assert [row["history"] for row in answers] == ["a", "b", "c"]
    assert count.read_text(encoding="utf-8") == "told\n"


def test_worker_failures_can_be_recorded(runs: Runs) -> None:
    histories = [history("a", "a pear"), history("b", "needs /nowhere/at/all"), history("c", "a pear")]
    answers, replays = runs.run(histories, worker_failure="record")
    assert [row["verdict"] for row in answers] == ["pass", "error", "pass"]
    assert "died in history b" in answers[1]["error"] and replays[1]["error"] == answers[1]["error"]
    assert answers[1]["recall_rate"] is None


def test_a_hanging_history_is_ended(runs: Runs) -> None:
    answers, _ = runs.run([history("a", "hang"), history("b", "a pear")], worker_failure="record", case_timeout_s=2.0)
    assert [row["verdict"] for row in answers] == ["error", "pass"]
    assert "hung in history a for 2 s" in answers[0]["error"]


def test_a_system_that_raises_is_an_error_of_that_history_alone(runs: Runs) -> None:
    answers, replays = runs.run([history("a", "raise"), history("b", "a pear")])
    assert [(row["verdict"], row["error"]) for row in answers] == [
        ("error", "RuntimeError: told to raise"),
        ("pass", None),
    ]
    assert [row["error"] for row in replays] == ["RuntimeError: told to raise", None]


def test_a_run_of_errors_alone_is_no_result(runs: Runs) -> None:
    with pytest.raises(LetheError, match="every one of 2 histories broke, the first with: RuntimeError: told to raise"):
        runs.run([history("a", "raise"), history("b", "raise")])


def test_rows_are_scored_by_their_ids(runs: Runs) -> None:
    question = Question("q", "type", "pear", "rows", gold_rows=("row-1",))
    answers, _ = runs.run([History("a", told("a plum", "a pear", "a plum"), (question,))])
    assert answers[0]["recalled"] == ["row-0", "row-1", "row-2"]
    assert answers[0]["gold_ranks"] == [2] and answers[0]["verdict"] == "pass"


def test_equal_texts_give_their_ids_in_order_and_unknown_texts_none() -> None:
    ids = RowIds(History("a", told("x", "y", "x"), ()))
    assert ids.of(["x", "z", "x", "x", "y"]) == ["row-0", "", "row-2", "", "row-1"]


PURGE = Operation("purge", "a plum", None)


def test_a_hook_decides_and_its_calls_are_counted_by_history(runs: Runs) -> None:
    histories = [History(name, (*told("a pear", "a plum"), PURGE), history(name).questions) for name in ("a", "b")]
    chat = ScriptedChat('{"matching_indices": [0, 1]}')
    answers, replays = runs.run(histories, "naive_sql", chat=chat)
    assert sorted(chat.asked) == ["a", "b"]
    assert [(row["model"], row["llm_calls"], row["tokens_in"], row["cost_usd"]) for row in replays] == [
        ("scripted", 1, 10, 0.5),
        ("scripted", 1, 10, 0.5),
    ]
    assert [row["fallbacks"] for row in replays] == [0, 0]
    assert [row["recalled"] for row in answers] == [[], []]


def test_an_unusable_answer_falls_back_and_is_counted(runs: Runs) -> None:
    histories = [History("a", (*told("a pear", "a plum"), PURGE), history("a").questions)]
    answers, replays = runs.run(histories, "naive_sql", chat=ScriptedChat("no JSON at all"))
    assert replays[0]["fallbacks"] == 1
    assert answers[0]["recalled"] == ["a pear"]


def test_a_spending_cap_stops_the_run_and_keeps_its_journal(runs: Runs) -> None:
    histories = [History("a", (*told("a plum"), PURGE), history("a").questions)]
    with pytest.raises(LetheError, match="sut with scripted: the cap is reached; 0 finished histories are kept in"):
        runs.run(histories, "naive_sql", chat=ScriptedChat('{"matching_indices": []}', calls=1))
    assert runs.journal.is_file()
