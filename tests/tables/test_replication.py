"""The tables of the published numbers beside the measured ones."""

from lethe.tables.paper.replicas import replica_differences_table, replicas_table
from lethe.tables.paper.replication import replication_places_table, replication_summary_table, replication_table
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


def test_the_table_of_the_replication_has_the_differences_alone_each_once() -> None:
    table = replication_table(ROWS)
    assert rows_of(table) == [
        [
            *("External", "All", "Lethe", "26/77 (33.8 %)", "20/77 (26.0 %)", "measured", "0.109"),
            "another threshold",
        ]
    ]


def test_every_place_says_where_its_number_comes_from() -> None:
    table = replication_places_table(ROWS)
    lethe, asked, end, _ = rows_of(table)
    assert lethe[3:10] == [
        *("26/77 (33.8 %)", "measured", "20/77 (26.0 %)", "26/77 (33.8 %)", "Lethe", "Published, external", "8/2"),
    ]
    assert asked[4:] == ["printed", *[""] * 8, "no answer", "no run here asks DeepSeek-V3"]
    assert (end[4], end[6], end[8], end[13]) == ("recounted", "98.46 %", "full_1000.json", "equal")
    assert len(table.sections) == 3 and table.sections[0][1][13].state == "not run"


def test_a_cell_printed_na_says_so_and_what_was_found() -> None:
    na = {**ROWS[0], "unit": "na", "printed": "N/A", "published": None, "published_n": None, "difference": None}
    found = [
        {**na, "state": "recounted", "recounted": 8.0, "recounted_n": 8},
        {**na, "state": "measured", "measured": 0.0, "measured_n": 0},
    ]
    assert [row[3:5] for row in rows_of(replication_table(found))] == [["N/A", "8/8 (100.0 %)"], ["N/A", "N/A"]]


def test_the_summary_counts_a_number_once_that_stands_in_two_places() -> None:
    table = replication_summary_table(ROWS)
    states = ("measured", "counted in the cases", "recounted", "other cases", "printed")
    assert table.header[1:8] == ("Places", "Repeats", *states)
    assert rows_of(table) == [
        ["All", "4", "1", "1", "0", "1", "0", "1", "0", "1", "0", "1"],
        ["External", "2", "0", "1", "0", "0", "0", "1", "0", "0", "0", "1"],
        ["Template", "1", "0", "0", "0", "1", "0", "0", "0", "1", "0", "0"],
        ["Text external", "1", "1", "0", "0", "0", "0", "0", "0", "0", "0", "0"],
    ]


def test_replicas_say_how_many_released_verdicts_come_back() -> None:
    table = replicas_table(REPLICAS, {"mine": results([score("lethe", "all", 1, 4)], ENTRIES)}, setup(ENTRIES))
    assert rows_of(table) == [
        ["Mine", "Lethe", "lethe (v0.5, substring)", "2/4 (50.0 %)", "1/4 (25.0 %)", "3/4", "1", "1", "0"]
    ], "of the three that agree, one is N/A in the release alone"
    assert rows_of(replica_differences_table(REPLICAS, setup(ENTRIES))) == [
        ["Mine", "Lethe", "c2", "pass", "fail", "", "secret", "a secret | another"]
    ]
    assert rows_of(replicas_table([], {}, setup(ENTRIES)))[0][0] == "not run: no release"
    assert rows_of(replica_differences_table([], setup(ENTRIES)))[0][0] == "not run: no release"


def test_without_a_number_there_is_an_empty_table() -> None:
    assert render_latex(replication_table([])).count("\\measuredtable[*]") == 1
