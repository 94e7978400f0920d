"""Pass counts and their intervals."""

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest

from forgeteval.cases.case import Case
from forgeteval.run.trials import Trial, Verdict
from forgeteval.scoring.intervals import wilson
from lethe.config.configurations import configuration_name
from lethe.parquet import write_rows
from lethe.schemas import ALL, SCORERS, SCORES, WITHOUT_COMPOUND
from lethe.study.scores import difficulty, score_suite
from lethe.study.verdicts import verdict_rows


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
LABELS: dict[str, dict[str, str]] = {
    "t1": {"provenance": "expansion", "script": "han"},
    "t2": {"provenance": "expansion", "script": "greek", "identifier_type": "email"},
    "t3": {"provenance": "core", "script": "han"},
    "t4": {"provenance": "core"},
    "n1": {"provenance": "external", "mechanism": "double negation"},
}
CASES = [
    Case(name, "mine", category, ("f",), (), "q", ("yes",), (), **LABELS.get(name, {}))
    for name, category in CATEGORIES.items()
]


def trial(
    case_id: str,
    verdict: Verdict,
    *,
    system: str = "lethe",
    probed: Verdict | None = None,
    repetition: int = 0,
    model: str = "",
) -> dict[str, Any]:
    """One trial; where it is evaluated, the identifier scorer agrees and `probed` is the verdict unless given."""
    row = Trial("mine", system, model, repetition, case_id, verdict=verdict)
    row.probed_verdict = (probed or verdict) if verdict in ("pass", "fail") else None
    row.recalled = ["Yes."] if verdict == "pass" else []
    return row.to_row()


TRIALS = [
    trial("t1", "pass"),
    trial("t2", "fail"),
    trial("t3", "na"),
    trial("t4", "error"),
    trial("c1", "fail"),
    trial("c2", "fail"),
    trial("n1", "pass", probed="fail"),
]


def scored(
    trials: list[dict[str, Any]], cases: Sequence[Case] = CASES, reference: str = "lethe"
) -> dict[tuple[str, str, str, str], dict[str, Any]]:
    """The scores by row name (SYSTEM or SYSTEM@MODEL), scorer, cut and value."""
    rows = score_suite(cases, trials, verdict_rows(cases, trials), reference)
    keys = {tuple(row[name] for name in ("suite", "system", "model", "scorer", "cut", "value")) for row in rows}
    found = {(configuration_name(row), row["scorer"], row["cut"], row["value"]): row for row in rows}
    assert len(found) == len(keys) == len(rows)
    return found


def counts(row: dict[str, Any]) -> tuple[int, ...]:
    return tuple(row[name] for name in ("cases", "passed", "failed", "na", "errors"))


@pytest.mark.parametrize(
    ("cut", "value", "expected", "probed"),
    [
        ("category", "substring_trap", (4, 1, 1, 1, 1), (4, 1, 1, 1, 1)),
        ("category", "compound_fact", (2, 0, 2, 0, 0), (2, 0, 2, 0, 0)),
        ("category", "negation_trap", (1, 1, 0, 0, 0), (1, 0, 1, 0, 0)),
        ("overall", ALL, (7, 2, 3, 1, 1), (7, 1, 4, 1, 1)),
        ("overall", WITHOUT_COMPOUND, (5, 2, 1, 1, 1), (5, 1, 2, 1, 1)),
        ("provenance", "core", (2, 0, 0, 1, 1), (2, 0, 0, 1, 1)),
        ("provenance", "expansion", (2, 1, 1, 0, 0), (2, 1, 1, 0, 0)),
        ("provenance", "external", (1, 1, 0, 0, 0), (1, 0, 1, 0, 0)),
        ("provenance", "imported", (2, 0, 2, 0, 0), (2, 0, 2, 0, 0)),
        ("difficulty", "manual", (2, 0, 0, 1, 1), (2, 0, 0, 1, 1)),
        ("difficulty", "easy", (2, 2, 0, 0, 0), (2, 1, 1, 0, 0)),
        ("difficulty", "hard", (3, 0, 3, 0, 0), (3, 0, 3, 0, 0)),
        ("script", "han", (2, 1, 0, 1, 0), (2, 1, 0, 1, 0)),
        ("script", "greek", (1, 0, 1, 0, 0), (1, 0, 1, 0, 0)),
        ("identifier_type", "email", (1, 0, 1, 0, 0), (1, 0, 1, 0, 0)),
        ("mechanism", "double negation", (1, 1, 0, 0, 0), (1, 0, 1, 0, 0)),
    ],
)
def test_counts(cut: str, value: str, expected: tuple[int, ...], probed: tuple[int, ...]) -> None:
    rows = scored(TRIALS)
    for scorer, wanted in (("substring", expected), ("probed", probed), ("identifier", expected)):
        row = rows["lethe", scorer, cut, value]
        assert counts(row) == wanted, scorer
        assert (row["suite"], row["system"], row["model"]) == ("mine", "lethe", "")


