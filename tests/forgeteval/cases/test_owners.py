"""Cases with owners and requests in other languages: counts, admission, and their written form."""

from collections import Counter
from typing import Any

import pytest

from forgeteval.admission.structure import rejections
from forgeteval.cases.case import LANGUAGE_CATEGORIES, OWNER_CATEGORIES, Case
from forgeteval.cases.interchange import CaseError, case_from_json
from forgeteval.cases.suites import build_suite
from lethe.stored.cases import suite_from_rows, suite_rows
from tests.support.paths import ROOT

RECORD: dict[str, Any] = {
    "id": "o",
    "category": "same_fact",
    "setup_facts": ["The code is 1.", "The code is 1."],
    "owners": [["Ana"], ["Ana", "Bo"]],
    "mutations": [["purge", "the code"]],
    "asked_by": ["Ana"],
    "asker": "Bo",
    "final_query": "The code?",
    "must_contain": ["1"],
    "must_not_contain": [],
}


def suite(name: str) -> list[Case]:
    return build_suite(name, {"folder": str(ROOT / "suites" / name)})


def test_there_are_a_hundred_and_twenty_with_owners() -> None:
    cases = suite("owners")
    assert len(cases) == 120
    assert set(Counter(case.category for case in cases)) == set(OWNER_CATEGORIES)
    assert [found for case in cases for found in rejections(case, strict=True)] == []


def test_there_are_twenty_requests_in_each_of_ten_languages() -> None:
    cases = suite("languages")
    assert set(Counter(case.language for case in cases).values()) == {20} and len(cases) == 200
    assert Counter(case.category for case in cases) == dict.fromkeys(LANGUAGE_CATEGORIES, 100)
    assert {case.language_check for case in cases} == {"not checked by a native speaker"}
    assert [found for case in cases for found in rejections(case, strict=True)] == []


def test_owners_are_written_as_they_are_read() -> None:
    case = case_from_json(RECORD, "mine", "here")
    assert case.owners == (("Ana",), ("Ana", "Bo"))
    written = case.to_json()
    assert {name: written[name] for name in ("owners", "asked_by", "asker")} == {
        name: RECORD[name] for name in ("owners", "asked_by", "asker")
    }
    assert suite_from_rows(suite_rows([case])) == [case]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"owners": [["Ana"]]}, "owners: must be a list of 2 lists of names"),
        ({"owners": [["Ana"], []]}, "owners[1]: needs at least 1 entry"),
        ({"asked_by": []}, "asked_by: 0 names; a case with owners names who asks for each mutation"),
        ({"asker": None}, "asker: a case with owners, and no other, names who asks"),
        ({"owners": None, "asked_by": []}, "asker: a case with owners, and no other"),
    ],
)
def test_malformed_owners_are_named(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(CaseError) as error:
        case_from_json({**RECORD, **changes}, "mine", "file:4")
    assert str(error.value).startswith(f"file:4: {problem}")
