"""The tables about annotators and judges."""

from typing import Any

import pytest

from lethe.study.agreement import agreement_rows, majority_case_rows, rater_rows
from lethe.study.published import Published, read_published
from lethe.study.setup import NO_JUDGE
from lethe.tables.paper.agreement import (
    agreement_table,
    disagreement_table,
    judge_agreement_table,
)
from tests.support.annotations import SAMPLE, annotate, judge
from tests.support.paths import PUBLISHED
from tests.support.tables import judges, setup, texts

SETUP = setup(judges=judges(one="Judge One", two="Judge Two"))
NO_JUDGES = setup()
ANNOTATIONS = annotate(x="wwwi", y="wwwi", z="wwii")
JUDGEMENTS = [*judge("one", "aarr"), *judge("two", "auar")]


@pytest.fixture(scope="module")
def paper() -> Published:
    return read_published(PUBLISHED)


def test_no_sheets_are_said_and_the_published_kappa_stays_published(paper: Published) -> None:
    assert texts(agreement_table([], [], NO_JUDGES, paper)) == [
        [["no annotations yet", "", "", "", "", ""]],
        [["not run: no release", "", "", "", "", ""]],
        [["published: all", "0.958", "", "99.1", "100", "10"]],
    ]
    assert texts(judge_agreement_table([], [], [], NO_JUDGES)) == [
        [["no annotations yet; not run: no judge configured (models.NAME.systems: [])", ""]]
    ]
    off = setup(no_judge="not run: llm.mode is off")
    assert texts(judge_agreement_table([], [], [], off)) == [[["no annotations yet; not run: llm.mode is off", ""]]]
    silent = setup(judges=judges({"mine": "not run: why"}, one="Judge One"))
    said = "not run: no judge can answer (the audit of judges says why)"
    assert texts(judge_agreement_table([], [], [], silent)) == [[[f"no annotations yet; {said}", ""]]]
    assert texts(disagreement_table([], [], silent, paper))[0][0][0] == said
    assert texts(disagreement_table([], [], SETUP, paper))[0] == [["no annotations yet", "", "", "", ""]]
    assert texts(disagreement_table([], [], NO_JUDGES, paper))[0][0][0] == NO_JUDGE


def test_kappa_with_its_interval(paper: Published) -> None:
    table = agreement_table(agreement_rows(ANNOTATIONS, 300, 1), agreement_rows(ANNOTATIONS, 20, 1), SETUP, paper)
    everything, unanimous, mixed = texts(table)[0]
    assert everything[0] == "All" and everything[3:] == ["83.3", "4", "3"]
    assert everything[1].startswith("0.625 [") and everything[2].startswith("0.6")
    assert unanimous == ["Substring trap", "–", "–", "100.0", "2", "3"]
    assert mixed[0] == "Negation trap"
    recomputed = texts(table)[1]
    assert [row[0] for row in recomputed] == [
        f"recomputed: {part}" for part in ("all", "substring trap", "negation trap")
    ]
    assert recomputed[0][3:] == everything[3:]


def test_a_category_called_all_does_not_stand_for_all_cases() -> None:
    named = [{**row, "category": row["category"].replace("negation_trap", "all")} for row in ANNOTATIONS]
    rows = agreement_rows(named, 1, 1)
    assert [row["cases"] for row in rows if row["part"] == "all"] == [4, 4, 4]
    assert rows[:3] == agreement_rows(ANNOTATIONS, 1, 1)[:3]


def test_the_matrix_of_judges_and_majority() -> None:
    pairs, measures = rater_rows(ANNOTATIONS, JUDGEMENTS, SAMPLE), agreement_rows(ANNOTATIONS, 1, 1)
    table = judge_agreement_table(pairs, measures, JUDGEMENTS, SETUP)
    assert table.header == ("Rater", "vs. Judge One", "vs. Judge Two", "vs. human majority", "wf/ill")
    assert texts(table) == [
        [
            ["Judge One", "–", "2/3 (κ 0.40)", "3/4 (κ 0.50)", "2/2"],
            ["Judge Two", "2/3 (κ 0.40)", "–", "3/3 (κ 1.00)", "2/1"],
            ["human majority", "3/4 (κ 0.50)", "3/3 (κ 1.00)", "–", "3/1"],
        ]
    ]
    assert table.notes == [
        "Judge Two on s: 1 of 4 judgements are no verdict, more than a tenth (1 without a usable answer, 0 without "
        "any); its numbers say little of it."
    ]


def test_judges_without_annotations_are_compared_and_the_lack_is_noted() -> None:
    table = judge_agreement_table(rater_rows([], JUDGEMENTS, SAMPLE), [], [], SETUP)
    assert table.header[1:-1] == ("vs. Judge One", "vs. Judge Two")
    assert table.notes == ["No annotations yet."]


def test_disagreements_by_mode(paper: Published) -> None:
    cases = majority_case_rows(ANNOTATIONS, JUDGEMENTS, SAMPLE)
    released = [{**row, "judge": "qwen-2.5-72b"} for row in cases if row["judge"] == "one"]
    first, second, recomputed, published = texts(disagreement_table(cases, released, SETUP, paper))
    assert first == [
        ["Judge One", "judge ill, humans wf", "1", "0", "negation trap 1"],
        ["Judge One", "judge wf, humans ill", "0", "0", ""],
    ]
    assert second[2] == ["Judge Two", "no verdict", "1", "", "substring trap 1"]
    assert recomputed == [["Qwen-2.5-72B, recomputed", *row[1:]] for row in first]
    assert published == [
        ["published: Qwen-2.5-72B", "judge ill, humans wf", "8", "all", ""],
        ["", "judge wf, humans ill", "12", "", "compound fact 10"],
    ]


def test_a_tie_is_a_mode_of_its_own(paper: Published) -> None:
    tied: list[dict[str, Any]] = majority_case_rows(annotate(x="wwww", y="iwww"), judge("one", "aaaa"), SAMPLE)
    rows = texts(disagreement_table(tied, [], setup(judges=judges(one="Judge One")), paper))[0]
    assert rows[2] == ["Judge One", "no majority", "1", "", "substring trap 1"]
