"""The store-size axis through the workflow: memories, trials and scores of a small imported suite."""

from pathlib import Path
from typing import Any

import pytest

from lethe.embedding.vectors import read_vectors
from lethe.parquet import read_rows
from lethe.schemas import STORE_SIZE, TRIALS
from tests.workflow.conftest import Snakemake, write_cases

pytestmark = pytest.mark.slow

KEEPER = {
    "label": "Keeper",
    "regime": "deterministic",
    "backend": "forgeteval.stores.controls:Verbatim",
    "environment": "pipeline",
}


def configuration(folder: Path) -> dict[str, Any]:
    """Four cases of one category among 0, 3 and 7 rows, on a system that recalls all it was ever told."""
    write_cases(folder / "mine.jsonl", 4)
    return {
        "suites": {"mine": {"source": str(folder / "mine.jsonl"), "label": "Mine"}},
        "systems": {"keeper": KEEPER},
        "run": {
            "suites": ["mine"],
            "systems": ["keeper", "naive_sql", "mempalace", "oracle", "null"],
            "workloads": ["store_size"],
            "k": 1000,
        },
        "paper": {"adversarial_suite": "mine"},
        "seed": 5,
        "store_size": [0, 3, 7],
    }


def recalled(folder: Path, size: int) -> list[list[str]]:
    trials = read_rows(folder / f"out/results/store_size/{size}/keeper.parquet", TRIALS)
    return [sorted(trial["recalled"]) for trial in trials]


def jobs(output: str) -> dict[str, int]:
    """Rule to number of jobs, from the table that a dry run ends with."""
    table = output.rpartition("Job stats:")[2].partition("Reasons:")[0]
    counts = (line.split() for line in table.splitlines())
    return {parts[0]: int(parts[1]) for parts in counts if len(parts) == 2 and parts[1].isdigit()}


def test_the_axis_from_memories_to_scores(snakemake: Snakemake, tmp_path: Path) -> None:
    target = f"{tmp_path}/out/results/analysis/store_size.parquet"
    done = snakemake([target], configuration(tmp_path))
    assert done.returncode == 0, done.stderr
    out = tmp_path / "out"
    rows = list(read_vectors(out / "results/store_size/haystack.parquet"))
    assert len(rows) == 7
    for size in (0, 3, 7):
        for number, texts in enumerate(recalled(tmp_path, size), start=1):
            told = [f"Ticket {number} is about the printer.", "The office closes at six."]
            assert texts == sorted([*rows[:size], *told])
        trials = read_rows(out / f"results/store_size/{size}/naive_sql.parquet", TRIALS)
        assert [(t["suite"], t["case_id"]) for t in trials] == [(f"mine+{size}", f"case-{n}") for n in (1, 2, 3, 4)]

    scores = read_rows(out / "results/analysis/store_size.parquet", STORE_SIZE)
    assert {(s["size"], s["system"]) for s in scores} == {
        (size, system) for size in (0, 3, 7) for system in ("keeper", "naive_sql", "mempalace", "oracle")
    }
    assert {(s["suite"], s["cases"]) for s in scores} == {("mine", 4)}
    assert {s["passed"] for s in scores if s["system"] == "naive_sql"} == {4}
    assert {s["passed"] for s in scores if s["system"] == "keeper"} == {0}
    assert (out / "results/trials/naive_sql.trials").is_file()
    assert (out / "results/logs/runs/naive_sql.log").is_file()

    assert "Nothing to be done" in snakemake([target], configuration(tmp_path)).stderr
    added = configuration(tmp_path)
    added["systems"]["second"] = {**KEEPER, "label": "Second"}
    added["run"]["systems"].append("second")
    counted = snakemake([target], added, "--dry-run")
    assert counted.returncode == 0, counted.stderr
    assert jobs(counted.stdout + counted.stderr) == {
        "run_second": 1, "score_store_size": 1, "total": 2,
    }  # fmt: skip
