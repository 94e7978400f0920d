"""What is run again and what is not: after a killed run, a change, or for a second suite."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.case import Case
from forgeteval.errors import UserError
from lethe.jobs import kept as kept_trials
from lethe.jobs.kept import KeptTrials, lent_trials
from lethe.jobs.services import RunServices
from lethe.jobs.session import Code
from lethe.jobs.trials import rows_of_cases, workload_of_cases
from tests.support.bench import Bench, make_case, timeless
from tests.support.disturbed import PASSING, kept, three_cases, times_run

NEW_CODE = Code("new code")
WITH_MODEL: dict[str, Any] = {"model": "scripted", "services": RunServices(asks_model=True)}


def run_suites(
    bench: Bench, suites: Sequence[Sequence[Case]], workload: dict[str, Any] | None = None, **options: Any
) -> list[list[dict[str, Any]]]:
    """The rows of several suites that one job runs."""
    with bench.session("Obedient", **options) as session:
        workloads = [workload_of_cases(session.system, cases, **workload or {}) for cases in suites]
        finished = session.run(workloads)
        return [rows_of_cases(session, *each) for each in zip(suites, finished, strict=True)]


def plain_cases(runs: Path) -> list[Case]:
    """Cases c0, c1, c2 in which nothing is mutated; each notes that it ran."""
    return [
        make_case(f"c{number}", [*PASSING, f"!count {runs}-c{number}"], "who rides", ["unicycle"])
        for number in range(3)
    ]


def in_suite(name: str, cases: Sequence[Case]) -> list[Case]:
    return [replace(case, suite=name) for case in cases]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Where cases note that they ran."""
    return tmp_path / "runs"


# After a killed run


def test_a_killed_run_with_other_code_starts_anew(bench: Bench, runs: Path, switch: Path) -> None:
    cases = three_cases("!exit", switch, runs=runs)
    with pytest.raises(UserError):
        bench.run(cases, code=Code("old code"))
    switch.unlink()
    bench.run(cases, code=NEW_CODE)
    assert times_run(runs) == [2, 3, 1]
    assert kept(bench) == ["c0", "c1", "c2"], "the trial of the old code is gone"


def test_a_half_written_trial_is_run_again(bench: Bench, runs: Path, switch: Path) -> None:
    cases = three_cases("!exit", switch, runs=runs, at=2)
    with pytest.raises(UserError):
        bench.run(cases)
    switch.unlink()
    content = bench.kept.read_bytes()
    bench.kept.write_bytes(content[:-20])
    rows = bench.run(cases)
    assert times_run(runs) == [1, 2, 3]
    assert [row["verdict"] for row in rows] == ["pass"] * 3


@pytest.mark.parametrize(
    "content", [b"no trials\n", b"\x00\x00\x00\n", b"\xff\xfe\n", b"[1]\n{}\n", b"\n", b"half a line"]
)
def test_a_file_that_holds_no_trials_is_named_or_begun_anew(bench: Bench, content: bytes) -> None:
    bench.kept.parent.mkdir(parents=True)
    bench.kept.write_bytes(content)
    if b"\n" in content:
        with pytest.raises(UserError, match=f"{bench.kept}: line 1 is not as it was written"):
            bench.run(three_cases())
        assert bench.kept.read_bytes() == content
    else:
        assert [row["verdict"] for row in bench.run(three_cases())] == ["pass"] * 3


def test_two_runs_of_one_configuration_do_not_mix(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_trials, "PATIENCE_S", 0.3)
    with KeptTrials(bench.kept), pytest.raises(UserError, match="is running this"):
        bench.run(three_cases())
    assert [row["verdict"] for row in bench.run(three_cases())] == ["pass"] * 3


