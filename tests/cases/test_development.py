"""The development cases (suites/development): each file by one author, in one manner."""

from pathlib import Path

import pytest

from lethe.admission.intake import check_file
from tests.support.paths import ROOT

FILES = sorted((ROOT / "suites" / "development").glob("*.jsonl"))
BEYOND = {"many": {"setup-size", "too-many-rows"}}
"""Reasons that an author's manner brings with it."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_all_cases_of_an_author_are_admitted(path: Path) -> None:
    intake = check_file(path)
    reasons = {objection.reason for objection in intake.objections}
    assert reasons <= BEYOND.get(path.stem, set())
    assert len(intake.admitted) + intake.rejected == len(path.read_text(encoding="utf-8").splitlines())


def test_no_case_has_the_name_of_another() -> None:
    names = [line.split('"id": "', 1)[1].split('"', 1)[0] for path in FILES for line in path.open(encoding="utf-8")]
    assert len(set(names)) == len(names) > 0
