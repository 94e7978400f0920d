"""Each kind of work of a configuration: what it reads, what is run of it, and what it writes."""

from dataclasses import replace
from pathlib import Path

import pytest

from lethe.jobs.kept import KeptTrials
from lethe.jobs.session import Session, Workload
from lethe.jobs.work import ErasureWork, Files, Limits, Replayed, Rows, Work, as_parameter, from_parameter
from lethe.parquet import read_rows, write_rows
from lethe.schemas import CROSSEVAL, CROSSEVAL_HISTORIES, ERASURE_RECORDS, LONG_ANSWERS, LONG_REPLAYS, TRIALS
from tests.support.bench import Bench
from tests.support.disturbed import kept
from tests.support.run_jobs import (
    BARGES,
    BENCHMARK,
    BENCHMARK_WORK,
    ERASED,
    ERASURE_WORK,
    HAYSTACK,
    LONG_WORK,
    SmallRun,
    cases_of,
    suite_work,
)

LIMITS = Limits(20.0, 40.0)
PLAIN = suite_work("mine")
CHOSEN = suite_work("mine", repetitions=3, cases_per_category=1, haystack=HAYSTACK, size=4, timed=True)
WORKS = {
    "a suite": PLAIN,
    "some cases among others": CHOSEN,
    "a benchmark": BENCHMARK_WORK,
    "some histories": replace(BENCHMARK_WORK, only=["tall"], hybrid=True),
    "long histories": LONG_WORK,
    "erasures": ERASURE_WORK,
}


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return SmallRun(tmp_path, {"mine": cases_of("mine")}).files


def workload(bench: Bench, work: Replayed, files: Files) -> Workload:
    with bench.session("Obedient") as session:
        return work.workload(session, files, LIMITS)


def rows_of(session: Session, work: Work, files: Files) -> Rows:
    if isinstance(work, ErasureWork):
        return work.run(session, files, LIMITS)
    assert isinstance(work, Replayed)
    [finished] = session.run([work.workload(session, files, LIMITS)])
    return work.rows(session, files, finished)


def rows(bench: Bench, work: Work, files: Files, backend: str = "Obedient") -> Rows:
    """What a small run writes, which fits the tables."""
    with bench.session(backend) as session:
        written = rows_of(session, work, files)
    assert list(written) == work.writes
    for path, (table, content) in written.items():
        write_rows(bench.log.parent / path, table, content, "test")
        assert read_rows(bench.log.parent / path, table) == content
    return written


@pytest.mark.parametrize("name", WORKS)
def test_a_work_is_the_same_after_its_way_through_a_rule(name: str) -> None:
    assert from_parameter(as_parameter(WORKS[name])) == WORKS[name]


def test_works_of_different_fields_are_different_parameters() -> None:
    assert len({str(as_parameter(work)) for work in WORKS.values()}) == len(WORKS)


@pytest.mark.parametrize("parameter", [{"OtherWork": {}}, {"SuiteWork": {"cases": "a"}}, {"LongWork": {"event": "a"}}])
def test_what_is_no_work_is_refused(parameter: dict[str, dict[str, str]]) -> None:
    with pytest.raises((KeyError, TypeError)):
        from_parameter(parameter)


@pytest.mark.parametrize(
    ("name", "read", "written"),
    [
        ("a suite", ["mine.parquet"], ["trials/mine.parquet"]),
        ("some cases among others", ["mine.parquet", HAYSTACK], ["trials/mine.parquet"]),
        ("a benchmark", ["operations.parquet", "questions.parquet"], ["answers.parquet", "histories.parquet"]),
        ("long histories", ["events.parquet"], ["long.parquet", "replays.parquet"]),
        ("erasures", ["erased.parquet", HAYSTACK], ["records.parquet"]),
    ],
)
def test_a_work_names_what_it_reads_and_writes(name: str, read: list[str], written: list[str]) -> None:
    assert (WORKS[name].reads, WORKS[name].writes) == (read, written)


# What is run


def test_a_suite_is_run_whole(bench: Bench, files: Files) -> None:
    run = workload(bench, PLAIN, files)
    assert (run.name, run.unit, run.limit_s, run.repetitions, run.timed) == ("mine", "case", 20.0, 1, False)
    assert [history.name for history in run.histories] == ["a0", "b0", "a1", "b1"]
    assert (run.haystack, run.strict) == ([], True)


