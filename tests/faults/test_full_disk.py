"""Disks that fill up: no finished trial is lost, and nothing is half written."""

import errno
import os
import runpy
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from forgeteval.cases.case import Case
from forgeteval.errors import UserError
from lethe.jobs import opening
from lethe.jobs.session import Session
from lethe.parquet import read_rows
from lethe.schemas import CROSSEVAL, CROSSEVAL_HISTORIES, TRIALS
from lethe.stored.cases import write_suite
from tests.support.bench import Bench, make_case
from tests.support.config import put, shipped
from tests.support.disturbed import kept, three_cases, times_run
from tests.support.paths import ROOT

Fill = Callable[[], Callable[[], None]]
"""Fills the disk of the results; returns what empties it again."""


@pytest.fixture(params=["a full disk", "an error like one"])
def results(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Path, Fill]]:
    """The folder of the results, and what fills its disk."""
    folder = tmp_path / "results"
    folder.mkdir()
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


class Named(SimpleNamespace):
    def get(self, name: str, default: Any = None) -> Any:
        return getattr(self, name, default)


class Job:
    """A script of the workflow, run in this process on a bench."""

    def __init__(self, script: str, bench: Bench, folder: Path, cases: list[Case], patch: pytest.MonkeyPatch) -> None:
        write_suite(folder.parent / "cases.parquet", cases, "test")
        self.script = script
        self.outputs = {name: folder / f"{name}.parquet" for name in ("trials", "answers", "histories")}
        self.snakemake = SimpleNamespace(
            log=[str(folder.parent / "job.log")],
            config=put(shipped(), "run/history_timeout_s", 20.0),
            input=Named(cases=folder.parent / "cases.parquet", operations="none", questions="none"),
            output=SimpleNamespace(**self.outputs),
            params=Named(fingerprint="code", only=None, hybrid=False),
            wildcards=SimpleNamespace(benchmark="memora"),
        )

        @contextmanager
        def open_session(snakemake: Any, case_timeout_s: float | None = None) -> Iterator[Session]:
            yield bench.session("Obedient")

        patch.setattr(opening, "open_session", open_session)
        histories = [case.to_history() for case in cases]
        patch.setattr("lethe.crosseval.records.read_histories", lambda *_: histories)

    def run(self) -> None:
        runpy.run_path(str(ROOT / "workflow_scripts" / self.script), {"snakemake": self.snakemake})


@pytest.mark.parametrize("script", ["run_system.py", "run_crosseval.py"])
def test_finished_trials_outlast_a_disk_that_was_full(
    script: str,
    bench: Bench,
    results: tuple[Path, Fill],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder, fill = results
    runs = tmp_path / "runs"
    job = Job(script, bench, folder, three_cases(runs=runs), monkeypatch)
    empty = fill()
    with pytest.raises(SystemExit) as ended:
        job.run()
    assert ended.value.code == 1
    said = capsys.readouterr().err.splitlines()
    assert said[-1].startswith("error: writing ") and "No space left on device; free space" in said[-1]
    assert kept(bench) == ["c0", "c1", "c2"]
    assert not [path for path in folder.iterdir() if path.name != "ballast"], "nothing is half written"
    empty()
    job.run()
    assert times_run(runs) == [1, 1, 1], "no case ran again"
    assert not bench.kept.exists()
    if script == "run_system.py":
        assert [row["case_id"] for row in read_rows(job.outputs["trials"], TRIALS)] == ["c0", "c1", "c2"]
    else:
        assert len(read_rows(job.outputs["answers"], CROSSEVAL)) == 3
        assert len(read_rows(job.outputs["histories"], CROSSEVAL_HISTORIES)) == 3


def test_the_journal_stays_where_the_second_file_cannot_be_written(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "results").mkdir()
    job = Job("run_crosseval.py", bench, tmp_path / "results", three_cases(runs=tmp_path / "runs"), monkeypatch)
    job.outputs["histories"].mkdir()
    with pytest.raises(SystemExit):
        job.run()
    assert kept(bench) == ["c0", "c1", "c2"]


def test_trials_that_all_broke_leave_no_journal(bench: Bench, switch: Path) -> None:
    with pytest.raises(UserError, match="every one of 1 trials broke"):
        bench.run([make_case("c", [f"!fail {switch}"], "q")])
    assert not bench.kept.exists()
