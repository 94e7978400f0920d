"""The job of a configuration: each work in a worker of its own, and what is finished stays."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.case import Case
from forgeteval.errors import UserError
from lethe import fingerprints
from lethe.jobs import run_job, session
from lethe.jobs.run_job import RunJob, run
from lethe.jobs.work import as_parameter
from lethe.parquet import metadata_of, read_arrow, read_rows
from lethe.schemas import CROSSEVAL, ERASURE_RECORDS, LONG_ANSWERS, TRIALS
from tests.support.bench import HashEmbedder
from tests.support.disturbed import ended, gone, three_cases, times_run
from tests.support.misbehaving import Obedient
from tests.support.paths import ROOT
from tests.support.run_jobs import (
    BENCHMARK_WORK,
    CODE,
    ERASURE_WORK,
    HAYSTACK,
    LONG_WORK,
    PRODUCER,
    TEXTS,
    SmallRun,
    cases_of,
    suite_work,
)

FIRST, SECOND = suite_work("first"), suite_work("second")


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A line for each worker that is started from here."""
    started, start = list[str](), session.started_worker

    @contextmanager
    def counting(*arguments: Any) -> Iterator[Any]:
        started.append(arguments[0])
        with start(*arguments) as worker:
            yield worker

    monkeypatch.setattr(session, "started_worker", counting)
    return started


def disturbed(name: str, runs: Path, order: str = "!count", *paths: Path) -> list[Case]:
    """The cases c0, c1, c2 of a suite, each with a name that no other suite's has."""
    cases = three_cases(order, *paths, runs=runs)
    return [replace(case, suite=name, setup_facts=(*case.setup_facts, f"{name} is the suite")) for case in cases]


# What a rule describes


def test_a_job_is_what_its_rule_describes(tmp_path: Path) -> None:
    small = SmallRun(tmp_path, {"first": cases_of("first"), "second": cases_of("second")})
    works = [FIRST, replace(SECOND, haystack=HAYSTACK, size=2), BENCHMARK_WORK]
    (job,) = RunJob.of(small.snakemake(works, lender="results/trials/other.trials"))
    assert job.works == works
    assert job.system.name == "sut"
    assert job.files == {
        path: small.path(path) for work in works for path in (*work.vectors, *work.reads, *work.writes)
    }
    assert (job.kept, job.lender) == (small.kept, small.kept.with_name("other.trials"))
    assert (job.code.whole, job.code.recall, job.producer) == (*CODE, PRODUCER)
    assert (job.freezes, job.weights, job.server) == ([], None, None)
    assert RunJob.of(small.snakemake([FIRST]))[0].lender is None


def test_a_job_whose_files_are_others_than_its_works_read_is_refused(tmp_path: Path) -> None:
    snakemake = SmallRun(tmp_path, {"first": cases_of("first")}).snakemake([FIRST])
    snakemake.input.files.append("more.parquet")
    with pytest.raises(ValueError, match="argument 2 is longer"):
        RunJob.of(snakemake)


