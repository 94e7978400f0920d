"""A run ends with its result."""

from pathlib import Path

from lethe.findings.ending import result_lines
from lethe.parquet import write_rows
from lethe.schemas import REPLICATION, SCORES
from tests.support.tables import REPLICATION_ROWS


def test_a_run_says_how_many_numbers_have_an_answer_and_where_they_are(tmp_path: Path) -> None:
    write_rows(tmp_path / REPLICATION.path, REPLICATION, REPLICATION_ROWS, "test")
    (tmp_path / "paper_tables").mkdir()
    (tmp_path / "paper_tables/paper.tex").touch()
    assert result_lines(tmp_path) == [
        "Result: of 4 numbers that the paper printed, 2 measured here on the paper's cases, 1 counted again from what "
        "its authors released, 0 measured on other cases, 1 only as printed; 2 of 3 with an answer differ "
        "(paper_tables/replication.csv).",
        f"{tmp_path}/paper_tables/paper.tex: the paper's tables, for pdflatex",
    ]


def test_a_run_says_what_broke_more_often_than_once_in_ten(tmp_path: Path) -> None:
    write_rows(tmp_path / REPLICATION.path, REPLICATION, REPLICATION_ROWS, "test")
    whole = {"suite": "mine", "model": "", "scorer": "substring", "cut": "overall", "value": "all", "cases": 20}
    counts = {"passed": 0, "failed": 0, "na": 0, "leaks": 0, "collateral": 0}
    rates = {"rate": 0.0, "wilson_low": 0.0, "wilson_high": 0.2, "evaluable_rate": None}
    scores = [{**whole, **counts, **rates, "system": name, "errors": n} for name, n in (("mem0", 3), ("lethe", 2))]
    write_rows(tmp_path / SCORES.path.format(suite="mine"), SCORES, scores, "test")
    said = "mem0 on mine: 3 of 20 trials broke (error), more than a tenth; its numbers say little of it."
    assert result_lines(tmp_path)[1:] == [said]


def test_a_run_of_something_else_says_nothing_of_it(tmp_path: Path) -> None:
    assert result_lines(tmp_path) == []
