"""The cases to develop planners on: each file by one author in one manner, and the house's own batches."""

import csv
from pathlib import Path

import pytest

from forgeteval.admission.check import check_cases
from forgeteval.cases.case import CATEGORIES, Case
from forgeteval.cases.interchange import case_from_json, read_json_lines
from lethe.matcher.training.material import AUTHORS, HOUSE, batches
from tests.support.paths import ROOT

SUITES = ROOT / "suites"
FILES = sorted((SUITES / AUTHORS).glob("*.jsonl"))
HOUSE_FILES = sorted((SUITES / HOUSE).glob("*/*.jsonl"))
TWINS = sorted((SUITES / "development_twins").glob("*.jsonl"))
EARLIER = {"frozen-passes"}
"""What is required since these cases were written."""
BEYOND = {name: {"setup-size", "too-many-rows"} for name in ("many", "crowd")}
"""Reasons that an author's manner brings with it."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_all_cases_of_an_author_are_admitted(path: Path) -> None:
    [intake] = check_cases(path, strict=True)
    reasons = {objection.reason for objection in intake.objections}
    assert reasons <= BEYOND.get(path.stem, set()) | EARLIER
    assert len(intake.admitted) + intake.rejected == len(path.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("path", HOUSE_FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_file_of_the_house_holds_admitted_cases_of_its_category(path: Path) -> None:
    [intake] = check_cases(path, strict=True)
    assert {objection.reason for objection in intake.objections} <= EARLIER
    assert {case.category for case in intake.admitted} == {path.stem}


def read(path: Path) -> list[Case]:
    return [case_from_json(given, path.stem, f"{path}:{line}") for line, given in read_json_lines(path)]


@pytest.mark.parametrize("path", TWINS, ids=lambda path: path.stem)
def test_a_twin_asks_for_what_is_not_stored(path: Path) -> None:
    known = {case.case_id: case for case in read(SUITES / AUTHORS / path.name)}
    for twin in read(path):
        case = known[twin.twin_of or ""]
        assert sorted(twin.setup_facts) == sorted(case.setup_facts) and twin.mutations != case.mutations
        assert set(twin.setup_facts) <= set(twin.gold_rows or ())


def test_a_careful_reader_chooses_what_the_cases_mean() -> None:
    """A reader who saw memories and first request alone, on 100 cases drawn from twelve authors: docs/matcher.md."""
    cases = {case.case_id: case for path in FILES for case in read(path)}
    with (SUITES / "development_readings" / "careful_reader.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    single = [(cases[row["case_id"]], row["chosen"]) for row in rows if len(cases[row["case_id"]].mutations) == 1]
    right = [
        {int(place) for place in chosen.split()}
        == {place for place, fact in enumerate(case.setup_facts) if fact not in (case.gold_rows or ())}
        for case, chosen in single
    ]
    assert (len(rows), sum(right), len(right)) == (100, 85, 85)


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
