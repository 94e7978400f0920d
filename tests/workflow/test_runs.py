"""Imported suites, killed runs, other seeds, and what bad input gets, through the workflow itself."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from lethe.parquet import read_rows
from lethe.schemas import TRIALS
from tests.workflow.conftest import ROOT, VERDICT_COLUMNS, Snakemake, case, snakemake_command, write_cases

pytestmark = pytest.mark.slow


def _mine(source: Path) -> dict[str, object]:
    return {"suites": {"mine": {"source": str(source)}}}


def test_an_imported_suite_runs_alone(snakemake: Snakemake, tmp_path: Path) -> None:
    write_cases(tmp_path / "mine.jsonl", 3)
    target = f"{tmp_path}/out/results/runs/mine/lethe.parquet"
    done = snakemake([target], _mine(tmp_path / "mine.jsonl"))
    assert done.returncode == 0, done.stderr
    trials = read_rows(Path(target), TRIALS)
    assert [trial["case_id"] for trial in trials] == ["case-1", "case-2", "case-3"]
    assert {trial["verdict"] for trial in trials} == {"pass"}
    written = {path.relative_to(tmp_path / "out/results").parts[:2] for path in (tmp_path / "out").rglob("*.parquet")}
    assert written == {("suites", "mine"), ("embeddings", "mine.parquet"), ("runs", "mine")}


def test_another_seed_gives_other_cases(snakemake: Snakemake, tmp_path: Path) -> None:
    small = {"generator": "template", "cases_per_family": 2, "distractors": 4}
    suites = {"one": {**small, "seed": 42}, "two": {**small, "seed": 43}}
    targets = [f"{tmp_path}/out/results/runs/{suite}/naive_sql.parquet" for suite in suites]
    done = snakemake(targets, {"suites": suites})
    assert done.returncode == 0, done.stderr
    one, two = (read_rows(Path(target), TRIALS) for target in targets)
    assert [trial["recalled"] for trial in one] != [trial["recalled"] for trial in two]


@pytest.mark.parametrize("whole_group", [True, False], ids=["with its jobs", "snakemake alone"])
def test_a_killed_run_goes_on_where_it_was(snakemake: Snakemake, tmp_path: Path, whole_group: bool) -> None:
    write_cases(tmp_path / "mine.jsonl", 40)
    slow = {
        "label": "Slow",
        "regime": "control",
        "backend": "tests.workflow.slow_backend:Slow",
        "environment": "pipeline",
    }
    config = {**_mine(tmp_path / "mine.jsonl"), "systems": {"slow": slow}}
    target = tmp_path / "out/results/runs/mine/slow.parquet"
    journal = tmp_path / "out/results/journals/mine/slow.jsonl"
    running = subprocess.Popen(
        snakemake_command([str(target)], config, tmp_path),
        cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 90
    while not (journal.exists() and journal.read_bytes().count(b"\n") > 6):
        assert time.monotonic() < deadline and running.poll() is None, "the run never got going"
        time.sleep(0.05)
    if whole_group:
        os.killpg(running.pid, signal.SIGKILL)
    else:
        running.kill()
    running.wait()
    time.sleep(2)
    kept = journal.read_bytes().count(b"\n") - 1
    assert not target.exists()

    resumed = snakemake([str(target)], config)
    assert resumed.returncode == 0, resumed.stderr
    assert f"{kept} of 40 trials are in" in resumed.stderr
    assert not journal.exists()
    trials = read_rows(target, TRIALS)
    target.unlink()
    undisturbed = snakemake([str(target)], config)
    assert undisturbed.returncode == 0, undisturbed.stderr
    again = read_rows(target, TRIALS)
    for column in VERDICT_COLUMNS:
        assert [trial[column] for trial in trials] == [trial[column] for trial in again], column


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"run": {"cas_timeout_s": 3}}, "config: run.cas_timeout_s: unknown key"),
        ({"run": {"systems": ["nonesuch"]}}, "config: run.systems: unknown name 'nonesuch'"),
        ({"systems": {"x": {"label": "X", "regime": "control", "backend": "y", "environment": "pipeline"}}},
         "unknown backend 'y'"),
        ({"suites": {"mine": {"source": "missing.jsonl"}}}, "suites.mine.source: missing.jsonl is not a file"),
    ],
)  # fmt: skip
def test_a_bad_configuration_is_one_line(snakemake: Snakemake, config: dict[str, object], message: str) -> None:
    done = snakemake(["paper_tables"], config, "-n")
    assert done.returncode == 1
    lines = [line for line in done.stderr.splitlines() if line.startswith("error:")]
    assert len(lines) == 1 and message in lines[0], done.stderr
    assert "Traceback" not in done.stderr


def test_a_malformed_case_names_file_line_and_field(snakemake: Snakemake, tmp_path: Path) -> None:
    source = tmp_path / "mine.jsonl"
    write_cases(source, 2)
    broken = {**case(3), "category": ["unheard_of"]}
    source.write_text(source.read_text(encoding="utf-8") + str(broken).replace("'", '"') + "\n", encoding="utf-8")
    target = f"{tmp_path}/out/results/runs/mine/lethe.parquet"
    done = snakemake([target], _mine(source))
    assert done.returncode != 0
    assert f"error: {source}:3: category: must be a string, not list" in done.stderr
    assert not list((tmp_path / "out").rglob("*.parquet"))


def test_an_output_folder_that_cannot_be_written_is_named(snakemake: Snakemake, tmp_path: Path) -> None:
    write_cases(tmp_path / "mine.jsonl", 1)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "results").write_text("a file in the way", encoding="utf-8")
    done = snakemake([f"{tmp_path}/out/results/runs/mine/lethe.parquet"], _mine(tmp_path / "mine.jsonl"))
    assert done.returncode != 0
    assert str(tmp_path / "out" / "results") in done.stderr
