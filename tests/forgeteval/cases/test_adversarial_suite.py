"""The authored adversarial cases."""

from collections import Counter

import pytest
import yaml

from forgeteval.admission.structure import rejections
from forgeteval.cases.case import ADVERSARIAL_CATEGORIES, Case
from forgeteval.cases.reading import read_cases
from tests.support.paths import ADVERSARIAL

CATEGORY_COUNTS = {
    "substring_trap": 36,
    "prefix_collision": 39,
    "paraphrase_supersession": 38,
    "negation_trap": 40,
    "temporal_qualifier": 37,
    "shared_attribute": 40,
    "compound_fact": 40,
    "identifier_obfuscation": 38,
    "cross_lingual_identifier": 38,
    "recursive_supersession": 39,
}


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return read_cases(ADVERSARIAL, "adversarial")


def of_category(cases: list[Case], category: str) -> list[Case]:
    return [case for case in cases if case.category == category]


def test_counts_by_category(cases: list[Case]) -> None:
    assert len(cases) == 385
    assert Counter(case.category for case in cases) == CATEGORY_COUNTS
    assert set(CATEGORY_COUNTS) == set(ADVERSARIAL_CATEGORIES)


def test_counts_by_provenance(cases: list[Case]) -> None:
    assert Counter(case.provenance for case in cases) == {"written_first": 132, "written_later": 253}
    first = Counter(case.category for case in cases if case.provenance == "written_first")
    assert set(first) == set(ADVERSARIAL_CATEGORIES)
    assert min(first.values()) >= 8


def test_every_case_is_admitted(cases: list[Case]) -> None:
    assert [found for case in cases for found in rejections(case, strict=True)] == []


def test_every_case_is_complete(cases: list[Case]) -> None:
    for case in cases:
        assert case.suite == "adversarial"
        assert case.family, case.case_id
        assert case.mechanism, case.case_id


def test_no_two_cases_say_the_same(cases: list[Case]) -> None:
    assert len({frozenset(case.setup_facts) for case in cases}) == len(cases)
    assert len({case.case_id for case in cases}) == len(cases)


def test_identifier_obfuscation_covers_many_kinds(cases: list[Case]) -> None:
    kinds = Counter(case.identifier_type for case in of_category(cases, "identifier_obfuscation"))
    assert None not in kinds
    assert len(kinds) >= 25


def test_cross_lingual_covers_many_scripts(cases: list[Case]) -> None:
    scripts = Counter(case.script for case in of_category(cases, "cross_lingual_identifier"))
    assert None not in scripts
    assert len(scripts) >= 12
    assert sum(count >= 3 for count in scripts.values()) >= 10


def test_one_file_holds_one_category(cases: list[Case]) -> None:
    for category in ADVERSARIAL_CATEGORIES:
        written = yaml.safe_load((ADVERSARIAL / f"{category}.yaml").read_text(encoding="utf-8"))
        assert [case["id"] for case in written] == [case.case_id for case in of_category(cases, category)]
