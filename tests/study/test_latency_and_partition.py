"""Latency of the evaluated trials, and the label partition with and without a hooked twin."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.case import Case, Mutation
from lethe.parquet import read_rows, write_rows
from lethe.schemas import LABEL_PARTITION, LATENCY
from lethe.study.label_partition import partition_rows
from lethe.study.latency import latency_rows

CASE = Case("c0", "mine", "drift", ("f",), (Mutation("purge", "q"),), "q?", ("a",), ("b",))
CASES = [replace(CASE, case_id=f"c{n}", provenance="core" if n == 0 else "expansion") for n in range(5)]


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


def verdicts(scorer: str = "substring", repetition: int = 0, **systems: str) -> list[dict[str, Any]]:
    words = {"p": "pass", "f": "fail", "n": "na", "e": "error"}
    return [
        {
            "suite": "mine",
            "system": name.partition("__")[0],
            "model": name.partition("__")[2],
            "repetition": repetition,
            "case_id": f"c{case}",
            "scorer": scorer,
            "verdict": words[verdict],
        }
        for name, given in systems.items()
        for case, verdict in enumerate(given)
    ]


VERDICTS = [
    *verdicts(lethe="fpffe", hooked__m="ppfpp", other="ppnfp", control="ppppp"),
    *verdicts("probed", lethe="ppppp"),
    *verdicts(repetition=1, other="fffff"),
]


def counts(rows: list[dict[str, Any]], label: str, row: str) -> tuple[int, int, int, int]:
    (found,) = [r for r in rows if (r["label"], r["configuration"]) == (label, row)]
    return found["cases"], found["passed"], found["na"], found["errors"]


def test_a_hooked_twin_splits_the_hard_cases(tmp_path: Path) -> None:
    rows = partition_rows(CASES, VERDICTS, "lethe", ["hooked@m"], frozenset({"control"}))
    assert {row["hooked"] for row in rows} == {"hooked@m"}
    assert list(dict.fromkeys(row["label"] for row in rows)) == [
        "manual",
        "easy",
        "llm_lift",
        "unsolvable",
        "unlabelled",
    ]
    assert counts(rows, "manual", "hooked@m") == (1, 1, 0, 0)
    assert counts(rows, "easy", "lethe") == (1, 1, 0, 0)
    assert counts(rows, "llm_lift", "hooked@m") == (1, 1, 0, 0)
    assert counts(rows, "unsolvable", "other") == (1, 0, 1, 0)
    assert counts(rows, "unlabelled", "lethe") == (1, 0, 0, 1), "the reference came to no verdict"
    assert not any(row["configuration"] == "control" for row in rows)
    write_rows(tmp_path / "p.parquet", LABEL_PARTITION, rows, "test")
    assert read_rows(tmp_path / "p.parquet", LABEL_PARTITION) == rows


def test_without_a_hooked_twin_the_hard_cases_stay_whole() -> None:
    rows = partition_rows(CASES, VERDICTS, "lethe", [], frozenset({"control"}))
    assert {row["hooked"] for row in rows} == {""}
    assert counts(rows, "hard", "lethe") == (2, 0, 0, 0)
    assert counts(rows, "hard", "other") == (2, 0, 1, 0)


def test_each_hooked_twin_gives_a_partition_of_its_own() -> None:
    more = [*VERDICTS, *verdicts(hooked__n="pffff")]
    rows = partition_rows(CASES, more, "lethe", ["hooked@m", "hooked@n"], frozenset({"control"}))
    cases = {
        (row["hooked"], row["label"]): row["cases"]
        for row in rows
        if row["configuration"] == "lethe" and row["label"] != "manual"
    }
    assert cases["hooked@n", "unsolvable"] == 2 and ("hooked@n", "llm_lift") not in cases
