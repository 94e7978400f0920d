"""The tables about what the release says beside its verdicts."""

from typing import Any

from lethe.study.setup import Release
from lethe.tables.paper.release import hook_run_variance_table, judge_rejections_table, summaries_check_table
from tests.support.tables import configurations, rows_of, setup

SETUP = setup(
    configurations({"lethe": {"label": "Lethe", "regime": "deterministic"}}), release=Release("not run: no release", {})
)
VARIANCE = {
    "category": "all", "cases": 385, "runs": 7, "unstable": 38, "sd": 2.8, "margin": 5.49, "margin_points": 1.43,
    "lowest": 345, "highest": 350, "mean": 346.86, "sd_of_totals": 1.77,
}  # fmt: skip


def check(equal: bool, against: str = "verdicts") -> dict[str, Any]:
    return {
        "file": "data/a.json", "system": "lethe", "category": "all", "against": against, "stated": 3, "stated_n": 5,
        "counted": 2, "cases": 5, "equal": equal,
    }  # fmt: skip


def test_a_run_of_a_hook_has_an_interval() -> None:
    table = hook_run_variance_table([VARIANCE], SETUP)
    assert rows_of(table) == [["All", "385", "38", "2.80", "±5.5", "±1.4"]]
    assert "345 to 350 of 385 cases, 346.9 in the mean" in table.notes[0]


def test_differing_summaries_are_listed_and_the_others_counted() -> None:
    table = summaries_check_table([check(True), check(False), check(True, "sum of categories")], SETUP)
    assert rows_of(table) == [["a.json", "lethe", "All", "verdicts", "3/5", "2/5"]]
    assert "1 of 2 numbers are equal" in table.notes[0] and "1 of 1 totals" in table.notes[0]
    assert rows_of(summaries_check_table([check(True)], SETUP))[0][0] == "no number differs"


def test_rejections_stand_by_category_and_mode() -> None:
    row = {"category": "all", "cases": 112, "rejected": 16, "mode_a": 11, "mode_b": 1, "mode_c": 4}
    assert rows_of(judge_rejections_table([row], SETUP)) == [["All", "96/112 (86)", "16", "11", "1", "4"]]


def test_without_the_release_each_says_so() -> None:
    for build in (hook_run_variance_table, summaries_check_table, judge_rejections_table):
        assert rows_of(build([], SETUP))[0][0] == "not run: no release"
