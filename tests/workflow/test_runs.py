"""Imported suites, killed runs, other seeds, and what bad input gets, through the workflow itself."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
import yaml

from lethe.parquet import read_rows
from lethe.schemas import CASES, TRIALS
from tests.support.jobs import copy_project
from tests.workflow.conftest import (
    ROOT,
    SUITES_ALONE,
    VERDICT_COLUMNS,
    Snakemake,
    case,
    snakemake_command,
    write_cases,
)

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


def test_cases_that_were_exchanged_for_an_older_file_are_read_again(snakemake: Snakemake, tmp_path: Path) -> None:
    source, target = tmp_path / "mine.jsonl", f"{tmp_path}/out/results/suites/mine/cases.parquet"
    write_cases(source, 3)
    assert snakemake([target], _mine(source)).returncode == 0
    write_cases(source, 2)
    os.utime(source, (1e9, 1e9))
    assert snakemake([target], _mine(source)).returncode == 0
    assert len(read_rows(Path(target), CASES)) == 2
    assert _nothing_to_do(snakemake([target], _mine(source), "-n"))


def test_other_material_that_is_older_is_read_again(tmp_path: Path) -> None:
    folder = copy_project(tmp_path / "clone")
    material = folder / "suites/erasure/material.yaml"

    def run(*options: str) -> str:
        command = [sys.executable, "-m", "snakemake", "--cores", "1", "results/erasure/cases.parquet", *options]
        environment = os.environ | {"PYTHONPATH": str(folder)}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
        return done.stdout + done.stderr

    run()
    assert "Nothing to be done" in run("-n")
    material.write_text(material.read_text(encoding="utf-8").replace("Ines Varga", "Ines Vargas"), encoding="utf-8")
    os.utime(material, (1e9, 1e9))
    assert "rule build_erasure" in run("-n")


def test_another_seed_gives_other_cases(snakemake: Snakemake, tmp_path: Path) -> None:
    small = {"cases_per_family": 2}
    suites = {"one": {**small, "seed": 42}, "two": {**small, "seed": 43}}
    targets = [f"{tmp_path}/out/results/runs/{suite}/naive_sql.parquet" for suite in suites]
    done = snakemake(targets, {"suites": suites})
    assert done.returncode == 0, done.stderr
    one, two = (read_rows(Path(target), TRIALS) for target in targets)
    assert [trial["recalled"] for trial in one] != [trial["recalled"] for trial in two]


def _two_suites(folder: Path, *further: str) -> dict[str, Any]:
    """Suites of three cases each; of `one` and `two`, two are the same."""
    suites = {}
    for first, suite in enumerate(["one", "two", *further], start=1):
        path = folder / f"{suite}.jsonl"
        path.write_text("".join(json.dumps(case(number)) + "\n" for number in range(first, first + 3)))
        suites[suite] = {"source": str(path), "label": suite}
    return {
        "suites": suites,
        "run": {"suites": list(suites), "systems": ["naive_sql"]},
        "paper": {f"{name}_suite": "one" for name in ("template", "adversarial", "held_out")},
        "resamples": 100,
    }


def _nothing_to_do(planned: "subprocess.CompletedProcess[str]") -> bool:
    return "Nothing to be done" in planned.stdout + planned.stderr


def _file_of(folder: Path, suite: str, system: str = "naive_sql") -> str:
    return str(folder / f"out/results/runs/{suite}/{system}.parquet")


def test_a_finished_folder_runs_nothing_again_and_a_new_suite_its_own_trials(
    snakemake: Snakemake, tmp_path: Path
) -> None:
    config = _two_suites(tmp_path)
    done = snakemake(["paper_tables"], config)
    assert done.returncode == 0, done.stderr
    for targets in (
        ["paper_tables"],
        [_file_of(tmp_path, "one")],
        [_file_of(tmp_path, suite) for suite in ("one", "two")],
    ):
        assert _nothing_to_do(snakemake(targets, config, "-n")), targets

    more = _two_suites(tmp_path, "three")
    done = snakemake(["paper_tables"], more)
    assert done.returncode == 0, done.stderr
    # Four cases had run, and of the three of the new suite, two are among them.
    assert "naive_sql: 4 of 5 trials are in" in done.stderr
    assert (tmp_path / "out/results/trials/naive_sql.trials").read_bytes().count(b"\n") == 5
    trials = read_rows(Path(_file_of(tmp_path, "three")), TRIALS)
    assert [(trial["suite"], trial["case_id"]) for trial in trials] == [("three", f"case-{n}") for n in (3, 4, 5)]
    assert _nothing_to_do(snakemake(["paper_tables"], more, "-n"))


def test_a_single_file_has_its_own_suite_run_alone_and_the_rest_takes_up_its_trials(
    snakemake: Snakemake, tmp_path: Path
) -> None:
    config = _two_suites(tmp_path)
    one, two = (Path(_file_of(tmp_path, suite)) for suite in ("one", "two"))
    done = snakemake([str(one)], config)
    assert done.returncode == 0, done.stderr
    assert one.is_file() and not two.exists() and not (tmp_path / "out/results/suites/two").exists()
    assert _nothing_to_do(snakemake([str(one)], config, "-n"))
    done = snakemake([str(one), str(two)], config)
    assert done.returncode == 0, done.stderr
    assert "naive_sql: 3 of 4 trials are in" in done.stderr
    assert [trial["case_id"] for trial in read_rows(two, TRIALS)] == ["case-2", "case-3", "case-4"]
    assert _nothing_to_do(snakemake([str(two)], config, "-n"))


def test_a_system_whose_cases_depend_on_those_before_begins_anew_with_each_suite(
    snakemake: Snakemake, tmp_path: Path
) -> None:
    entry = {
        "label": "Counting",
        "regime": "control",
        "backend": "tests.workflow.slow_backend:Counting",
        "environment": "pipeline",
        "in_order": True,
    }
    config = {**_two_suites(tmp_path), "systems": {"counting": entry}}
    config["run"]["systems"] = ["counting"]
    targets = [_file_of(tmp_path, suite, "counting") for suite in ("one", "two")]
    done = snakemake(targets, config)
    assert done.returncode == 0, done.stderr
    for target in targets:
        counted = [trial["recalled"][0] for trial in read_rows(Path(target), TRIALS)]
        assert counted == ["case 1", "case 2", "case 3"]


def test_a_folder_that_was_moved_or_copied_runs_nothing_again(tmp_path: Path) -> None:
    first = copy_project(tmp_path / "first")
    config = {**_two_suites(first), "output_dir": "out"}
    for suite in config["suites"].values():
        suite["source"] = Path(suite["source"]).name
    config["run"] |= {**SUITES_ALONE, "systems": ["naive_sql", "qdrant", "lethe+matcher"]}
    (first / "mine.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")

    def run(folder: Path, *options: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "snakemake", "--cores", "2", "paper_tables", "--configfile", "mine.yaml"]
        environment = os.environ | {"PYTHONPATH": str(folder)}
        done = subprocess.run(
            [*command, *options], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done

    run(first)
    moved, copied = tmp_path / "elsewhere" / "moved", tmp_path / "copied"
    moved.parent.mkdir()
    first.rename(moved)
    assert _nothing_to_do(run(moved, "-n"))
    # As `cp -r` does it: every file has the time of its copy.
    shutil.copytree(moved, copied, copy_function=shutil.copyfile, symlinks=True)
    assert _nothing_to_do(run(copied, "-n"))


def _slow(cases: Path) -> dict[str, Any]:
    """Forty cases in a file, and a system that takes its time."""
    write_cases(cases, 40)
    slow = {
        "label": "Slow",
        "regime": "control",
        "backend": "tests.workflow.slow_backend:Slow",
        "environment": "pipeline",
    }
    return {**_mine(cases), "systems": {"slow": slow}}


@pytest.mark.parametrize("whole_group", [True, False], ids=["with its jobs", "snakemake alone"])
def test_a_killed_run_goes_on_where_it_was(snakemake: Snakemake, tmp_path: Path, whole_group: bool) -> None:
    config = _slow(tmp_path / "mine.jsonl")
    target = tmp_path / "out/results/runs/mine/slow.parquet"
    trials_file = tmp_path / "out/results/trials/slow.trials"
    running = subprocess.Popen(
        snakemake_command([str(target)], config, tmp_path),
        cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 90
    while not (trials_file.exists() and trials_file.read_bytes().count(b"\n") > 6):
        assert time.monotonic() < deadline and running.poll() is None, "the run never got going"
        time.sleep(0.05)
    if whole_group:
        os.killpg(running.pid, signal.SIGKILL)
    else:
        running.kill()
    running.wait()
    time.sleep(2)
    kept = trials_file.read_bytes().count(b"\n")
    assert not target.exists()

    # What it does slowly, another system does undisturbed.
    undisturbed = target.with_name("verbatim.parquet")
    resumed = snakemake([str(target), str(undisturbed)], config)
    assert resumed.returncode == 0, resumed.stderr
    assert f"{kept} of 40 trials are in" in resumed.stderr
    trials, quick = read_rows(target, TRIALS), read_rows(undisturbed, TRIALS)
    assert len(trials) == 40
    for column in VERDICT_COLUMNS:
        assert [trial[column] for trial in trials] == [trial[column] for trial in quick], column


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


@pytest.mark.parametrize(
    ("folder", "said"),
    [("/proc/xx", "/proc/xx/results/logs/code cannot be made (No such file or directory); name a folder to write to"),
     ("", "a file; name a folder")],
    ids=["proc", "a file"],
)  # fmt: skip
def test_an_output_folder_that_cannot_be_made_is_one_line(
    snakemake: Snakemake, tmp_path: Path, folder: str, said: str
) -> None:
    (tmp_path / "in the way").write_text("a file", encoding="utf-8")
    done = snakemake(["paper_tables"], {"output_dir": folder or str(tmp_path / "in the way")})
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert lines[-1].startswith("error: config: output_dir: ") and lines[-1].endswith(said), done.stderr
    assert "Traceback" not in done.stderr


def test_a_run_on_no_core_is_refused(snakemake: Snakemake, tmp_path: Path) -> None:
    write_cases(tmp_path / "mine.jsonl", 1)
    target = str(tmp_path / "out/results/suites/mine/cases.parquet")
    done = snakemake([target], _mine(tmp_path / "mine.jsonl"), "--cores", "0")
    assert done.returncode == 1
    assert "error: --cores 0: no job would ever start; give 1 or more, or all" in done.stderr


def test_results_that_are_a_file_are_named(snakemake: Snakemake, tmp_path: Path) -> None:
    write_cases(tmp_path / "mine.jsonl", 1)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "results").write_text("a file in the way", encoding="utf-8")
    done = snakemake([f"{tmp_path}/out/results/runs/mine/lethe.parquet"], _mine(tmp_path / "mine.jsonl"))
    assert done.returncode == 1
    said = f"error: config: output_dir: {tmp_path}/out/results/logs/code cannot be made (Not a directory)"
    assert said in done.stderr and "Traceback" not in done.stderr, done.stderr


def test_ctrl_c_ends_everything_and_the_same_command_goes_on(snakemake: Snakemake, tmp_path: Path) -> None:
    config = _slow(tmp_path / "mine.jsonl")
    target, trials_file = (tmp_path / "out/results" / name for name in ("runs/mine/slow.parquet", "trials/slow.trials"))
    with (tmp_path / "said.txt").open("w", encoding="utf-8") as said:
        running = subprocess.Popen(
            snakemake_command([str(target)], config, tmp_path),
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,
            # Whoever runs the tests in the background may have had it ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
    deadline = time.monotonic() + 90
    while not (trials_file.exists() and trials_file.read_bytes().count(b"\n") > 6):
        assert time.monotonic() < deadline and running.poll() is None, (tmp_path / "said.txt").read_text()
        time.sleep(0.05)
    started = psutil.Process(running.pid).children(recursive=True)
    assert started
    # A terminal sends it to all that runs in its foreground.
    os.killpg(running.pid, signal.SIGINT)
    assert running.wait(60) != 0
    lines = (tmp_path / "said.txt").read_text(encoding="utf-8").splitlines()
    assert "stopped; what is finished is kept, and the same command goes on from there" in lines
    _, alive = psutil.wait_procs(started, timeout=20)
    assert alive == []
    assert not target.exists()
    kept = trials_file.read_bytes().count(b"\n")
    assert 6 < kept < 40

    resumed = snakemake([str(target)], config)
    assert resumed.returncode == 0, resumed.stderr
    assert f"{kept} of 40 trials are in" in resumed.stderr
    whole = tmp_path / "whole"
    whole.mkdir()
    uninterrupted = {**config, "output_dir": str(whole / "out")}
    again = whole / "out/results/runs/mine/slow.parquet"
    done = snakemake([str(again)], uninterrupted)
    assert done.returncode == 0, done.stderr
    rows, wanted = (
        [{name: row[name] for name in VERDICT_COLUMNS} for row in read_rows(path, TRIALS)] for path in (target, again)
    )
    assert len(rows) == 40 and rows == wanted
