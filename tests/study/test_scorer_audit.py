"""The audit of the scorer: trials under each scorer, the failures that are drawn, and what readings say of them."""

import re
from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.case import Case
from forgeteval.errors import UserError
from lethe.parquet import Row, write_rows
from lethe.schemas import ALL, SCORER_AUDIT, SCORERS
from lethe.study.scorer_audit import (
    ARTIFACT,
    READINGS_FILE,
    SIZE,
    TRUE_FAIL,
    AuditCounts,
    Reading,
    audit_scorer,
    disagreements,
    draw,
    read_readings,
    recalled_digest,
)
from tests.support.paths import ROOT

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


def audited(case_id: str, category: str, substring: str, probed: str, identifier: str, repetition: int = 0) -> Row:
    verdicts = {"substring": substring, "probed": probed, "identifier": identifier}
    return {"case_id": case_id, "category": category, "repetition": repetition, **verdicts}


def trial(case_id: str, *recalled: str, repetition: int = 0) -> Row:
    return {"case_id": case_id, "repetition": repetition, "recalled": list(recalled)}


def readings(case_id: str, first: str, second: str, text: str) -> list[Reading]:
    return [
        Reading(case_id, name, label, recalled_digest([text]), "why")
        for name, label in (("first", first), ("second", second))
    ]


def test_failures_are_drawn_from_each_category_in_turn() -> None:
    failures = {
        f"{category}{place}": category for category, count in (("a", 9), ("b", 1), ("c", 3)) for place in range(count)
    }
    drawn = draw(failures, 8, 1)
    assert [failures[case] for case in drawn] == ["a", "b", "c", "a", "c", "a", "c", "a"]
    assert len(set(drawn)) == 8
    assert drawn == draw(dict(reversed(failures.items())), 8, 1)
    assert drawn != draw(failures, 8, 2)
    assert sorted(draw(failures, 50, 1)) == sorted(failures)
    assert draw({}, 8, 1) == []


def test_readings_of_failures_are_counted_by_category() -> None:
    rows = [
        audited("p1", "prefix_collision", "fail", "fail", "pass"),
        audited("p2", "prefix_collision", "pass", "fail", "pass"),
        audited("n1", "negation_trap", "fail", "fail", "fail"),
        audited("n2", "negation_trap", "fail", "fail", "fail"),
        audited("p2", "prefix_collision", "fail", "fail", "fail", repetition=1),
    ]
    trials = [trial("p1", "A12"), trial("n1", "no"), trial("n2", "not"), trial("n1", "other", repetition=1)]
    read = [
        *readings("p1", ARTIFACT, ARTIFACT, "A12"),
        *readings("n1", TRUE_FAIL, ARTIFACT, "no"),
        *readings("n2", TRUE_FAIL, TRUE_FAIL, "not"),
    ]
    audit = audit_scorer(rows, trials, read)
    assert audit.by_category() == [
        AuditCounts("prefix_collision", 1, 1, 1, 1, 1, {"first": 1, "second": 1}, 1),
        AuditCounts("negation_trap", 0, 0, 2, 0, 2, {"first": 0, "second": 1}, 0),
    ]
    assert audit.counts() == AuditCounts(ALL, 1, 1, 3, 1, 3, {"first": 1, "second": 2}, 1)
    assert audit.counts(["negation_trap"], "one").read == 2
    # By hand: observed 2/3; expected 1/3 * 2/3 + 2/3 * 1/3 = 4/9.
    equal, kappa = audit.agreement()
    assert (equal, kappa) == (2, pytest.approx((2 / 3 - 4 / 9) / (1 - 4 / 9)))


def test_a_reading_counts_for_the_text_that_was_read_and_beside_the_other_alone() -> None:
    rows = [audited(name, "negation_trap", "fail", "fail", "fail") for name in ("n1", "n2", "n3")]
    trials = [trial("n1", "now another text"), trial("n2", "no"), trial("n3", "no")]
    read = [
        *readings("n1", TRUE_FAIL, TRUE_FAIL, "a text"),
        *readings("n2", TRUE_FAIL, TRUE_FAIL, "no")[:1],
        *readings("n3", ARTIFACT, TRUE_FAIL, "no"),
        *readings("elsewhere", ARTIFACT, ARTIFACT, "no"),
    ]
    audit = audit_scorer(rows, trials, read)
    assert audit.labels == {"n3": {"first": ARTIFACT, "second": TRUE_FAIL}}
    assert sorted(audit.drawn) == ["n1", "n2", "n3"]


def test_without_readings_no_agreement_is_defined() -> None:
    assert audit_scorer([], [], []).agreement() == (0, None)


def test_the_project_has_two_readings_of_each_case_with_a_reason() -> None:
    made = read_readings()
    first, second = ([one for one in made if one.reading == name] for name in ("first", "second"))
    assert len(first) == len(second) == SIZE
    assert {one.case_id: one.recalled for one in first} == {one.case_id: one.recalled for one in second}
    assert len({one.case_id for one in first}) == SIZE
    assert all(one.reason for one in made)


def test_the_page_names_the_case_on_which_the_readings_differ() -> None:
    labels = {(one.case_id, one.reading): one.label for one in read_readings()}
    differing = {case for case, name in labels if labels[case, "first"] != labels[case, "second"]}
    page = (ROOT / "docs/scorer-audit.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`(adv_\w+)`", page)) == differing


@pytest.mark.parametrize("line", ["c,third,true_fail,0,why", "c,first,maybe,0,why", "c,first,true_fail,0"])
def test_what_is_no_reading_names_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "readings.csv"
    path.write_text(f"case_id,reading,label,recalled,reason\n{line}\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"readings\.csv:2"):
        read_readings(path)


@pytest.mark.parametrize(
    ("more", "said"),
    [("{line}\n", "has two lines of the (first|second) reading; remove one"), ("x,first,\n", "not a line of")],
)
def test_a_reading_labels_a_case_once(tmp_path: Path, more: str, said: str) -> None:
    path, given = tmp_path / "readings.csv", READINGS_FILE.read_text(encoding="utf-8")
    path.write_text(given + more.format(line=given.splitlines()[1]), encoding="utf-8")
    with pytest.raises(UserError, match=said):
        read_readings(path)
