"""The tables of the published numbers beside the measured ones."""

from lethe.tables.beyond.replication import (
    other_suites_table,
    replica_differences_table,
    replicas_table,
    replication_summary_table,
    replication_table,
)
from lethe.tables.render_latex import render_latex
from tests.support.tables import REPLICATION_ROWS as ROWS
from tests.support.tables import configurations, results, rows_of, score, setup

ENTRIES = configurations({"lethe": {"label": "Lethe", "regime": "deterministic"}})
REPLICAS = [
    {
        "suite": "mine",
        "configuration": "lethe",
        "run": "lethe (v0.5, substring)",
        "case_id": f"c{place}",
        "published": published,
        "measured": measured,
        "agree": agree,
        "missing": [],
        "leaked": [] if agree else ["secret"],
        "recalled": [] if agree else ["a secret", "another"],
    }
    for place, (published, measured, agree) in enumerate(
        [("pass", "pass", True), ("na", "fail", True), ("pass", "fail", False), ("fail", "fail", True)]
    )
]


def test_what_each_number_shows() -> None:
    table = replication_table(ROWS)
    assert rows_of(table) == [
        [
            *("Template", "Lethe", "Wilson low", "98.56 %", "98.46 %", "9/10", "Lethe"),
            *("Adversarial", "−0.1", "", "equal", ""),
        ],
        ["External", "All", "Lethe", "244/385 (63.4 %)", *[""] * 6, "not run", "no cases yet"],
    ]
    assert len(table.sections) == 2 and table.long
    assert table.sections[1][0][10].state == "not run"


def test_numbers_of_other_suites_stand_in_an_appendix() -> None:
    assert rows_of(other_suites_table(ROWS)) == [
        [
            *("Adversarial", "All", "Lethe", "244/385 (63.4 %)", "143/385 (37.1 %)", "", "Lethe"),
            *("Adversarial", "−26.2", "[−32.8, −19.3]", "differs", ""),
        ],
    ]


def test_the_summary_opens_with_the_counts_of_like_with_like() -> None:
    assert rows_of(replication_summary_table(ROWS)) == [
        ["all, on the published cases", "0", "1", "0", "0", "1", "0"],
        ["Template", "0", "1", "0", "0", "0", "0"],
        ["External", "0", "0", "0", "0", "1", "0"],
        ["all, on other suites", "0", "0", "0", "1", "0", "0"],
    ]
    without = [
        {**ROWS[1], "verdict": "differs"},
        {**ROWS[1], "verdict": "within the interval", "note": "its threshold"},
    ]
    assert rows_of(replication_summary_table(without))[0][1:] == ["0", "0", "1", "1", "0", "1"]


def test_replicas_say_how_many_released_verdicts_come_back() -> None:
    table = replicas_table(REPLICAS, {"mine": results([score("lethe", "all", 1, 4)], ENTRIES)}, setup(ENTRIES))
    assert rows_of(table) == [
        ["Mine", "Lethe", "lethe (v0.5, substring)", "2/4 (50.0 %)", "1/4 (25.0 %)", "3/4", "1", "0"]
    ]
    assert rows_of(replica_differences_table(REPLICAS, setup(ENTRIES))) == [
        ["Mine", "Lethe", "c2", "pass", "fail", "", "secret", "a secret | another"]
    ]
    assert rows_of(replicas_table([], {}, setup(ENTRIES)))[0][0] == "not run: no release"
    assert rows_of(replica_differences_table([], setup(ENTRIES)))[0][0] == "not run: no release"


def test_without_a_number_there_is_an_empty_table() -> None:
    assert render_latex(replication_table([])).count("\\begin{table*}") == 1