def test_there_is_one_row_a_part_and_scorer_and_two_overall() -> None:
    parts = {
        ("overall", ALL),
        ("overall", WITHOUT_COMPOUND),
        *(("category", category) for category in CATEGORIES.values()),
        *(("provenance", name) for name in ("core", "expansion", "external", "imported")),
        *(("difficulty", name) for name in ("manual", "easy", "hard")),
        *(("script", name) for name in ("han", "greek")),
        ("identifier_type", "email"),
        ("mechanism", "double negation"),
    }
    assert set(scored(TRIALS)) == {("lethe", scorer, *part) for scorer in SCORERS for part in parts}


def test_na_and_errors_count_against_the_rate_but_not_the_evaluable_rate() -> None:
    row = scored(TRIALS)["lethe", "substring", "category", "substring_trap"]
    assert row["rate"] == 1 / 4
    assert (row["wilson_low"], row["wilson_high"]) == wilson(1, 4)
    assert row["evaluable_rate"] == 1 / 2


def test_each_scorer_has_its_own_rate_and_interval() -> None:
    row = scored(TRIALS)["lethe", "probed", "overall", ALL]
    assert (row["rate"], row["evaluable_rate"]) == (1 / 7, 1 / 5)
    assert (row["wilson_low"], row["wilson_high"]) == wilson(1, 7)


@pytest.mark.parametrize("scorer", SCORERS)
@pytest.mark.parametrize("verdict", ["na", "error"])
def test_where_nothing_ran_there_is_no_evaluable_rate(verdict: Verdict, scorer: str) -> None:
    row = scored([trial("t1", verdict), trial("t2", verdict)])["lethe", scorer, "overall", ALL]
    assert (row["rate"], row["evaluable_rate"]) == (0.0, None)
    assert row["na" if verdict == "na" else "errors"] == 2


def test_systems_are_counted_apart() -> None:
    rows = scored([*TRIALS, trial("t1", "fail", system="mem0"), trial("t2", "fail", system="mem0")])
    assert counts(rows["mem0", "substring", "overall", ALL]) == (2, 0, 2, 0, 0)
    assert counts(rows["lethe", "substring", "overall", ALL])[0] == 7
    assert ("mem0", "substring", "category", "compound_fact") not in rows


def test_models_of_a_system_are_counted_apart() -> None:
    trials = [
        *(trial(name, "pass", system="mem0", model="chat") for name in ("t1", "t2", "c1")),
        trial("t1", "fail", system="mem0", model="other"),
        trial("t1", "error", system="mem0", model="other", repetition=1),
        trial("t2", "na", system="mem0"),
    ]
    rows = scored(trials)
    assert {(name, row["system"], row["model"]) for (name, *_), row in rows.items()} == {
        ("mem0@chat", "mem0", "chat"),
        ("mem0@other", "mem0", "other"),
        ("mem0", "mem0", ""),
    }
    for scorer in SCORERS:
        assert counts(rows["mem0", scorer, "overall", ALL]) == (1, 0, 0, 1, 0)
        assert counts(rows["mem0@other", scorer, "overall", ALL])[0] == 2
        assert ("mem0@other", scorer, "category", "compound_fact") not in rows
    assert counts(rows["mem0@chat", "substring", "overall", ALL]) == (3, 3, 0, 0, 0)
    assert counts(rows["mem0@chat", "substring", "category", "substring_trap"]) == (2, 2, 0, 0, 0)
    assert counts(rows["mem0@other", "substring", "overall", ALL]) == (2, 0, 1, 0, 1)


def test_a_repetition_counts_as_another_case() -> None:
    row = scored([trial("t1", "pass"), trial("t1", "fail", repetition=1)])["lethe", "substring", "overall", ALL]
    assert counts(row)[:3] == (2, 1, 1)


