"""What the release says twice: summaries against verdicts, the repeats of a hook, and the judge's rejections."""

from typing import Any

import pytest

from forgeteval.cases.case import ADVERSARIAL_CATEGORIES
from forgeteval.cases.reading import read_cases
from lethe.config.model import RELEASED_FILES
from lethe.study.released.checks import SUM, VERDICTS, hook_variance_rows, rejection_rows, summary_check_rows
from lethe.study.released.reading import (
    read_origins,
    read_rejections,
    read_summaries,
    read_variance,
    read_verdicts,
)
from tests.support.config import released_folder

RELEASE = released_folder()
FILES = {"adversarial": "adversarial_385.jsonl", "repaired": "repaired_385.jsonl", "external": "external_77.jsonl"}
CASES = [
    {"case_id": "adv_substring_trap_01", "category": "substring_trap"},
    {"case_id": "adv_substring_trap_02", "category": "substring_trap"},
    {"case_id": "adv_compound_fact_01", "category": "compound_fact"},
]
RUN = {"suite": "adversarial", "system": "lethe", "model": "", "scorer": "substring", "release": "v0.5-365"}


def verdicts(*found: str, **about: str) -> list[dict[str, Any]]:
    return [
        {**RUN, "source": "data/a.json", **about, "case_id": case["case_id"], "verdict": verdict}
        for case, verdict in zip(CASES, found, strict=True)
    ]


def stated(category: str, passed: int, n: int, line: int = 2, **about: Any) -> dict[str, Any]:
    row = {**RUN, "line": line, "file": "data/a.json", "category": category, "passed": passed, "n": n, "note": ""}
    return {**row, "per_case": True, **about}


def check(summaries: list[dict[str, Any]], rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    origins = [{"case_id": CASES[0]["case_id"], "provenance": "handcrafted"}]
    found = summary_check_rows(summaries, rows, origins, {"adversarial": CASES})
    return [(row["against"], row["counted"], row["cases"], row["na"], row["equal"]) for row in found]


@pytest.mark.parametrize(
    ("summary", "found"),
    [
        (stated("all", 1, 3), (VERDICTS, 1, 3, 1, True)),
        (stated("all", 1, 2), (VERDICTS, 1, 3, 1, True)),
        (stated("all", 2, 3), (VERDICTS, 1, 3, 1, False)),
        (stated("substring_trap", 1, 2), (VERDICTS, 1, 2, 0, True)),
        (stated("substring_trap 2-9", 0, 1), (VERDICTS, 0, 1, 0, True)),
        (stated("handcrafted", 1, 1, scorer="", release=""), (VERDICTS, 1, 1, 0, True)),
    ],
)
def test_a_stated_number_is_counted_again(summary: dict[str, Any], found: tuple[Any, ...]) -> None:
    assert check([summary], verdicts("pass", "fail", "na")) == [found]


def test_of_several_runs_the_one_that_was_read_beside_the_summary_counts() -> None:
    rows = [
        *verdicts("pass", "fail", "na"),
        *verdicts("pass", "pass", "fail", scorer="probed", source="data/b_results_x.json"),
    ]
    open_ended: dict[str, Any] = {"scorer": "", "release": ""}
    assert check([stated("all", 2, 3, file="data/b_summary_x.json", **open_ended)], rows) == [(VERDICTS, 2, 3, 0, True)]
    assert check([stated("all", 2, 3, file="data/c.json", **open_ended)], rows) == []
    assert check([stated("all", 1, 3, per_case=False)], rows) == []


def test_a_total_is_the_sum_of_the_categories_where_the_file_has_all() -> None:
    parts = [stated(category, 1, 2, per_case=False) for category in ADVERSARIAL_CATEGORIES]
    assert check([stated("all", 11, 20, per_case=False), *parts], []) == [(SUM, 10, 20, 0, False)]
    assert check([stated("all", 10, 20, per_case=False), *parts[1:]], []) == []


def test_unstable_cases_give_the_spread_of_a_run() -> None:
    variance = [{"case_id": "adv_compound_fact_01", "passes": 1, "runs": 2}]
    repeats = [stated("all", passed, 3, file="data/hook_run_variance_x.json") for passed in (2, 1)]
    rows = {row["category"]: row for row in hook_variance_rows(variance, repeats, CASES)}
    whole = rows["all"]
    assert (whole["unstable"], whole["runs"], whole["lowest"], whole["highest"], whole["mean"]) == (1, 2, 1, 2, 1.5)
    assert whole["sd"] == pytest.approx(0.5**0.5) == whole["sd_of_totals"]
    assert rows["compound_fact"]["sd"] == whole["sd"] and rows["substring_trap"]["margin"] == 0
    assert rows["compound_fact"]["margin_points"] == pytest.approx(3 * whole["margin_points"])
    assert rows["compound_fact"]["lowest"] is None
    assert hook_variance_rows([], repeats, CASES) == []


def test_rejections_are_counted_among_the_hand_crafted_cases_that_were_judged() -> None:
    origins = [{"case_id": case["case_id"], "provenance": "handcrafted"} for case in CASES[:2]]
    rejections = [{"case_id": "adv_substring_trap_02", "failure_mode": "C_judge_literal_error"}]
    rows = rejection_rows(rejections, origins, verdicts("pass", "fail", "na"), CASES)
    assert rows[0] == {"category": "all", "cases": 2, "rejected": 1, "mode_a": 0, "mode_b": 0, "mode_c": 1}
    assert rejection_rows(rejections, origins, [], CASES)[0]["cases"] == 0
    assert rejection_rows([], origins, [], CASES) == []


@pytest.mark.skipif(
    not all((RELEASE / file).is_file() for file in RELEASED_FILES),
    reason="needs data that are not part of the project: datasets/forgeteval",
)
def test_the_release_agrees_with_itself() -> None:
    cases = {
        suite: [{"case_id": case.case_id, "category": case.category} for case in read_cases(RELEASE / file, suite)]
        for suite, file in FILES.items()
    }
    summaries, found = read_summaries(RELEASE), read_verdicts(RELEASE)
    origins = read_origins(RELEASE)
    checks = summary_check_rows(summaries, found, origins, cases)
    assert len(checks) == 566 and all(row["equal"] for row in checks)
    variance = {
        row["category"]: row for row in hook_variance_rows(read_variance(RELEASE), summaries, cases["adversarial"])
    }
    assert (variance["all"]["lowest"], variance["all"]["highest"], variance["all"]["unstable"]) == (345, 350, 38)
    assert sum(row["passes"] for row in read_variance(RELEASE)) + 7 * 324 == 7 * variance["all"]["mean"]
    rejected = rejection_rows(read_rejections(RELEASE), origins, found, cases["adversarial"])
    assert rejected[0] == {"category": "all", "cases": 112, "rejected": 16, "mode_a": 11, "mode_b": 1, "mode_c": 4}
