"""Disks that fill up: no finished trial is lost, and nothing is half written."""

import errno
import os
import runpy
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from forgeteval.errors import UserError
from forgeteval.run.replay import Replay
from lethe.gateway.context import Usage
from lethe.jobs.kept import FinishedTrial, KeptTrials
from lethe.jobs.work import BenchmarkWork, SuiteWork, Work
from lethe.parquet import read_rows
from lethe.schemas import CROSSEVAL, CROSSEVAL_HISTORIES, TRIALS
from lethe.workflow import job
from tests.support.bench import Bench, make_case
from tests.support.disturbed import kept, three_cases, times_run
from tests.support.paths import ROOT
from tests.support.run_jobs import BENCHMARK_WORK, TEXTS, SmallRun

Fill = Callable[[], Callable[[], None]]
"""Fills the disk of the results; returns what empties it again."""


@pytest.fixture(params=["a full disk", "an error like one"])
def results(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Path, Fill]]:
    """The folder of the results, and what fills its disk."""
    folder = tmp_path / "out" / "results"
    folder.mkdir(parents=True)
    if request.param == "an error like one":
        with pytest.MonkeyPatch.context() as patch:
            yield folder, lambda: _refusing_to_write(patch)
        return
    command = ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("a small disk can be mounted by root alone")
    try:
        yield folder, lambda: _filled(folder)
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def _refusing_to_write(patch: pytest.MonkeyPatch) -> Callable[[], None]:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    patch.setattr("forgeteval.files.os.fsync", full)
    return patch.undo


def _filled(folder: Path) -> Callable[[], None]:
    ballast = folder / "ballast"
    with pytest.raises(OSError), ballast.open("wb", buffering=0) as stream:
        while True:
            stream.write(b"\0" * 1024)
    return ballast.unlink


RUNS = SuiteWork(vectors=[TEXTS], cases="mine.parquet", trials="results/trials.parquet")
HISTORIES = replace(BENCHMARK_WORK, answers="results/answers.parquet", histories="results/histories.parquet")


class Job:
    """The script of a configuration's job, run in this process on cases that note that they ran."""

    def __init__(self, folder: Path, runs: Path, *works: Work) -> None:
        cases = [replace(case, suite="mine") for case in three_cases(runs=runs)]
        self.small = SmallRun(folder, {"mine": cases})
        # On another disk than the results, which alone find no room.
        self.snakemake = self.small.snakemake(works, kept=str(folder / "kept" / "sut.trials"))

    @property
    def kept(self) -> Path:
        return self.small.folder / "kept" / "sut.trials"

    def run(self) -> None:
        runpy.run_path(str(ROOT / "workflow_scripts" / "run_configuration.py"), {"snakemake": self.snakemake})


@pytest.mark.parametrize("work", [RUNS, HISTORIES], ids=["a suite", "a benchmark"])
def test_finished_trials_outlast_a_disk_that_was_full(
    work: SuiteWork | BenchmarkWork, results: tuple[Path, Fill], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, fill = results
    runs = tmp_path / "runs"
    job = Job(tmp_path, runs, RUNS, work) if work is HISTORIES else Job(tmp_path, runs, work)
    empty = fill()
    with pytest.raises(SystemExit) as ended:
        job.run()
    assert ended.value.code == 1
    said = capsys.readouterr().err.splitlines()
    assert said[-1].startswith("error: writing ") and "No space left on device; free space" in said[-1]
    assert not [path for path in folder.iterdir() if path.name != "ballast"], "nothing is half written"
    kept = job.kept.read_bytes()
    assert kept.count(b"\n") == (5 if work is HISTORIES else 3)
    empty()
    job.run()
    assert times_run(runs) == [1, 1, 1], "no case ran again"
    assert job.kept.read_bytes() == kept
    assert [row["case_id"] for row in read_rows(folder / "trials.parquet", TRIALS)] == ["c0", "c1", "c2"]
    if work is HISTORIES:
        assert len(read_rows(folder / "answers.parquet", CROSSEVAL)) == 2
        assert len(read_rows(folder / "histories.parquet", CROSSEVAL_HISTORIES)) == 2


def test_a_disk_that_fills_up_while_trials_are_kept_loses_none(
    results: tuple[Path, Fill], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if "error" in request.node.name:
        pytest.skip("tests/jobs/test_kept.py has the error alone")
    folder, fill = results
    path, trial = folder / "sut.trials", FinishedTrial("mine", "c", 0, Replay(decisions=["x" * 500]), Usage())
    with KeptTrials(path) as kept:
        kept.add("before", trial)
        empty = fill()
        with pytest.raises(UserError, match=f"writing {path}: No space left on device"):
            for number in range(20):
                kept.add(f"number{number}", trial)
        finished = path.read_bytes().count(b"\n")
        empty()
    with KeptTrials(path) as kept:
        assert [kept.find(key) for key in ("before", *(f"number{number}" for number in range(finished - 1)))] == [
            trial
        ] * finished
        assert kept.find(f"number{finished - 1}") is None


def test_trials_stay_where_the_second_file_cannot_be_written(tmp_path: Path) -> None:
    job = Job(tmp_path, tmp_path / "runs", RUNS, HISTORIES)
    job.small.path(HISTORIES.histories).mkdir(parents=True)
    with pytest.raises(SystemExit):
        job.run()
    assert job.kept.read_bytes().count(b"\n") == 5
    assert len(read_rows(job.small.path(RUNS.trials), TRIALS)) == 3


def test_trials_that_all_broke_are_not_kept(bench: Bench, switch: Path) -> None:
    with pytest.raises(UserError, match="every one of 1 trials broke"):
        bench.run([make_case("c", [f"!fail {switch}"], "q")])
    assert kept(bench) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device here that is always full")
def test_a_script_whose_log_has_no_room_ends_with_its_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended, job(SimpleNamespace(log=["/dev/full"])):
        print("it goes on", file=sys.stderr)
        raise UserError("writing results/x.parquet: No space left on device")
    assert ended.value.code == 1
    assert capsys.readouterr().err == "it goes on\nerror: writing results/x.parquet: No space left on device\n"
