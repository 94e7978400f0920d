"""The tables about annotators and judges."""

from typing import Any

import pytest

from lethe.analysis.agreement import agreement_rows, majority_case_rows, rater_rows
from lethe.analysis.published import Published, read_published
from lethe.tables.agreement import (
    agreement_table,
    disagreement_table,
    judge_agreement_table,
    published_judges_table,
)
from tests.analysis.test_agreement import SAMPLE, annotate, judge
from tests.support.paths import PUBLISHED

JUDGES = {"one": "Judge One", "two": "Judge Two"}
ANNOTATIONS = annotate(x="wwwi", y="wwwi", z="wwii")
JUDGEMENTS = [*judge("one", "aarr"), *judge("two", "auar")]


@pytest.fixture(scope="module")
def paper() -> Published:
    return read_published(PUBLISHED)


def test_no_sheets_are_said_and_the_published_kappa_stays_published(paper: Published) -> None:
    table = agreement_table([], paper, "Mine")
    assert table.sections == [
        [["no annotations yet", "", "", "", "", ""]],
        [["published: all", "0.958", "", "99.1", "100", "10"]],
    ]
    assert judge_agreement_table([], {}, "Mine", False).sections == [
        [["no annotations yet; not run: no judge configured (llm.judges)", ""]]
    ]
    assert judge_agreement_table([], {}, "Mine", False, "not run: llm.mode is off").sections == [
        [["no annotations yet; not run: llm.mode is off", ""]]
    ]
    assert disagreement_table([], JUDGES, paper).sections[0] == [["no annotations yet", "", "", "", ""]]
    assert disagreement_table([], {}, paper).sections[0][0][0] == "not run: no judge configured (llm.judges)"


def test_kappa_with_its_interval(paper: Published) -> None:
    table = agreement_table(agreement_rows(ANNOTATIONS, 300, 1), paper, "Mine")
    everything, unanimous, mixed = table.sections[0]
    assert everything[0] == "all" and everything[3:] == ["83.3", "4", "3"]
    assert everything[1].startswith("0.625 [") and everything[2].startswith("0.6")
    assert unanimous == ["substring_trap", "–", "–", "100.0", "2", "3"]
    assert mixed[0] == "negation_trap"


def test_the_matrix_of_judges_and_majority() -> None:
    table = judge_agreement_table(rater_rows(ANNOTATIONS, JUDGEMENTS, SAMPLE), JUDGES, "Mine", True)
    assert table.header == ("Rater", "vs. Judge One", "vs. Judge Two", "vs. human majority", "wf/ill")
    assert table.sections == [
        [
            ["Judge One", "–", "2/3 (κ 0.40)", "3/4 (κ 0.50)", "2/2"],
            ["Judge Two", "2/3 (κ 0.40)", "–", "3/3 (κ 1.00)", "2/1"],
            ["human majority", "3/4 (κ 0.50)", "3/3 (κ 1.00)", "–", "3/1"],
        ]
    ]
    assert table.notes == []


def test_judges_without_annotations_are_compared_and_the_lack_is_noted() -> None:
    table = judge_agreement_table(rater_rows([], JUDGEMENTS, SAMPLE), JUDGES, "Mine", False)
    assert table.header[1:-1] == ("vs. Judge One", "vs. Judge Two")
    assert table.notes == ["No annotations yet."]


def test_disagreements_by_mode(paper: Published) -> None:
    cases = majority_case_rows(ANNOTATIONS, JUDGEMENTS, SAMPLE)
    first, second, published = disagreement_table(cases, JUDGES, paper).sections
    assert first == [
        ["Judge One", "judge ill, humans wf", "1", "0", "negation_trap 1"],
        ["Judge One", "judge wf, humans ill", "0", "0", ""],
    ]
    assert second[2] == ["Judge Two", "no verdict", "1", "", "substring_trap 1"]
    assert published == [
        ["published: Qwen-2.5-72B", "judge ill, humans wf", "8", "all", ""],
        ["", "judge wf, humans ill", "12", "", "compound_fact 10"],
    ]


def test_a_tie_is_a_mode_of_its_own(paper: Published) -> None:
    tied: list[dict[str, Any]] = majority_case_rows(annotate(x="wwww", y="iwww"), judge("one", "aaaa"), SAMPLE)
    rows = disagreement_table(tied, {"one": "Judge One"}, paper).sections[0]
    assert rows[2] == ["Judge One", "no majority", "1", "", "substring_trap 1"]


def test_the_published_matrix(paper: Published) -> None:
    rows = {row[0]: row[1:] for row in published_judges_table(paper).sections[0]}
    assert rows["Claude Opus 4.7"] == ["99/100", "80/100", "59/100", "88/12"]
    assert rows["human majority"] == ["–", "79/100", "58/100", "87/13"]
