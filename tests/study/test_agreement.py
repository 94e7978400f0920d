"""Agreement measures: a published worked example, what is not defined, and judges against the majority."""

import math

import numpy as np
import pytest
from krippendorff import alpha

from lethe.study.agreement import (
    MAJORITY,
    agreement_rows,
    fleiss_kappa,
    krippendorff_alpha,
    majority_case_rows,
    majority_labels,
    observed_agreement,
    rater_rows,
)
from tests.support.annotations import SAMPLE, annotate, judge

FLEISS_1971 = np.array(
    [
        [0, 0, 0, 6, 0], [0, 3, 0, 0, 3], [0, 1, 4, 0, 1], [0, 0, 0, 0, 6], [0, 3, 0, 3, 0], [2, 0, 4, 0, 0],
        [0, 0, 4, 0, 2], [2, 0, 3, 1, 0], [2, 0, 0, 4, 0], [0, 0, 0, 0, 6], [1, 0, 0, 5, 0], [1, 1, 0, 4, 0],
        [0, 3, 3, 0, 0], [1, 0, 0, 5, 0], [0, 2, 0, 3, 1], [0, 0, 5, 0, 1], [3, 0, 0, 1, 2], [5, 1, 0, 0, 0],
        [0, 2, 0, 4, 0], [1, 0, 2, 0, 3], [0, 0, 0, 0, 6], [0, 1, 0, 5, 0], [0, 2, 0, 1, 3], [2, 0, 0, 4, 0],
        [1, 0, 0, 4, 1], [0, 5, 0, 1, 0], [4, 0, 0, 0, 2], [0, 2, 0, 4, 0], [1, 0, 5, 0, 0], [0, 0, 0, 0, 6],
    ]
)  # fmt: skip
"""Psychiatric diagnoses: 30 subjects by 5 categories, 6 raters each (Fleiss 1971, Table 1)."""


def test_fleiss_worked_example() -> None:
    assert FLEISS_1971.shape == (30, 5) and (FLEISS_1971.sum(axis=1) == 6).all()
    assert FLEISS_1971.sum(axis=0).tolist() == [26, 26, 30, 55, 43]
    assert round(fleiss_kappa(FLEISS_1971), 3) == 0.430
    # The paper's mean agreement of pairs of raters, and alpha's closeness to kappa for so many labels.
    assert observed_agreement(FLEISS_1971) == pytest.approx(0.5556, abs=5e-5)
    assert krippendorff_alpha(FLEISS_1971) == pytest.approx(fleiss_kappa(FLEISS_1971), abs=0.004)


def test_alpha_is_that_of_the_package_to_the_last_bit() -> None:
    draw = np.random.default_rng(7)
    for _ in range(200):
        counts = draw.integers(0, 4, size=(draw.integers(2, 40), draw.integers(2, 5)))
        counts[0] = 2
        assert krippendorff_alpha(counts) == alpha(value_counts=counts, level_of_measurement="nominal")


@pytest.mark.parametrize("counts", [[[3, 0], [3, 0]], [[1, 0], [0, 1]]], ids=["one label", "one annotator"])
def test_a_measure_that_is_not_defined_is_nan(counts: list[list[int]]) -> None:
    assert math.isnan(fleiss_kappa(np.array(counts)))
    assert math.isnan(krippendorff_alpha(np.array(counts)))


def test_agreement_overall_and_by_category() -> None:
    rows = agreement_rows(annotate(x="wwwi", y="wwwi", z="wwii"), resamples=400, seed=1)
    by_key = {(row["part"], row["measure"]): row for row in rows}
    assert [part for part, _ in by_key][::3] == ["all", "substring_trap", "negation_trap"]
    everything = by_key["all", "fleiss_kappa"]
    # By hand: labels 3/0, 3/0, 2/1, 0/3; shares 8/12 and 4/12; observed (1 + 1 + 1/3 + 1) / 4, by chance 5/9.
    assert everything["value"] == pytest.approx((5 / 6 - 5 / 9) / (1 - 5 / 9))
    assert by_key["all", "observed_agreement"]["value"] == pytest.approx(5 / 6)
    assert everything["low"] < everything["value"] < everything["high"] == 1.0
    assert (everything["cases"], everything["annotators"]) == (4, 3)
    assert 0 < everything["resamples"] < 400, "resamples of one label alone are left out"
    unanimous = by_key["substring_trap", "fleiss_kappa"]
    assert (unanimous["value"], unanimous["low"], unanimous["high"], unanimous["resamples"]) == (None, None, None, 0)
    assert by_key["substring_trap", "observed_agreement"]["value"] == 1.0


def test_the_interval_depends_on_the_seed_alone() -> None:
    annotations = annotate(x="wwwi", y="wiwi", z="wwii")
    assert agreement_rows(annotations, 100, 7) == agreement_rows(annotations, 100, 7)
    assert agreement_rows(annotations, 100, 7) != agreement_rows(annotations, 100, 8)


def test_no_annotation_gives_no_row() -> None:
    assert agreement_rows([], 100, 1) == []
    assert rater_rows([], [], SAMPLE) == []
    assert majority_case_rows([], judge("one", "aaaa"), SAMPLE) == []


def test_a_tie_has_no_majority() -> None:
    assert majority_labels(annotate(x="wwii", y="wiwi")) == {"a": "wf", "b": None, "c": None, "d": "ill"}


def test_judges_with_one_another_and_with_the_majority() -> None:
    judgements = [
        *judge("one", "aarr"),
        *judge("two", "auar"),
        {"judge": "one", "case_id": "other", "verdict": "admit"},
    ]
    rows = {(r["first"], r["second"]): r for r in rater_rows(annotate(x="wwwi"), judgements, SAMPLE)}
    assert len(rows) == 9
    human = rows["one", MAJORITY]
    assert (human["cases"], human["equal"], human["well_formed"]) == (4, 3, 2)
    assert human["kappa"] == pytest.approx((3 / 4 - 1 / 2) / (1 - 1 / 2))
    assert (rows["one", "two"]["cases"], rows["one", "two"]["equal"]) == (3, 2), "no verdict on b"
    assert rows[MAJORITY, MAJORITY]["well_formed"] == 3
    assert rows["one", "two"]["kappa"] == rows["two", "one"]["kappa"]


def test_without_annotations_the_judges_are_still_compared() -> None:
    rows = rater_rows([], [*judge("one", "aaaa"), *judge("two", "aaaa"), *judge("mute", "eeee")], SAMPLE)
    by_pair = {(row["first"], row["second"]): row for row in rows}
    assert by_pair["one", "two"]["equal"] == 4 and by_pair["one", "two"]["kappa"] is None
    assert by_pair["one", "mute"]["cases"] == 0


def test_each_annotated_case_says_what_judge_and_annotators_made_of_it() -> None:
    rows = majority_case_rows(annotate(x="wwii", y="wiwi"), judge("one", "arur"), SAMPLE)
    assert [(r["verdict"], r["majority"], r["well_formed"], r["annotators"]) for r in rows] == [
        ("wf", "wf", 2, 2),
        ("ill", None, 1, 2),
        (None, None, 1, 2),
        ("ill", "ill", 0, 2),
    ]
