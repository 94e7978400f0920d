"""Pass counts and their intervals."""

from math import sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest

from lethe.analysis.intervals import wilson
from lethe.analysis.scores import score_trials
from lethe.forgeteval.cases import Case
from lethe.forgeteval.trials import Trial, Verdict
from lethe.parquet import write_rows
from lethe.schemas import OVERALL, SCORES, WITHOUT_COMPOUND


@pytest.mark.parametrize(
    ("passed", "cases", "low", "high", "digits"),
    [
        # The paper's Table "template".
        (993, 1000, 98.56, 99.66, 2),
        (995, 1000, 98.83, 99.79, 2),
        (888, 1000, 86.69, 90.61, 2),
        (0, 1000, 0.0, 0.38, 2),
        # Its Table "adv" and the text below it, where they are exact.
        (0, 38, 0.0, 9.2, 1),
        (0, 385, 0.0, 1.0, 1),
        # The paper prints [58.4, 68.1].
        (244, 385, 58.5, 68.0, 1),
        (385, 385, 99.0, 100.0, 1),
        (5, 10, 23.7, 76.3, 1),
    ],
)
def test_wilson(passed: int, cases: int, low: float, high: float, digits: int) -> None:
    assert [round(100 * end, digits) for end in wilson(passed, cases)] == [low, high]


@pytest.mark.parametrize(
    ("passed", "low", "high"), [(244, 58.4, 68.1), (263, 63.5, 72.9), (242, 57.9, 67.7), (353, 88.4, 94.2)]
)
def test_wilson_is_near_what_the_paper_prints_of_385_cases(passed: int, low: float, high: float) -> None:
    assert [100 * end for end in wilson(passed, 385)] == pytest.approx([low, high], abs=0.2)


@pytest.mark.parametrize(("passed", "cases"), [(244, 385), (1, 3), (993, 1000), (0, 7), (7, 7)])
def test_wilson_is_the_textbook_formula(passed: int, cases: int) -> None:
    z, p = NormalDist().inv_cdf(0.975), passed / cases
    middle = (p + z**2 / (2 * cases)) / (1 + z**2 / cases)
    half = z * sqrt(p * (1 - p) / cases + z**2 / (4 * cases**2)) / (1 + z**2 / cases)
    assert wilson(passed, cases) == pytest.approx((middle - half, middle + half))


def test_wilson_of_no_case_says_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


def test_wilson_is_symmetric() -> None:
    low, high = wilson(7, 20)
    assert wilson(13, 20) == pytest.approx((1 - high, 1 - low))


CATEGORIES = {
    "t1": "substring_trap",
    "t2": "substring_trap",
    "t3": "substring_trap",
    "t4": "substring_trap",
    "c1": "compound_fact",
    "c2": "compound_fact",
    "n1": "negation_trap",
}
CASES = [Case(name, "mine", category, ("f",), (), "q", (), ()) for name, category in CATEGORIES.items()]


def trial(
    case_id: str,
    verdict: Verdict,
    *,
    system: str = "lethe",
    probed: Verdict | None = None,
    wall: tuple[float, float, float] = (1, 2, 3),
    repetition: int = 0,
) -> dict[str, Any]:
    row = Trial("mine", system, "", repetition, case_id, verdict=verdict, probed_verdict=probed)
    row.inscribe_ms, row.mutate_ms, row.recall_ms = wall
    return row.to_row()


TRIALS = [
    trial("t1", "pass", probed="pass", wall=(1, 2, 3)),
    trial("t2", "fail", probed="fail", wall=(10, 20, 30)),
    trial("t3", "na", wall=(0, 0, 0)),
    trial("t4", "error", wall=(500, 500, 0)),
    trial("c1", "fail", probed="fail", wall=(2, 2, 2)),
    trial("c2", "fail", probed="fail", wall=(2, 2, 2)),
    trial("n1", "pass", probed="fail", wall=(1, 1, 1)),
]


def scored(trials: list[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    rows = score_trials(CASES, trials)
    assert len({(row["system"], row["category"]) for row in rows}) == len(rows)
    return {(row["system"], row["category"]): row for row in rows}


def counts(row: dict[str, Any]) -> tuple[int, ...]:
    return tuple(row[name] for name in ("cases", "passed", "failed", "na", "errors", "probed_passed"))


@pytest.mark.parametrize(
    ("category", "expected"),
    [
        ("substring_trap", (4, 1, 1, 1, 1, 1)),
        ("compound_fact", (2, 0, 2, 0, 0, 0)),
        ("negation_trap", (1, 1, 0, 0, 0, 0)),
        (OVERALL, (7, 2, 3, 1, 1, 1)),
        (WITHOUT_COMPOUND, (5, 2, 1, 1, 1, 1)),
    ],
)
def test_counts(category: str, expected: tuple[int, ...]) -> None:
    row = scored(TRIALS)["lethe", category]
    assert counts(row) == expected
    assert row["suite"] == "mine"


def test_there_is_one_row_a_category_and_two_overall() -> None:
    assert set(scored(TRIALS)) == {("lethe", name) for name in (*CATEGORIES.values(), OVERALL, WITHOUT_COMPOUND)}


def test_na_and_errors_count_against_the_rate_but_not_the_evaluable_rate() -> None:
    row = scored(TRIALS)["lethe", "substring_trap"]
    assert row["rate"] == 1 / 4
    assert (row["wilson_low"], row["wilson_high"]) == wilson(1, 4)
    assert row["evaluable_rate"] == 1 / 2


def test_wall_time_is_the_mean_of_the_trials_that_ran() -> None:
    rows = scored(TRIALS)
    assert rows["lethe", "substring_trap"]["wall_ms"] == (6 + 60) / 2
    assert rows["lethe", OVERALL]["wall_ms"] == (6 + 60 + 6 + 6 + 3) / 5
    assert rows["lethe", WITHOUT_COMPOUND]["wall_ms"] == (6 + 60 + 3) / 3


@pytest.mark.parametrize("verdict", ["na", "error"])
def test_where_nothing_ran_there_is_no_evaluable_rate_and_no_wall_time(verdict: Verdict) -> None:
    row = scored([trial("t1", verdict), trial("t2", verdict)])["lethe", OVERALL]
    assert (row["rate"], row["evaluable_rate"], row["wall_ms"]) == (0.0, None, None)
    assert row["na" if verdict == "na" else "errors"] == 2


def test_systems_are_counted_apart() -> None:
    rows = scored([*TRIALS, trial("t1", "fail", system="mem0"), trial("t2", "fail", system="mem0")])
    assert counts(rows["mem0", OVERALL]) == (2, 0, 2, 0, 0, 0)
    assert counts(rows["lethe", OVERALL])[0] == 7
    assert ("mem0", "compound_fact") not in rows


def test_a_repetition_counts_as_another_case() -> None:
    row = scored([trial("t1", "pass"), trial("t1", "fail", repetition=1)])["lethe", OVERALL]
    assert counts(row)[:3] == (2, 1, 1)


def test_a_suite_of_compound_facts_alone_has_no_row_without_them() -> None:
    assert set(scored([trial("c1", "pass")])) == {("lethe", "compound_fact"), ("lethe", OVERALL)}


def test_no_trial_is_no_row() -> None:
    assert score_trials(CASES, []) == []


def test_the_rows_fit_the_schema(tmp_path: Path) -> None:
    write_rows(tmp_path / "scores.parquet", SCORES, score_trials(CASES, TRIALS), "p")
