"""The audit of answers to other authors' benchmarks: of what is named by its ids, a history's memories once each."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.history import History, Operation, Question
from forgeteval.run.replay import Answer, Replay
from lethe.config.configurations import Configuration
from lethe.crosseval.records import operation_rows, question_rows
from lethe.gateway.context import Usage
from lethe.jobs.benchmark_trials import judged_again, rows_of_benchmark
from lethe.jobs.kept import FinishedTrial
from lethe.schemas import CROSSEVAL, CROSSEVAL_HISTORIES, CROSSEVAL_OPERATIONS, CROSSEVAL_QUESTIONS
from lethe.study.inputs import Files
from lethe.study.setup import Benchmark, Erasure, Long
from lethe.trust.judged import check_judged
from lethe.trust.record import Audit
from tests.support.findings import invented_setup

SYSTEM, BENCHMARK, K = "keeper", "longmemeval", 10
FILE = CROSSEVAL.path.format(benchmark=BENCHMARK, system=SYSTEM)
TOLD = ("a pear", "a plum", "a pear", "a fig")
QUESTIONS = [Question(name, "part", "What?", "rows", gold_rows=("row-0",)) for name in ("q0", "q1")]
HISTORY = History("h", (*(Operation("inscribe", None, text, f"row-{n}") for n, text in enumerate(TOLD)), *QUESTIONS))
ALL = ["a pear", "a pear", "a plum", "a fig", "another", "and another"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda ids: ids, ""),
        (lambda ids: ["row-0", "", "", "row-3"], ""),
        (lambda ids: ["row-0"] * K, "recalled: row-0; its history has no such memory, or not so often"),
        (lambda ids: [*ids, "row-9", "row-8"], "recalled: row-8, row-9; its history has no such memory"),
    ],
)
def test_what_was_forged_of_recalled_ids_is_found(change: Callable[[list[str]], list[str]], said: str) -> None:
    lines = audited(change)
    assert len(lines) == (len(QUESTIONS) if said else 0), lines
    for line, question in zip(lines, QUESTIONS, strict=False):
        assert line.startswith(f"{FILE}: {BENCHMARK} {SYSTEM} h {question.question_id}: {said}")


def audited(change: Callable[[list[str]], list[str]]) -> list[str]:
    """What the audit finds of a run that recalled everything, once its ids are changed and all else follows."""
    entry = Configuration(SYSTEM, "Keeper")
    replay = Replay(inscribed=len(TOLD), answers=[Answer(question.question_id, ALL) for question in QUESTIONS])
    run = FinishedTrial(BENCHMARK, HISTORY.name, 0, replay, Usage())
    made, replays = rows_of_benchmark(BENCHMARK, entry, [HISTORY], [run])
    assert [row["recalled"] for row in made] == [["row-0", "row-2", "row-1", "row-3", "", ""]] * len(QUESTIONS)
    forged = [{**row, "recalled": change(row["recalled"])} for row in made]
    rows: dict[str, list[dict[str, Any]]] = {
        CROSSEVAL_OPERATIONS.path.format(benchmark=BENCHMARK): operation_rows(BENCHMARK, [HISTORY]),
        CROSSEVAL_QUESTIONS.path.format(benchmark=BENCHMARK): question_rows(BENCHMARK, [HISTORY]),
        CROSSEVAL_HISTORIES.path.format(benchmark=BENCHMARK, system=SYSTEM): replays,
        FILE: [judged_again(row, question) for row, question in zip(forged, QUESTIONS, strict=True)],
    }
    setup = replace(
        invented_setup(),
        configurations={SYSTEM: entry},
        suites={},
        atlas={},
        long=Long(0, (), (), {}),
        erasure=Erasure({}, {}, {}),
        benchmarks={BENCHMARK: Benchmark(True, None, {})},
        hook_pairs=[],
        told=[],
    )
    found = Audit("")
    check_judged(setup, K, Files(Path("not there"), None, rows), found)
    return found.findings