def test_some_cases_are_run_several_times_among_unrelated_memories(bench: Bench, files: Files) -> None:
    run = workload(bench, CHOSEN, files)
    assert (run.name, run.repetitions, run.timed) == ("mine+4", 3, True)
    assert [history.name for history in run.histories] == ["a0", "b0"]
    assert run.haystack == BARGES[:4]


def test_a_store_of_no_unrelated_memories_has_a_suite_of_its_own(bench: Bench, files: Files) -> None:
    run = workload(bench, replace(CHOSEN, size=0), files)
    assert (run.name, run.haystack) == ("mine+0", [])


def test_histories_have_the_limit_of_histories(bench: Bench, files: Files) -> None:
    benchmark = workload(bench, BENCHMARK_WORK, files)
    assert (benchmark.name, benchmark.unit, benchmark.limit_s, benchmark.hybrid) == ("memora", "history", 40.0, False)
    assert list(benchmark.histories) == BENCHMARK
    some = workload(bench, replace(BENCHMARK_WORK, only=["tall"], hybrid=True), files)
    assert ([history.name for history in some.histories], some.hybrid) == (["tall"], True)
    long = workload(bench, LONG_WORK, files)
    assert (long.name, long.limit_s, [history.name for history in long.histories]) == ("long", 40.0, ["h0"])


# What is written


def test_rows_of_a_suite(bench: Bench, files: Files) -> None:
    ((table, found),) = rows(bench, PLAIN, files).values()
    assert table is TRIALS
    assert [(row["suite"], row["case_id"], row["verdict"]) for row in found] == [
        ("mine", case, "pass") for case in ("a0", "b0", "a1", "b1")
    ]


def test_rows_of_some_cases_among_unrelated_memories(bench: Bench, files: Files) -> None:
    ((_, found),) = rows(bench, CHOSEN, files).values()
    assert [(row["suite"], row["repetition"], row["case_id"]) for row in found] == [
        ("mine+4", repetition, case) for repetition in range(3) for case in ("a0", "b0")
    ]
    assert set(BARGES[:4]) < set(found[0]["recalled"])


def test_what_cases_tell_is_asked_for_before_any_mutation(bench: Bench, files: Files) -> None:
    told = replace(PLAIN, told=True)
    assert [history.mutations for history in workload(bench, told, files).histories] == [()] * 4
    for backend, there in (("Obedient", True), ("forgeteval.stores.controls:Null", False)):
        ((_, found),) = rows(bench, told, files, backend).values()
        assert {(row["suite"], *row["present"]) for row in found} == {("mine+told", there)}


def test_rows_of_a_benchmark(bench: Bench, files: Files) -> None:
    (first, answers), (second, histories) = rows(bench, BENCHMARK_WORK, files).values()
    assert (first, second) == (CROSSEVAL, CROSSEVAL_HISTORIES)
    assert [(row["benchmark"], row["history"], row["verdict"]) for row in answers] == [
        ("memora", name, "pass") for name in ("short", "tall")
    ]
    assert [(row["history"], row["inscribed"], row["error"]) for row in histories] == [
        (name, 2, None) for name in ("short", "tall")
    ]


def test_rows_of_long_histories(bench: Bench, files: Files) -> None:
    (first, answers), (second, replays) = rows(bench, LONG_WORK, files).values()
    assert (first, second) == (LONG_ANSWERS, LONG_REPLAYS)
    assert [(row["history"], row["question_id"], row["recalled"]) for row in answers] == [
        ("h0", "q1", ["Bob is in Basel."])
    ]
    assert [(row["history"], row["inscribed"], row["mutated"]) for row in replays] == [("h0", 1, 1)]


def test_rows_of_erasures(bench: Bench, files: Files) -> None:
    ((table, found),) = rows(bench, ERASURE_WORK, files, "tests.support.erasing:Eraser").values()
    assert table is ERASURE_RECORDS
    assert {row["case_id"] for row in found} == {ERASED[0].case_id}
    assert {row["rows"] for row in found} == {ERASURE_WORK.memories}
    assert kept(bench) == [ERASED[0].case_id] * 2


def test_works_of_one_session_are_kept_in_one_file(bench: Bench, files: Files) -> None:
    with bench.session("Obedient") as session:
        works = [PLAIN, CHOSEN, BENCHMARK_WORK, LONG_WORK]
        finished = session.run([work.workload(session, files, LIMITS) for work in works])
        assert [len(trials) for trials in finished] == [4, 6, 2, 1]
    with KeptTrials(bench.kept):
        assert len(kept(bench)) == 13
