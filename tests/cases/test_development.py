"""The cases to develop planners on: each file by one author in one manner, and the house's own batches."""

from pathlib import Path

import pytest

from lethe.admission.intake import check_file
from lethe.cases.case import CATEGORIES
from lethe.planners.matcher.training.material import AUTHORS, HOUSE, batches
from tests.support.paths import ROOT

SUITES = ROOT / "suites"
FILES = sorted((SUITES / AUTHORS).glob("*.jsonl"))
HOUSE_FILES = sorted((SUITES / HOUSE).glob("*/*.jsonl"))
EARLIER = {"frozen-passes"}
"""What is required since these cases were written."""
BEYOND = {"many": {"setup-size", "too-many-rows"}}
"""Reasons that an author's manner brings with it."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_all_cases_of_an_author_are_admitted(path: Path) -> None:
    intake = check_file(path)
    reasons = {objection.reason for objection in intake.objections}
    assert reasons <= BEYOND.get(path.stem, set()) | EARLIER
    assert len(intake.admitted) + intake.rejected == len(path.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("path", HOUSE_FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_file_of_the_house_holds_admitted_cases_of_its_category(path: Path) -> None:
    intake = check_file(path)
    assert {objection.reason for objection in intake.objections} <= EARLIER
    assert {case.category for case in intake.admitted} == {path.stem}


def test_no_case_has_the_name_of_another() -> None:
    names = [line.split('"id": "', 1)[1].split('"', 1)[0] for path in FILES for line in path.open(encoding="utf-8")]
    assert len(set(names)) == len(names) > 0


def test_training_reads_every_file_and_gives_authors_more_weight() -> None:
    found = list(batches(SUITES))
    assert [name for name, _, _ in found] == [
        "adversarial",
        *sorted({path.parent.name for path in HOUSE_FILES}),
        *(path.stem for path in FILES),
    ]
    assert {weight for name, weight, _ in found if name in {path.stem for path in FILES}} == {3.0}
    assert all({case.category for case in cases} <= set(CATEGORIES) for _, _, cases in found)
    assert sum(len(cases) for _, _, cases in found) > 3000
