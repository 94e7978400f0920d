"""The trials that the scorer audit lists."""

from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.case import Case
from lethe.parquet import write_rows
from lethe.schemas import SCORER_AUDIT, SCORERS
from lethe.study.scorer_audit import disagreements

CASES = [
    Case("p1", "mine", "prefix_collision", ("f",), (), "q", (), ()),
    Case("n1", "mine", "negation_trap", ("f",), (), "q", (), ()),
]
CONTROLS = frozenset({"null", "oracle"})


def verdicts(
    case_id: str,
    substring: str,
    probed: str,
    identifier: str,
    *,
    system: str = "lethe",
    model: str = "",
    repetition: int = 0,
) -> list[dict[str, Any]]:
    key = {"suite": "mine", "system": system, "model": model, "repetition": repetition, "case_id": case_id}
    by_scorer = {"substring": substring, "probed": probed, "identifier": identifier}
    return [{**key, "scorer": scorer, "verdict": by_scorer[scorer]} for scorer in SCORERS]


@pytest.mark.parametrize(
    ("given", "agree"),
    [
        (("pass", "pass", "pass"), True),
        (("fail", "fail", "fail"), True),
        (("pass", "fail", "pass"), False),
        (("fail", "fail", "pass"), False),
        (("pass", "pass", "fail"), False),
        (("pass", "fail", "fail"), False),
    ],
)
def test_a_trial_stands_with_all_its_verdicts(given: tuple[str, str, str], agree: bool) -> None:
    rows = disagreements(CASES, verdicts("n1", *given, model="chat", repetition=2), CONTROLS)
    assert rows == [
        {
            "suite": "mine",
            "system": "lethe",
            "model": "chat",
            "repetition": 2,
            "case_id": "n1",
            "category": "negation_trap",
            **dict(zip(("substring", "probed", "identifier"), given, strict=True)),
            "agree": agree,
        }
    ]


@pytest.mark.parametrize("verdict", ["na", "error"])
def test_a_trial_that_was_not_evaluated_is_left_out(verdict: str) -> None:
    given = [*verdicts("n1", verdict, verdict, verdict), *verdicts("p1", "pass", "pass", "pass")]
    assert [row["case_id"] for row in disagreements(CASES, given, CONTROLS)] == ["p1"]


def test_controls_are_left_out() -> None:
    given = [
        *verdicts("n1", "fail", "fail", "pass", system="null"),
        *verdicts("n1", "fail", "fail", "pass", system="mem0"),
        *verdicts("n1", "pass", "pass", "fail", system="oracle"),
    ]
    assert [row["system"] for row in disagreements(CASES, given, CONTROLS)] == ["mem0"]
    assert len(disagreements(CASES, given, frozenset())) == 3


def test_trials_are_told_apart_by_case_system_model_and_repetition(tmp_path: Path) -> None:
    given = [
        *verdicts("p1", "pass", "pass", "pass"),
        *verdicts("n1", "fail", "fail", "fail"),
        *verdicts("p1", "fail", "fail", "pass", repetition=1),
        *verdicts("p1", "pass", "fail", "pass", model="chat"),
        *verdicts("p1", "fail", "fail", "fail", system="mem0"),
    ]
    rows = disagreements(CASES, given, CONTROLS)
    assert [tuple(row[scorer] for scorer in SCORERS) for row in rows] == [
        tuple(row["verdict"] for row in given[start : start + 3]) for start in range(0, len(given), 3)
    ]
    assert [row["agree"] for row in rows] == [True, True, False, False, True]
    write_rows(tmp_path / "audit.parquet", SCORER_AUDIT, rows, "p")


def test_the_order_of_the_verdicts_does_not_matter() -> None:
    given = [*verdicts("p1", "pass", "fail", "pass"), *verdicts("n1", "fail", "fail", "pass")]
    rows = disagreements(CASES, given, CONTROLS)
    turned = disagreements(CASES, given[::-1], CONTROLS)
    assert sorted(rows, key=str) == sorted(turned, key=str)


def test_no_verdict_is_no_row() -> None:
    assert disagreements(CASES, [], CONTROLS) == []