def test_running_the_same_cases_again_makes_no_rate_surer() -> None:
    names = [name for name in CATEGORIES if name.startswith("t")]
    passed: dict[str, Verdict] = {name: "pass" if number % 2 else "fail" for number, name in enumerate(names)}
    once = scored([trial(name, passed[name]) for name in names])["lethe", "substring", "overall", ALL]
    often = [trial(name, passed[name], repetition=number) for name in names for number in range(20)]
    row = scored([*often, trial("t1", "pass", system="other")])["lethe", "substring", "overall", ALL]
    assert row["cases"] == 20 * len(names) and row["rate"] == once["rate"]
    assert row["wilson_high"] - row["wilson_low"] == pytest.approx(once["wilson_high"] - once["wilson_low"], abs=0.05)


def test_a_suite_of_compound_facts_alone_has_no_row_without_them() -> None:
    overall = {key[2:] for key in scored([trial("c1", "pass")]) if key[2] in ("overall", "category")}
    assert overall == {("category", "compound_fact"), ("overall", ALL)}


def test_no_trial_is_no_row() -> None:
    assert score_suite(CASES, [], [], "lethe") == []


def test_the_rows_fit_the_schema(tmp_path: Path) -> None:
    trials = [*TRIALS, *(trial("t1", "pass", system="mem0", model=model) for model in ("chat", "other"))]
    rows = score_suite(CASES, trials, verdict_rows(CASES, trials), "lethe")
    write_rows(tmp_path / "scores.parquet", SCORES, rows, "p")


def labels(trials: list[dict[str, Any]], cases: Sequence[Case] = CASES, reference: str = "lethe") -> dict[str, str]:
    return difficulty(cases, verdict_rows(cases, trials), reference)


def test_core_cases_are_manual_and_the_others_as_the_reference_system_finds_them() -> None:
    trials = [trial("t1", "pass"), trial("t2", "fail"), trial("t3", "pass"), trial("t4", "fail")]
    assert labels(trials) == {"t1": "easy", "t2": "hard", "t3": "manual", "t4": "manual"}


def test_difficulty_is_that_of_the_reference_system_alone() -> None:
    trials = [
        trial("t1", "pass"),
        trial("t1", "fail", system="mem0"),
        trial("t2", "fail"),
        trial("t2", "pass", system="mem0"),
    ]
    for ordered in (trials, trials[::-1]):
        assert {name: labels(ordered)[name] for name in ("t1", "t2")} == {"t1": "easy", "t2": "hard"}
        other = labels(ordered, reference="mem0")
        assert {name: other[name] for name in ("t1", "t2")} == {"t1": "hard", "t2": "easy"}


def test_difficulty_is_by_the_substring_scorer_and_the_first_repetition() -> None:
    trials = [
        trial("n1", "pass", probed="fail"),
        trial("n1", "fail", repetition=1),
        trial("t2", "fail"),
        trial("t2", "pass", repetition=1),
    ]
    for ordered in (trials, trials[::-1]):
        assert {name: labels(ordered)[name] for name in ("n1", "t2")} == {"n1": "easy", "t2": "hard"}


def test_without_the_reference_system_only_core_cases_have_a_label() -> None:
    trials = [trial(name, "pass", system="mem0") for name in CATEGORIES]
    assert labels(trials) == {"t3": "manual", "t4": "manual"}
    found = {value for _, _, cut, value in scored(trials) if cut == "difficulty"}
    assert found == {"manual"}


def test_without_the_reference_system_and_core_cases_there_is_no_difficulty() -> None:
    cases = [replace(case, provenance="expansion") for case in CASES]
    trials = [trial(name, "pass", system="mem0") for name in CATEGORIES]
    assert labels(trials, cases) == {}
    assert "difficulty" not in {cut for _, _, cut, _ in scored(trials, cases)}


def test_the_reference_systems_own_column_restates_the_labels() -> None:
    rows = scored([*TRIALS, *(trial(name, "pass", system="mem0") for name in CATEGORIES)])
    assert rows["lethe", "substring", "difficulty", "easy"]["rate"] == 1
    assert rows["lethe", "substring", "difficulty", "hard"]["rate"] == 0
    assert counts(rows["mem0", "substring", "difficulty", "hard"]) == (3, 3, 0, 0, 0)


def test_leaks_and_collateral_are_counted_in_every_part() -> None:
    trials = [dict(row) for row in TRIALS]
    trials[1]["leaked"], trials[1]["missing"], trials[4]["leaked"] = ["x"], ["y"], ["x", "z"]
    rows = scored(trials)
    found = {
        value: (row["leaks"], row["collateral"]) for (_, scorer, _, value), row in rows.items() if scorer == SCORERS[0]
    }
    assert found[ALL] == (2, 1) and found["substring_trap"] == (1, 1) and found["compound_fact"] == (1, 0)