# After a change


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"code": NEW_CODE}, [2, 2, 2]),
        ({"k": 5}, [2, 2, 2]),
        ({"policies": {"purge": "equal_text"}}, [2, 2, 2]),
        ({"haystack": ["Carol walks."]}, [2, 2, 2]),
        ({"repetitions": 2}, [2, 2, 2]),
        ({}, [1, 1, 1]),
        ({"limit_s": 30.0}, [1, 1, 1]),
        ({"start_timeout_s": 90.0, "worker_failure": "record"}, [1, 1, 1]),
        ({"keys": ["SOME_API_KEY"], "in_memory": True}, [1, 1, 1]),
    ],
)
def test_a_finished_trial_runs_again_where_it_depends_on_what_changed(
    bench: Bench, runs: Path, changed: dict[str, Any], expected: list[int]
) -> None:
    cases = three_cases(runs=runs)
    before = bench.run(cases)
    rows = bench.run(cases, **changed)
    assert times_run(runs) == expected
    assert [row["verdict"] for row in [*before, *rows]] == ["pass"] * (3 + len(rows))
    assert kept(bench) == [row["case_id"] for row in rows], "what was replaced is dropped"


def test_a_case_that_changed_runs_again_and_others_do_not(bench: Bench, runs: Path) -> None:
    cases = three_cases(runs=runs)
    bench.run(cases)
    cases[2] = replace(cases[2], final_query="which cycle")
    bench.run(cases)
    assert times_run(runs) == [1, 1, 2]
    assert sorted(kept(bench)) == ["c0", "c1", "c2"]


def test_where_a_case_came_from_runs_nothing_again(bench: Bench, runs: Path) -> None:
    cases = three_cases(runs=runs)
    bench.run(cases)
    bench.run([replace(case, provenance="core") for case in cases])
    assert times_run(runs) == [1, 1, 1]


def test_a_label_runs_nothing_again(bench: Bench, runs: Path) -> None:
    cases = three_cases(runs=runs)
    bench.run(cases)
    with bench.session("Obedient") as session:
        shown = replace(session.system, label="Shown otherwise", regime="other", extended=True, heavy=True)
        session = replace(session, system=shown)
        session.run([workload_of_cases(shown, cases)])
    assert times_run(runs) == [1, 1, 1]


def test_where_a_case_depends_on_those_before_it_the_whole_suite_runs_again(bench: Bench, runs: Path) -> None:
    cases = three_cases(runs=runs)
    bench.run(cases, in_order=True)
    bench.run(cases, in_order=True)
    assert times_run(runs) == [1, 1, 1]
    cases[1] = replace(cases[1], final_query="which cycle")
    bench.run(cases, in_order=True)
    assert times_run(runs) == [2, 2, 2]


def test_trials_that_broke_run_again_with_a_chat_model_alone(bench: Bench, runs: Path, switch: Path) -> None:
    cases = three_cases("!fail", switch, runs=runs)
    assert [row["verdict"] for row in bench.run(cases)] == ["pass", "error", "pass"]
    switch.unlink()
    assert [row["verdict"] for row in bench.run(cases)] == ["pass", "error", "pass"]
    assert times_run(runs) == [1, 1, 1]
    switch.touch()
    bench.run(cases, **WITH_MODEL)
    switch.unlink()
    assert [row["verdict"] for row in bench.run(cases, **WITH_MODEL)] == ["pass"] * 3
    assert times_run(runs) == [2, 3, 2]


# For several suites


def test_equal_cases_of_two_suites_run_once(bench: Bench, runs: Path, tmp_path: Path) -> None:
    first = in_suite("first", three_cases(runs=runs))
    changed = replace(first[1], final_query="Who rides then?")
    second = in_suite("second", [replace(first[2], provenance="core"), changed, first[0]])
    rows = run_suites(bench, [first, second], {"repetitions": 2})
    assert times_run(runs) == [2, 4, 2]
    assert [row["suite"] for suite in rows for row in suite] == ["first"] * 6 + ["second"] * 6
    (alone,) = run_suites(Bench(tmp_path / "alone"), [second], {"repetitions": 2})
    assert timeless(rows[1]) == timeless(alone)


def test_a_suite_that_comes_later_takes_equal_cases_over(bench: Bench, runs: Path) -> None:
    first = in_suite("first", three_cases(runs=runs))
    second = in_suite("second", three_cases(runs=runs)[:2])
    run_suites(bench, [first])
    run_suites(bench, [first, second])
    run_suites(bench, [second])
    assert times_run(runs) == [1, 1, 1]


