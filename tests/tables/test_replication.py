"""The tables of the published numbers beside the measured ones."""

from lethe.tables.render_latex import render_latex
from lethe.tables.replication import replication_summary_table, replication_table
from tests.support.tables import REPLICATION_ROWS as ROWS
from tests.support.tables import rows_of


def test_what_each_number_shows() -> None:
    table = replication_table(ROWS)
    assert rows_of(table) == [
        [
            *("adversarial", "all", "lethe", "244/385 (63.4 %)", "143/385 (37.1 %)", "Lethe"),
            *("Adversarial (other suite)", "−26.2", "[−32.8, −19.3]", "differs", ""),
        ],
        [
            *("template", "lethe", "wilson_low", "98.56 %", "98.46 %", "Lethe"),
            *("Adversarial (same data)", "−0.1", "", "reproduced", ""),
        ],
        ["external", "all", "lethe", "244/385 (63.4 %)", "", "", "", "", "", "not run", "no cases yet"],
    ]
    assert len(table.sections) == 3 and table.long
    assert table.sections[2][0][9].state == "not run"


def test_the_summary_counts_verdicts_by_table() -> None:
    assert rows_of(replication_summary_table(ROWS)) == [
        ["adversarial", "0", "1", "0", "0"],
        ["template", "1", "0", "0", "1"],
        ["external", "0", "0", "1", "0"],
        ["all", "1", "1", "1", "1"],
    ]


def test_without_a_number_there_is_an_empty_table() -> None:
    assert render_latex(replication_table([])).count("\\begin{table*}") == 1
