"""Plausible faults in the files of a release that is not pinned: one line with file, row and column."""

from pathlib import Path
from typing import Any

import pytest

from forgeteval.errors import UserError
from lethe.study.released.checks import hook_variance_rows, summary_check_rows
from lethe.study.released.labels import as_sample
from lethe.study.released.reading import READERS
from lethe.study.released.runs import Run
from lethe.study.released.worth import Claim, ReleasedSuite, claim_rows, worth_rows
from lethe.study.steps import compare_released

HEADS = {
    "memora": "system,persona,task,question_id,n_must,n_must_hit,n_must_not,n_must_not_hit,verdict",
    "labels": "case_id,n_wf,n_ill,claude,qwen,deepseek",
    "summaries": "table_or_file,system,model,suite,category,scorer,release,note,passed,n,seconds_per_case,per_case",
    "variance": "case_id,passes,runs",
    "rejections": "case_id,judge_verdict,author_verdict,tag,failure_mode",
}
CASES = [{"case_id": "c0", "category": "substring_trap", "provenance": "handcrafted"}]
VERDICT = {
    "suite": "adversarial", "system": "lethe", "model": "", "scorer": "substring", "release": "v0.5",
    "source": "a.json", "case_id": "c0", "verdict": "pass",
}  # fmt: skip
FIRST, SECOND = Run("first", "", "substring", "v0.5"), Run("second", "", "substring", "v0.5")


def read(folder: Path, kind: str, line: str) -> list[dict[str, Any]]:
    file, _, reader = READERS[kind]
    (folder / file).write_text(f"{HEADS[kind]}\n{line}\n", encoding="utf-8")
    return reader(folder)


@pytest.mark.parametrize(
    ("kind", "line", "said"),
    [
        ("memora", f"a,p,t,q,{2**63},1,1,1,pass", "n_must: 9223372036854775808 is not from 0 to 1000000"),
        ("memora", "a,p,t,q,-5,1,1,1,pass", "n_must: -5 is not from 0"),
        ("memora", "a,p,t,q,1,2,1,1,pass", "n_must_hit: 2 is not from 0 to 1"),
        ("memora", "a,p,t,q,1,1,1,9,pass", "n_must_not_hit: 9 is not from 0 to 1"),
        ("labels", "c0,-3,10,true,true,true", "n_wf: -3 is not from 0"),
        ("labels", "c0,0,0,true,true,true", "n_ill: 0 is not from 1"),
        ("labels", "c0,5000000000,1,true,true,true", "n_wf: 5000000000 is not from 0 to 1000"),
        ("summaries", "f,s,m,su,c,sc,r,n,9,2,,yes", "passed: 9 is not from 0 to 2"),
        ("summaries", "f,s,m,su,c,sc,r,n,-1,2,,yes", "passed: -1 is not from 0 to 2"),
        ("summaries", "f,s,m,su,c,sc,r,n,1,2,nan,yes", "seconds_per_case: nan is no time"),
        ("summaries", "f,s,m,su,c,sc,r,n,1,2,1e400,yes", "seconds_per_case: 1e400 is no time"),
        ("summaries", "f,s,m,su,c,sc,r,n,1,2,-1,yes", "seconds_per_case: -1 is no time"),
        ("variance", "c0,0,0", "runs: 0 is not from 1"),
        ("variance", "c0,8,7", "passes: 8 is not from 0 to 7"),
        ("rejections", "c0,reject,admit,t,", "failure_mode is empty"),
    ],
)
def test_a_number_out_of_its_bounds_is_named(tmp_path: Path, kind: str, line: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        read(tmp_path, kind, line)
    told = str(caught.value)
    assert told.startswith(f"{tmp_path / READERS[kind][0]}:2: not a line of the release ") and "\n" not in told
    assert said in told


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("memora", "a,p,t,q,0,0,10,4,fail"),
        ("labels", "c0,0,10,true,true,true"),
        ("summaries", "f,s,m,su,c,sc,r,n,0,0,0.0,yes"),
        ("summaries", "f,s,m,su,c,sc,r,n,2,2,,no"),
        ("variance", "c0,0,1"),
        ("rejections", "c0,reject,admit,t,A_x"),
    ],
)
def test_a_number_at_its_bounds_is_read(tmp_path: Path, kind: str, line: str) -> None:
    assert len(read(tmp_path, kind, line)) == 1


def other(row: dict[str, Any]) -> list[dict[str, Any]]:
    return [row, {**row, "case_id": "zz"}]


def test_a_case_that_is_none_is_named_by_file_and_row() -> None:
    with pytest.raises(UserError, match=r"^hook_run_variance\.csv: row 3: case_id: 'zz' is none of the released cases"):
        hook_variance_rows(other({"case_id": "c0", "passes": 1, "runs": 2}), [], CASES)
    with pytest.raises(UserError, match=r"^annotations\.csv: row 3: case_id: 'zz' is none of the released cases"):
        as_sample(other({"case_id": "c0"}), CASES)
    said = r"^verdicts\.csv: row 4: case_id: 'zz' is none of the cases of the suite adversarial; check datasets/"
    verdicts = [{**VERDICT, "suite": "external", "case_id": "e0"}, *other(VERDICT)]
    with pytest.raises(UserError, match=said):
        summary_check_rows([], verdicts, [], {"adversarial": CASES})
    with pytest.raises(UserError, match=said):
        compare_released.STEP.compute(
            released=verdicts, cases=CASES, verdicts=[], trials=[], suite="published", released_suite="adversarial",
            controls=[], oracles=[], resamples=10, seed=1,
        )  # fmt: skip
    assert summary_check_rows([], [{**VERDICT, "suite": "of none"}], [], {"adversarial": CASES}) == []


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        ({FIRST: {"c0": "pass"}}, f"no row is of the run {SECOND.name}, "),
        ({FIRST: {}, SECOND: {"c0": "pass"}}, f"{FIRST.name} has no verdict of 'c0', and {SECOND.name} has; "),
    ],
    ids=["run", "case"],
)
def test_a_release_without_a_run_or_a_case_that_the_paper_compares_is_named(
    monkeypatch: pytest.MonkeyPatch, runs: dict[Run, dict[str, str]], said: str
) -> None:
    claim = Claim("a claim", "a section", adversarial=[FIRST.name, SECOND.name])
    monkeypatch.setattr("lethe.study.released.worth.CLAIMS", [claim])
    with pytest.raises(UserError) as caught:
        claim_rows(ReleasedSuite("published", "adversarial", runs, [], frozenset()), CASES, 10, 1)
    assert str(caught.value).startswith(f"verdicts.csv: suite adversarial: {said}")


def test_a_release_without_a_run_of_a_suite_is_named() -> None:
    with pytest.raises(UserError, match=r"^verdicts\.csv: suite: no row is of external; check datasets/forgeteval$"):
        worth_rows(ReleasedSuite("published_external", "external", {}, [], frozenset()))
