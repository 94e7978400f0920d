"""A baseline: what got worse since, and which errors it knows."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from forgeteval.errors import UserError
from forgeteval.run.baseline import Baseline, got_worse
from forgeteval.run.compare import compare
from forgeteval.run.results import Results
from forgeteval.run.trials import Verdict
from tests.forgeteval.run.formats.support import each_verdict, make_case, make_results, make_trial

VERDICTS: dict[str, Verdict] = {"passed": "pass", "failed": "fail", "broke": "error", "not offered": "na"}


def one(verdict: Verdict) -> Results:
    return make_results([make_trial(make_case("case"), verdict)])


def test_it_is_what_it_was_written_from(tmp_path: Path) -> None:
    Baseline.of(each_verdict()).save(tmp_path / "baseline.json")
    each_verdict().save(tmp_path / "results.json")
    expected = Baseline("mine", each_verdict().suite.sha256, VERDICTS, each_verdict().settings)
    assert Baseline.read(tmp_path / "baseline.json") == expected
    assert Baseline.read(tmp_path / "results.json") == expected


def test_a_case_is_a_line_of_its_file(tmp_path: Path) -> None:
    Baseline.of(each_verdict()).save(tmp_path / "baseline.json")
    assert '  "failed": "fail",' in (tmp_path / "baseline.json").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    ("before", "now", "worse"),
    [
        ("pass", "pass", False),
        ("pass", "fail", True),
        ("pass", "na", True),
        ("pass", "error", True),
        ("fail", "pass", False),
        ("fail", "na", False),
        ("fail", "error", True),
        ("na", "fail", False),
        ("na", "error", True),
        ("error", "pass", False),
        ("error", "fail", False),
        ("error", "error", False),
    ],
)
def test_only_a_lost_pass_and_a_new_error_are_worse(before: Verdict, now: Verdict, worse: bool) -> None:
    assert got_worse(before, now) is worse
    assert Baseline.of(one(before)).worse(one(now)) == ([f"case was {before}, is {now}"] if worse else [])


def test_a_case_that_it_does_not_have_got_no_worse() -> None:
    assert Baseline("mine", one("error").suite.sha256, {"another": "pass"}).worse(one("error")) == []


def test_results_on_other_cases_are_refused() -> None:
    other = replace(one("pass"), suite=replace(one("pass").suite, name="yours", sha256="cd" * 32))
    with pytest.raises(UserError, match=r"of other cases \(mine, [0-9a-f]{12}\) than these \(yours, cdcdcdcdcdcd\)"):
        Baseline.of(one("pass")).worse(other)


def test_results_whose_cases_say_something_else_are_refused_whatever_checksum_they_give() -> None:
    ours = one("pass")
    forged = replace(ours, cases=(replace(ours.cases[0], must_not_contain=("zzz",)),))
    with pytest.raises(UserError, match="of other cases: 1 say something else in mine, such as 'case'; run on those"):
        Baseline.of(forged).worse(ours)
    with pytest.raises(UserError, match="on different cases: 1 say something else in the second, such as 'case'"):
        compare(ours, forged)
    assert Baseline.of(ours).worse(ours) == []


@pytest.mark.parametrize(
    ("before", "now", "knows"),
    [("error", "error", True), ("fail", "error", False), ("fail", "fail", True), ("error", "pass", True)],
)
def test_it_knows_the_errors_that_it_has(before: Verdict, now: Verdict, knows: bool) -> None:
    assert Baseline.of(one(before)).knows_errors(one(now)) is knows


def test_it_does_not_know_the_error_of_a_case_that_it_does_not_have() -> None:
    assert not Baseline("mine", "ab" * 32, {}).knows_errors(one("error"))


@pytest.mark.parametrize(
    ("told", "problem"),
    [
        ({"baseline_version": 2, "suite": "mine", "sha256": "", "verdicts": {}}, "no baseline of version 1"),
        ({"baseline_version": True, "suite": "mine", "sha256": "", "verdicts": {}}, "no baseline of version 1"),
        ({"baseline_version": 1, "suite": "mine", "verdicts": {}}, "no baseline .*sha256"),
        ({"baseline_version": 1, "suite": "mine", "sha256": "", "verdicts": {"a": "passed"}}, "no baseline .*passed"),
        ({"baseline_version": 1, "suite": "mine", "sha256": "", "verdicts": {}, "more": 1}, "no baseline .*more"),
        ({"schema_version": 1}, "not results of `forgeteval run`"),
        ({}, "no baseline of version 1; `forgeteval run --write-baseline FILE` writes one"),
        ([], "not a JSON object"),
    ],
)
def test_a_file_that_is_none_is_refused_in_one_line(tmp_path: Path, told: object, problem: str) -> None:
    (tmp_path / "baseline.json").write_text(json.dumps(told), encoding="utf-8")
    with pytest.raises(UserError, match=f"baseline.json: .*{problem}"):
        Baseline.read(tmp_path / "baseline.json")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"missing\.json"):
        Baseline.read(tmp_path / "missing.json")