def test_trials_depend_on_the_embedder_and_mutations_on_the_model(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    small = SmallRun(tmp_path, {"first": disturbed("first", runs)})
    (job,) = RunJob.of(small.snakemake([FIRST]))
    run(job)
    run(job)
    assert times_run(runs) == [1, 1, 1]
    run(replace(job, answering={"model": "another"}))
    assert times_run(runs) == [2, 2, 2]
    job.embedder.write_text(job.embedder.read_text(encoding="utf-8").replace("nowhere", "elsewhere"), encoding="utf-8")
    run(replace(job, answering={"model": "another"}))
    assert times_run(runs) == [3, 3, 3]


# What is run


def test_every_work_is_written_and_vectors_are_taken_from_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = SmallRun(tmp_path, {"first": cases_of("first"), "second": cases_of("second")})
    works = [FIRST, replace(SECOND, haystack=HAYSTACK, size=2), BENCHMARK_WORK, LONG_WORK, ERASURE_WORK]
    embedded: list[str] = []
    monkeypatch.setattr(run_job.FastEmbedder, "embed", lambda self, texts: embedded.extend(texts))
    run(*RunJob.of(small.snakemake(works, "tests.support.erasing:Eraser")))
    assert embedded == []
    assert len(read_rows(small.path(FIRST.trials), TRIALS)) == 4
    assert {row["suite"] for row in read_rows(small.path(SECOND.trials), TRIALS)} == {"second+2"}
    assert len(read_rows(small.path(BENCHMARK_WORK.answers), CROSSEVAL)) == 2
    assert len(read_rows(small.path(LONG_WORK.answers), LONG_ANSWERS)) == 1
    assert read_rows(small.path(ERASURE_WORK.records), ERASURE_RECORDS)
    assert metadata_of(read_arrow(small.path(FIRST.trials), TRIALS))["producer"] == PRODUCER
    assert sorted(path.name for path in small.kept.parent.iterdir()) == ["sut.trials"]


def test_each_suite_has_a_worker_of_its_own(tmp_path: Path, workers: list[str]) -> None:
    small = SmallRun(tmp_path, {"first": cases_of("first"), "second": cases_of("second", "Bob rides a unicycle")})
    run(*RunJob.of(small.snakemake([FIRST, SECOND])))
    assert workers == ["sut", "sut"]
    assert small.kept.read_bytes().count(b"\n") == 4 + 2, "equal cases are run once"
    for suite, work in (("first", FIRST), ("second", SECOND)):
        rows = read_rows(small.path(work.trials), TRIALS)
        assert [(row["suite"], row["case_id"]) for row in rows] == [(suite, case) for case in ("a0", "b0", "a1", "b1")]
    assert read_rows(small.path(SECOND.trials), TRIALS)[0]["recalled"] != ["Alice rides a tandem"]


def test_what_is_told_otherwise_or_timed_has_a_worker_of_its_own(tmp_path: Path, workers: list[str]) -> None:
    suites = {"first": cases_of("first"), "second": cases_of("second")}
    small = SmallRun(tmp_path, suites)
    works = [FIRST, replace(SECOND, haystack=HAYSTACK, size=2), replace(SECOND, trials="t.parquet", timed=True)]
    run(*RunJob.of(small.snakemake([*works, BENCHMARK_WORK])))
    assert len(workers) == 4


# What stays


def test_a_job_that_stopped_goes_on(tmp_path: Path, switch: Path, workers: list[str]) -> None:
    runs, again = tmp_path / "first_runs", tmp_path / "second_runs"
    suites = {"first": disturbed("first", runs), "second": disturbed("second", again, "!exit", switch)}
    small = SmallRun(tmp_path, suites)
    with pytest.raises(UserError, match=r"died at case c1 .*kept: 4 of 6 trials, in"):
        run(*RunJob.of(small.snakemake([FIRST, SECOND])))
    assert not small.path(FIRST.trials).exists()
    switch.unlink()
    run(*RunJob.of(small.snakemake([FIRST, SECOND])))
    assert (times_run(runs), times_run(again)) == ([1, 1, 1], [1, 3, 1])
    assert len(workers) == 4
    assert [row["verdict"] for row in read_rows(small.path(SECOND.trials), TRIALS)] == ["pass"] * 3


KILLED = """
import json, sys
from pathlib import Path
from types import SimpleNamespace
from lethe.jobs.run_job import RunJob, run
from tests.support.run_jobs import Named
told = json.load(sys.stdin)
run(*RunJob.of(SimpleNamespace(**{**told, "input": Named(**told["input"]), "params": Named(**told["params"])})))
"""


def test_a_killed_job_goes_on(tmp_path: Path, switch: Path) -> None:
    runs, pid = tmp_path / "runs", tmp_path / "pid"
    cases = disturbed("first", runs, "!hang", switch)
    cases[1] = replace(cases[1], setup_facts=(f"!pid {pid}", *cases[1].setup_facts))
    small = SmallRun(tmp_path, {"first": cases})
    told = vars(small.snakemake([FIRST]))
    told |= {name: vars(told[name]) for name in ("input", "params")}
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    parent = subprocess.Popen([sys.executable, "-c", KILLED], stdin=subprocess.PIPE, text=True, env=environment)
    with ended(pid):
        assert parent.stdin is not None
        json.dump(told, parent.stdin)
        parent.stdin.close()
        deadline = time.monotonic() + 60
        while not (pid.exists() and pid.read_text()):
            assert time.monotonic() < deadline and parent.poll() is None
            time.sleep(0.05)
        parent.kill()
        parent.wait()
        assert gone(pid, within_s=5)
    assert small.kept.read_bytes().count(b"\n") == 1
    switch.unlink()
    run(*RunJob.of(small.snakemake([FIRST])))
    assert times_run(runs) == [1, 2, 1]
    assert [row["verdict"] for row in read_rows(small.path(FIRST.trials), TRIALS)] == ["pass"] * 3


def test_another_work_runs_nothing_again(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    small = SmallRun(tmp_path, {"first": disturbed("first", runs), "second": cases_of("second")})
    run(*RunJob.of(small.snakemake([FIRST])))
    run(*RunJob.of(small.snakemake([FIRST, SECOND, LONG_WORK])))
    run(*RunJob.of(small.snakemake([SECOND])))
    run(*RunJob.of(small.snakemake([replace(FIRST, trials="elsewhere.parquet")])))
    assert times_run(runs) == [1, 1, 1]
    assert read_rows(small.path("elsewhere.parquet"), TRIALS) == read_rows(small.path(FIRST.trials), TRIALS)


def test_what_was_written_is_written_again_from_what_is_kept(tmp_path: Path, workers: list[str]) -> None:
    small = SmallRun(tmp_path, {"first": cases_of("first")})
    run(*RunJob.of(small.snakemake([FIRST])))
    before = small.path(FIRST.trials).read_bytes()
    small.path(FIRST.trials).unlink()
    run(*RunJob.of(small.snakemake([FIRST])))
    assert small.path(FIRST.trials).read_bytes() == before
    assert len(workers) == 1


def test_runs_of_one_job_have_their_own_trials_and_environments(tmp_path: Path, workers: list[str]) -> None:
    small = SmallRun(tmp_path, {"first": cases_of("first"), "second": cases_of("second", "Bob rides a unicycle")})
    told = small.snakemake([FIRST])
    run(*RunJob.of(told))
    (one,) = told.params.runs.values()
    other = {**one, "system": {**one["system"], "system": "other"}, "works": [as_parameter(SECOND)]}
    joined = small.snakemake([FIRST, SECOND])
    joined.params.runs = {**told.params.runs, "results/trials/other.trials": other}
    for each in RunJob.of(joined):
        run(each)
    assert workers == ["sut", "other"], "what had run is kept"
    assert small.kept.read_bytes().count(b"\n") == 4
    assert small.kept.with_name("other.trials").read_bytes().count(b"\n") == 4
    found = [row["system"] for work in (FIRST, SECOND) for row in read_rows(small.path(work.trials), TRIALS)]
    assert found == ["sut"] * 4 + ["other"] * 4

    other["system"]["environment"] = "other"
    joined.input.freeze = ["elsewhere/more.freeze.txt", "elsewhere/other.freeze.txt"]
    assert [job.freezes for job in RunJob.of(joined)] == [[], [Path("elsewhere/other.freeze.txt")]]


def test_another_configuration_lends_its_trials(tmp_path: Path, workers: list[str]) -> None:
    small = SmallRun(tmp_path, {"first": cases_of("first")})
    run(*RunJob.of(small.snakemake([FIRST])))
    lender = small.kept.rename(small.kept.with_name("lender.trials"))
    borrowing = {"lender": str(lender.relative_to(small.output)), "code": ["another whole", CODE[1]]}
    run(*RunJob.of(small.snakemake([FIRST], **borrowing)))
    assert len(workers) == 1
    assert small.kept.read_bytes() == b"", "what is lent stays with its lender"
    run(*RunJob.of(small.snakemake([FIRST], **{**borrowing, "code": ["another whole", "another recall"]})))
    assert len(workers) == 2


def test_texts_are_embedded_where_no_file_has_their_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = SmallRun(tmp_path, {"first": cases_of("first")})
    work = replace(FIRST, vectors=[HAYSTACK])
    monkeypatch.setattr(run_job.FastEmbedder, "embed", lambda self, texts: HashEmbedder().embed(texts))
    run(*RunJob.of(small.snakemake([work])))
    own = read_rows(small.path(FIRST.trials), TRIALS)
    assert TEXTS not in work.vectors and [row["verdict"] for row in own] == ["pass"] * 4


def test_a_text_file_of_the_project_that_a_system_writes_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    journal, settings = tmp_path / "journal.txt", tmp_path / "settings.yaml"
    settings.write_text("mode: fast\n", encoding="utf-8")
    monkeypatch.setattr(fingerprints, "PROJECT", tmp_path)
    small = SmallRun(tmp_path, {"first": cases_of("first")})
    [job] = RunJob.of(small.snakemake([FIRST], f"{__name__}:Journal"))
    options = {"journal": str(journal), "settings": str(settings)}
    run(replace(job, system=replace(job.system, options=options)))
    said = capsys.readouterr().err
    assert f"sut: {journal}, which its options name, was written while it ran" in said
    assert str(settings) not in said


class Journal(Obedient):
    """Writes what it is told to a file."""

    def __init__(self, journal: str, settings: str) -> None:
        super().__init__()
        self._journal = journal

    def inscribe(self, texts: Sequence[str]) -> None:
        with Path(self._journal).open("a", encoding="utf-8") as file:
            file.writelines(texts)
        super().inscribe(texts)