def test_a_suite_that_is_left_out_keeps_its_trials(bench: Bench, runs: Path) -> None:
    first, second = in_suite("first", three_cases(runs=runs)), in_suite("second", plain_cases(runs))
    run_suites(bench, [first, second])
    changed = [replace(first[0], final_query="which cycle"), *first[1:]]
    run_suites(bench, [changed])
    run_suites(bench, [changed, second])
    assert times_run(runs) == [3, 2, 2]


@pytest.mark.parametrize("apart", ["a chat model", "in order", "timed"])
def test_equal_cases_are_not_shared_where_each_stands_for_its_suite(bench: Bench, runs: Path, apart: str) -> None:
    first = three_cases(runs=runs)
    second = in_suite("second", first)
    options: dict[str, Any] = {
        "a chat model": WITH_MODEL,
        "in order": {"in_order": True},
        "timed": {},
    }[apart]
    workload = {"timed": apart == "timed"}
    rows = run_suites(bench, [first, second], workload, **options)
    assert times_run(runs) == [2, 2, 2]
    run_suites(bench, [first, second], workload, **options)
    assert times_run(runs) == [2, 2, 2]
    assert [len(suite) for suite in rows] == [3, 3]


def test_a_suite_that_broke_does_not_take_another_with_it(bench: Bench, runs: Path, switch: Path) -> None:
    broken = in_suite("broken", [make_case("b", [f"!fail {switch}"], "q")])
    with pytest.raises(UserError, match=r"sut on broken: every one of 1 trials broke, .* the shelf fell down"):
        run_suites(bench, [three_cases(runs=runs), broken])
    switch.unlink()
    rows = run_suites(bench, [three_cases(runs=runs), broken])
    assert [row["verdict"] for suite in rows for row in suite] == ["pass"] * 4
    assert times_run(runs) == [1, 1, 1]


# From another configuration

LENDING = Code("lender's code", "recall")


def test_lent_trials_stand_for_those_in_which_nothing_is_mutated(bench: Bench, runs: Path, tmp_path: Path) -> None:
    lender = Bench(tmp_path / "lender")
    plain = plain_cases(runs)
    mutated = [replace(case, case_id=f"m{number}") for number, case in enumerate(three_cases(runs=runs))]
    lent_rows = lender.run([*plain, *mutated], code=LENDING)
    assert times_run(runs) == [2, 2, 2]
    borrowing = {"code": Code("another code", "recall"), "policies": {"purge": "equal_text"}}
    rows = bench.run([*plain, *mutated], lent=lent_trials(lender.kept), **borrowing)
    assert times_run(runs) == [2 + 1] * 3, "those with a purge run again"
    assert timeless(rows[:3]) == timeless(lent_rows[:3])
    assert sorted(kept(bench)) == ["m0", "m1", "m2"]


@pytest.mark.parametrize(
    "borrowing",
    [{"code": Code("lender's code", "another recall")}, {"code": Code("lender's code")}, {"k": 5}, {"timed": True}],
)
def test_nothing_is_lent_to_what_recalls_otherwise(
    bench: Bench, runs: Path, tmp_path: Path, borrowing: dict[str, Any]
) -> None:
    lender = Bench(tmp_path / "lender")
    lender.run(plain_cases(runs), code=LENDING)
    bench.run(plain_cases(runs), lent=lent_trials(lender.kept), **{"code": LENDING, **borrowing})
    assert times_run(runs) == [2, 2, 2]


def test_broken_trials_are_not_lent(bench: Bench, runs: Path, switch: Path, tmp_path: Path) -> None:
    lender, cases = Bench(tmp_path / "lender"), plain_cases(runs)
    cases[1] = replace(cases[1], setup_facts=(*cases[1].setup_facts, f"!fail {switch}"))
    assert [row["verdict"] for row in lender.run(cases, code=LENDING)] == ["pass", "error", "pass"]
    switch.unlink()
    rows = bench.run(cases, lent=lent_trials(lender.kept), code=LENDING)
    assert [row["verdict"] for row in rows] == ["pass"] * 3
    assert times_run(runs) == [1, 2, 1]
