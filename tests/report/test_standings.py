from dataclasses import replace

from lethe.report.standings import suite_standings
from lethe.study.setup import Suite
from tests.support.report import LEFT_OUT, SETUP, suite_inputs

ROWS = {row["system"]: row for row in suite_standings(suite_inputs())["rows"]}


def test_a_row_counts_what_passed_was_na_and_broke() -> None:
    assert ROWS["lethe+matcher"]["total"] == [3, 4, 0, 0]
    assert ROWS["lethe+llm@one"]["total"] == [1, 4, 1, 2]
    assert ROWS["lethe+matcher"]["categories"] == {"substring_trap": [2, 2, 0, 0], "prefix_collision": [1, 2, 0, 0]}
    assert ROWS["lethe"]["leak"] == [0.5, 0.1, 0.9, 4] and ROWS["null"]["leak"] is None


def test_only_a_planner_that_saw_the_cases_is_marked_so() -> None:
    marked = {name for name, row in ROWS.items() if row["developedOn"]}
    assert marked == {"lethe+matcher"}
    later = replace(SETUP, suites={"mine": Suite("Mine", {}, available_since="abc1234")})
    rows = {row["system"]: row for row in suite_standings(suite_inputs(given=later))["rows"]}
    assert not any(row["developedOn"] for row in rows.values())
    assert {name for name, row in rows.items() if "abc1234" in row["availableSince"]} == {"lethe+matcher"}


def test_residue_is_of_cases_with_purges_alone() -> None:
    assert ROWS["lethe"]["residue"] == [1, 1] and ROWS["lethe+matcher"]["residue"] == [0, 1]
    assert ROWS["null"]["residue"] is None, "storage that was not examined"


def test_what_did_not_run_has_its_reason() -> None:
    assert "absent" not in ROWS
    assert suite_standings(suite_inputs())["notRun"] == dict.fromkeys(
        ("absent", "oracle", "closed", "endless"), LEFT_OUT
    )
