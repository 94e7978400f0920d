"""One trial's verdict under each scorer."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.case import Case
from forgeteval.run.trials import Trial, Verdict
from forgeteval.scoring.scorers import score, substring_contains
from lethe.parquet import write_rows
from lethe.schemas import SCORERS, VERDICTS
from lethe.study.verdicts import verdict_rows


def case(must: Sequence[str] = (), must_not: Sequence[str] = (), case_id: str = "c") -> Case:
    return Case(case_id, "mine", "prefix_collision", ("f",), (), "q", tuple(must), tuple(must_not))


def trial(
    recalled: Sequence[str] = (),
    verdict: Verdict = "pass",
    probed: Verdict | None = "pass",
    case_id: str = "c",
    **key: Any,
) -> dict[str, Any]:
    row = Trial(**{"suite": "mine", "system": "lethe", "model": "", "repetition": 0, "case_id": case_id, **key})
    row.verdict, row.probed_verdict, row.recalled = verdict, probed, list(recalled)
    return row.to_row()


def verdicts(one: Case, row: dict[str, Any]) -> dict[str, str]:
    rows = verdict_rows([one], [row])
    assert [found["scorer"] for found in rows] == list(SCORERS)
    return {found["scorer"]: found["verdict"] for found in rows}


def substring_verdict(one: Case, recalled: Sequence[str]) -> Verdict:
    """The verdict that the run itself wrote down."""
    return "pass" if score(recalled, one.must_contain, one.must_not_contain, substring_contains).passed else "fail"


@pytest.mark.parametrize("verdict", ["pass", "fail"])
@pytest.mark.parametrize("probed", ["pass", "fail"])
def test_substring_and_probed_are_the_trials_own(verdict: Verdict, probed: Verdict) -> None:
    found = verdicts(case(), trial(verdict=verdict, probed=probed))
    assert (found["substring"], found["probed"]) == (verdict, probed)


@pytest.mark.parametrize("verdict", ["na", "error"])
def test_a_trial_that_was_not_evaluated_is_so_under_every_scorer(verdict: Verdict) -> None:
    """Even where recalled texts, or none, would pass."""
    for row in (trial(verdict=verdict, probed=None), trial(["kept"], verdict, "pass")):
        assert set(verdicts(case(["kept"]), row).values()) == {verdict}
        assert set(verdicts(case(), row).values()) == {verdict}


@pytest.mark.parametrize(
    ("must", "must_not", "recalled", "substring", "identifier"),
    [
        # A longer identifier holds the forbidden one for the substring scorer alone.
        ([], ["TXN-12345"], ["TXN-123456 is open."], "fail", "pass"),
        ([], ["TXN-12345"], ["TXN-12345 is open."], "fail", "fail"),
        ([], ["TXN-12345"], ["TXN-123456 is open.", "TXN-12345 is closed."], "fail", "fail"),
        # It does not stand for the required one either.
        (["TXN-12345"], [], ["TXN-123456 is open."], "pass", "fail"),
        (["TXN-12345"], [], ["TXN-12345 is open."], "pass", "pass"),
        (["TXN-123456"], ["TXN-12345"], ["TXN-123456 is open."], "fail", "pass"),
        (["kept"], [], ["kept"], "pass", "pass"),
        (["kept"], [], [], "fail", "fail"),
        ([], [], [], "pass", "pass"),
    ],
)
def test_the_identifier_scorer_reads_what_was_recalled(
    must: list[str], must_not: list[str], recalled: list[str], substring: Verdict, identifier: str
) -> None:
    one = case(must, must_not)
    assert substring_verdict(one, recalled) == substring
    assert verdicts(one, trial(recalled, substring, substring)) == {
        "substring": substring,
        "probed": substring,
        "identifier": identifier,
    }


def test_probing_does_not_touch_the_identifier_scorer() -> None:
    one = case(["kept"], ["gone"])
    assert verdicts(one, trial(["kept"], "pass", "fail")) == {
        "substring": "pass",
        "probed": "fail",
        "identifier": "pass",
    }


def test_each_trial_is_scored_by_its_own_case() -> None:
    cases = [case(["a"], case_id="one"), case([], ["a"], case_id="two")]
    rows = verdict_rows(
        cases, [trial(["a"], case_id="two", verdict="fail", probed="fail"), trial(["a"], case_id="one")]
    )
    assert [(row["case_id"], row["verdict"]) for row in rows] == [("two", "fail")] * 3 + [("one", "pass")] * 3


def test_a_row_keeps_the_trials_key_and_fits_the_schema(tmp_path: Path) -> None:
    keys: list[dict[str, Any]] = [
        {"suite": "mine", "system": "lethe", "model": "", "repetition": 0},
        {"suite": "mine", "system": "lethe", "model": "", "repetition": 1},
        {"suite": "mine", "system": "lethe", "model": "chat", "repetition": 1},
        {"suite": "mine", "system": "mem0", "model": "", "repetition": 0},
        {"suite": "other", "system": "mem0", "model": "", "repetition": 0},
    ]
    rows = verdict_rows([case()], (trial(**key) for key in keys))
    assert [{name: row[name] for name in (*keys[0], "case_id")} for row in rows[:: len(SCORERS)]] == [
        {**key, "case_id": "c"} for key in keys
    ]
    write_rows(tmp_path / "verdicts.parquet", VERDICTS, rows, "p")


def test_no_trial_is_no_verdict() -> None:
    assert verdict_rows([case()], []) == []
