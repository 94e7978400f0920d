"""A run ends with its result."""

from pathlib import Path

from lethe.findings.ending import result_lines
from lethe.parquet import write_rows
from lethe.schemas import REPLICATION
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


def test_a_run_of_something_else_says_nothing_of_it(tmp_path: Path) -> None:
    assert result_lines(tmp_path) == []
