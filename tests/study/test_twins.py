"""Pairs of a case and its twin: passed if both are."""

from dataclasses import replace
from typing import Any

from forgeteval.cases.case import Case, Mutation
from lethe.study.steps.pair_twins import twin_rows

TWIN = Case("t1", "twins", "drift", ("a",), (Mutation("purge", "q"),), "?", (), (), twin_of="c1")
TWINS = [TWIN, replace(TWIN, case_id="t2", twin_of="c2", mutations=(Mutation("release", "q"),))]


def verdict(case_id: str, found: str, system: str = "s", scorer: str = "substring") -> dict[str, Any]:
    return {
        "suite": "x", "system": system, "model": "", "repetition": 0, "case_id": case_id, "scorer": scorer,
        "verdict": found,
    }  # fmt: skip


def test_a_pair_is_passed_if_both_are() -> None:
    cases = [verdict("c1", "pass"), verdict("c2", "pass"), verdict("c3", "pass")]
    rows = twin_rows(TWINS, [verdict("t1", "pass"), verdict("t2", "fail")], cases, "substring")
    found = {
        row["operation"]: (row["pairs"], row["case_passed"], row["twin_passed"], row["both_passed"]) for row in rows
    }
    assert found == {"all": (2, 2, 1, 1), "purge": (1, 1, 1, 1), "release": (1, 1, 0, 0)}
    (every,) = (row for row in rows if row["operation"] == "all")
    assert every["rate"] == 0.5 and every["wilson_low"] < 0.5 < every["wilson_high"]


def test_not_applicable_and_broken_pairs_are_counted_as_such() -> None:
    cases = [verdict("c1", "na"), verdict("c2", "pass")]
    rows = twin_rows(TWINS, [verdict("t1", "na"), verdict("t2", "error")], cases, "substring")
    (every,) = (row for row in rows if row["operation"] == "all")
    assert (every["pairs"], every["both_passed"], every["na"], every["errors"]) == (2, 0, 1, 1)


def test_a_system_without_runs_of_the_cases_and_another_scorer_have_no_row() -> None:
    twins = [verdict("t1", "pass", "absent"), verdict("t1", "pass", scorer="probed")]
    assert twin_rows(TWINS, twins, [verdict("c1", "pass"), verdict("c1", "pass", scorer="probed")], "substring") == []


def test_counts_are_numbers() -> None:
    """Parquet takes no truth value for a number, and equality does not tell them apart."""
    rows = twin_rows(TWINS[:1], [verdict("t1", "pass")], [verdict("c1", "pass")], "substring")
    assert {type(row[name]) for row in rows for name in ("pairs", "case_passed", "twin_passed", "na")} == {int}
