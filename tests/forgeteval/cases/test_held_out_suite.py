"""The held-out cases: complete, admitted, and none of them a case of the adversarial suite retold."""

from collections import Counter

import numpy as np
import pytest

from forgeteval.admission.structure import rejections
from forgeteval.cases.case import ADVERSARIAL_CATEGORIES, Case
from forgeteval.cases.near_duplicates import THRESHOLDS, near_duplicates
from forgeteval.cases.reading import read_cases
from forgeteval.cases.suites import build_suite
from tests.support.paths import ADVERSARIAL, HELD_OUT


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return read_cases(HELD_OUT, "held_out")


def test_thirty_cases_in_each_category(cases: list[Case]) -> None:
    assert Counter(case.category for case in cases) == dict.fromkeys(ADVERSARIAL_CATEGORIES, 30)
    assert {case.provenance for case in cases} == {"held_out"}
    assert all(case.gold_rows for case in cases)


def test_every_case_is_admitted(cases: list[Case]) -> None:
    assert [found for case in cases for found in rejections(case, strict=True)] == []


def test_the_suite_is_built_from_its_folder(cases: list[Case]) -> None:
    assert build_suite("held_out", {"folder": str(HELD_OUT)}) == cases
    few = build_suite("held_out", {"folder": str(HELD_OUT), "cases_per_category": 1})
    assert [case.case_id for case in few] == [f"held-{category}-01" for category in sorted(ADVERSARIAL_CATEGORIES)]


def test_no_case_retells_one_of_the_adversarial_suite(cases: list[Case]) -> None:
    held = {case.case_id for case in cases}
    every = [*read_cases(ADVERSARIAL, "adversarial"), *cases]
    rng = np.random.default_rng(0)
    texts = {text: rng.normal(size=8).astype(np.float32) for case in every for text in case.texts()}
    vectors = {text: vector / np.linalg.norm(vector) for text, vector in texts.items()}
    found = near_duplicates(every, vectors, {**THRESHOLDS, "meaning": 2.0, "row": 2.0})
    assert [pair for pair in found.pairs if (pair.first in held) != (pair.second in held)] == []
