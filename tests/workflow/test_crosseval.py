"""The cross-evaluations through the workflow, on the small data sets of tests/crosseval/data."""

import csv
from pathlib import Path
from typing import Any

import pytest

from lethe.parquet import read_rows
from lethe.schemas import CROSSEVAL, CROSSEVAL_SCORES
from tests.workflow.conftest import ROOT, Snakemake, write_cases

pytestmark = pytest.mark.slow

DATA = ROOT / "tests" / "crosseval" / "data"
TABLES = ("memora_systems", "memora_readings", "factcons_systems", "longmemeval_systems")


def configuration(folder: Path, **changes: Any) -> dict[str, Any]:
    """The benchmarks, and one small suite, since all tables are written together."""
    write_cases(folder / "mine.jsonl", 2)
    return {
        "suites": {"mine": {"source": str(folder / "mine.jsonl")}},
        "paper": {"template_suite": "mine", "adversarial_suite": "mine"},
        "run": {
            "suites": ["mine"],
            "systems": ["lethe", "naive_sql", "mempalace", "null", "oracle"],
            "workloads": ["memora", "factcons", "longmemeval"],
        },
        "crosseval": {
            "factcons_lengths": {length: ["naive_sql"] for length in ("64k", "262k")},
            **changes,
        },
        "datasets": str(DATA),
    }


def cells(folder: Path, table: str) -> list[list[str]]:
    with (folder / f"out/paper_tables/{table}.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream))


def test_from_data_sets_to_tables(snakemake: Snakemake, tmp_path: Path) -> None:
    targets = [f"{tmp_path}/out/paper_tables/{table}.csv" for table in TABLES]
    done = snakemake(targets, configuration(tmp_path))
    assert done.returncode == 0, done.stderr

    memora = {row[0]: row for row in cells(tmp_path, "memora_systems")}
    # Two vacuous reasoning and recommending answers of `sailor`, and what a store of nothing does not leak.
    assert memora["null"][1:5] == ["1/2", "1/2", "1/2", "3/6 (50.0%)"]
    assert memora["MemPalace"][7] == "2" and memora["Lethe"][7] == "0"
    factcons = {row[0]: row for row in cells(tmp_path, "factcons_systems")}
    assert factcons["Naive SQL"][1:9] == ["2/2", "2/2", "2/2", "2/2", "1/1", "1/1", "1/1", "1/1"]
    assert factcons["null"][1] == "0/2"
    assert factcons["Lethe"][3] == "–" and factcons["Lethe (published)"][5] == "28/100"

    answers = read_rows(tmp_path / "out/results/crosseval/longmemeval/lethe.parquet", CROSSEVAL)
    assert [(a["verdict"], len(a["gold_ranks"])) for a in answers] == [("pass", 2), ("na", 0)]
    assert {row for answer in answers for row in answer["recalled"]} <= {
        "answer_1a2b_1", "answer_1a2b_2", "sharegpt_1", "ultrachat_7",
    }  # fmt: skip
    scores = read_rows(tmp_path / "out/results/analysis/crosseval/memora.parquet", CROSSEVAL_SCORES)
    assert {score["system"] for score in scores} == {"lethe", "naive_sql", "mempalace", "null"}
    assert (tmp_path / "out/results/trials/mempalace.trials").is_file()
    assert "Nothing to be done" in snakemake(targets, configuration(tmp_path)).stderr


def test_absent_data_is_a_row_that_says_so_and_no_job_else(snakemake: Snakemake, tmp_path: Path) -> None:
    absent = configuration(tmp_path) | {"datasets": f"{tmp_path}/none"}
    done = snakemake([f"{tmp_path}/out/paper_tables/{table}.csv" for table in TABLES], absent)
    assert done.returncode == 0, done.stderr
    reason = f"not run: no data at {tmp_path}/none/memora/weekly; `forgeteval fetch memora` brings it"
    assert cells(tmp_path, "memora_systems")[1][0] == reason
    assert ["Lethe (published)", "All", "all", "500", "0.796", "0.938", "0.982", ""] in cells(
        tmp_path, "longmemeval_systems"
    )
    assert not (tmp_path / "out/results/crosseval_data").exists()


def test_an_unknown_system_is_one_line(snakemake: Snakemake, tmp_path: Path) -> None:
    done = snakemake(["--dry-run", "paper_tables"], configuration(tmp_path, factcons_lengths={"6k": ["lehte"]}))
    assert done.returncode == 1
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("error:")]
    assert "crosseval.factcons_lengths.6k" in line and "'lehte'" in line
