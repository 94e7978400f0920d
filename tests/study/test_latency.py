"""Latency of the evaluated trials."""

from pathlib import Path
from typing import Any

import pytest

from lethe.parquet import read_rows, write_rows
from lethe.schemas import LATENCY
from lethe.study.steps.score_latency import latency_rows


def trial(
    verdict: str, inscribe: float, mutate: float, recall: float, calls: int = 0, answer_ms: float = 0.0
) -> dict[str, Any]:
    return {
        "suite": "mine",
        "system": "one",
        "model": "m",
        "verdict": verdict,
        "inscribe_ms": inscribe,
        "mutate_ms": mutate,
        "recall_ms": recall,
        "cpu_ms": inscribe / 2,
        "llm_calls": calls,
        "answer_ms": answer_ms,
    }


def test_latency_is_of_the_evaluated_trials() -> None:
    rows = [trial("pass", 1, 2, 3, 2), trial("fail", 3, 4, 5, 1), trial("na", 99, 99, 99), trial("error", 99, 9, 9)]
    (row,) = latency_rows(rows)
    assert (row["suite"], row["system"], row["model"], row["trials"]) == ("mine", "one", "m", 2)
    assert (row["inscribe_ms"], row["mutate_ms"], row["recall_ms"]) == (2, 3, 4)
    assert (row["wall_ms"], row["wall_median_ms"], row["cpu_ms"], row["llm_calls"]) == (9, 9, 1, 1.5)
    # Two walls of 6 and 12: standard error 3, Student's t of one degree of freedom 12.706.
    assert row["wall_high"] - row["wall_ms"] == pytest.approx(12.706 * 3, abs=0.01)
    assert row["wall_low"] + row["wall_high"] == pytest.approx(2 * row["wall_ms"])


def test_answers_count_with_the_time_in_which_they_were_made() -> None:
    (row,) = latency_rows([trial("pass", 1, 2, 3, answer_ms=500.0)])
    assert (row["wall_ms"], row["mutate_ms"]) == (500, 2)
    (row,) = latency_rows([trial("pass", 1, 700, 3, answer_ms=500.0)])
    assert row["wall_ms"] == 704


def test_one_trial_has_no_interval_and_none_no_row(tmp_path: Path) -> None:
    (row,) = latency_rows([trial("pass", 1.0, 2.0, 3.0)])
    assert (row["wall_low"], row["wall_high"]) == (None, None)
    assert latency_rows([trial("na", 1, 1, 1)]) == []
    write_rows(tmp_path / "l.parquet", LATENCY, [row], "test")
    assert read_rows(tmp_path / "l.parquet", LATENCY) == [row]
