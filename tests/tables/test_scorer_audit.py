"""The table of the scorer's audit."""

from typing import Any

import pytest

from lethe.study.published import read_published
from lethe.study.scorer_audit import Reading, recalled_digest
from lethe.tables.paper.scorer_audit import scorer_audit_table
from lethe.tables.table import Table
from tests.support.paths import PUBLISHED
from tests.support.tables import by_header, configuration, setup

SETUP = setup(
    {
        "lethe": configuration("Lethe"),
        "mem0": configuration("Mem0"),
        "lethe+matcher": configuration("Lethe+matcher", hook="matcher"),
        "chroma": configuration("Chroma", extended=True),
    }
)


def row(
    case_id: str, category: str, substring: str, probed: str, identifier: str, system: str = "lethe"
) -> dict[str, Any]:
    verdicts = {"substring": substring, "probed": probed, "identifier": identifier}
    return {"case_id": case_id, "category": category, "system": system, "model": "", "repetition": 0, **verdicts}


ROWS = [
    row("p1", "prefix_collision", "fail", "fail", "pass"),
    row("p2", "prefix_collision", "pass", "fail", "pass"),
    row("r1", "recursive_supersession", "fail", "fail", "fail"),
    row("i1", "identifier_obfuscation", "fail", "fail", "fail"),
    *(row("p1", "prefix_collision", "pass", "fail", "pass", name) for name in ("mem0", "lethe+matcher", "chroma")),
]
TRIALS = [{"case_id": name, "repetition": 0, "recalled": [name]} for name in ("p1", "p2", "r1", "i1")]


def reading(case_id: str, name: str, label: str) -> Reading:
    return Reading(case_id, name, label, recalled_digest([case_id]), "why")


READINGS = [
    *(reading("p1", name, "scorer_artifact") for name in ("first", "second")),
    reading("r1", "first", "true_fail"),
    reading("r1", "second", "scorer_artifact"),
]


@pytest.fixture(scope="module")
def table() -> Table:
    return scorer_audit_table(ROWS, TRIALS, SETUP, read_published(PUBLISHED), READINGS)


def test_failures_and_readings_stand_by_category_beside_the_printed_artifacts(table: Table) -> None:
    by_name = {line["Category or system"]: list(line.values())[1:] for line in by_header(table)}
    assert by_name["Prefix collision"] == ["1", "1", "1", "1", "1", "1", "1", "1", "7"]
    assert by_name["Recursive supersession"] == ["0", "0", "1", "0", "1", "0", "1", "0", ""]
    assert by_name["Identifier obfuscation"] == ["0", "0", "1", "0", "", "", "", "", ""]
    assert by_name["Paraphrase and recursive"] == ["0", "0", "1", "0", "1", "0", "1", "0", "8"]
    assert by_name["Canonicalisation"] == ["0", "0", "1", "0", "", "", "", "", "0"]
    assert by_name["All"] == ["1", "1", "3", "1", "2", "1", "2", "1", "15"]


def test_of_the_other_systems_those_without_a_hook_have_a_line(table: Table) -> None:
    assert [[cell.text for cell in line][:5] for line in table.sections[-1]] == [["Mem0", "1", "1", "0", "0"]]


def test_the_notes_give_the_agreement_and_what_was_not_read(table: Table) -> None:
    # By hand: observed 1/2; expected 1/2 * 0 + 1/2 * 1 = 1/2.
    assert table.notes == [
        "The two readings agree on 1 of 2 failures (Cohen’s κ 0.00).",
        "1 of those drawn have no two readings of what was recalled here.",
    ]
