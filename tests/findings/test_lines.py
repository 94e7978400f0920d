from dataclasses import replace
from pathlib import Path

import pytest

from lethe.errors import LetheError
from lethe.findings.lines import NEEDED, five_lines
from lethe.tables.table import Cell, Table
from tests.support.findings import invented_tables

LINES = Path(__file__).with_name("lines.txt").read_text(encoding="utf-8").splitlines()


def changed(name: str, **fields: object) -> dict[str, Table]:
    tables = invented_tables()
    return {**tables, name: replace(tables[name], **fields)}  # type: ignore[arg-type]


def test_the_lines_follow_from_the_cells() -> None:
    assert five_lines(invented_tables()) == LINES


def test_a_model_that_helps_is_not_said_to_make_it_worse() -> None:
    section = list(invented_tables()["model_size"].sections[0])
    section[0] = [*section[0][:2], Cell("5", "measured", 5, 50), *section[0][3:]]
    assert "makes it worse" not in five_lines(changed("model_size", sections=[section]))[2]


@pytest.mark.parametrize("name", NEEDED)
def test_a_table_that_is_missing_is_named(name: str) -> None:
    tables = invented_tables()
    del tables[name]
    with pytest.raises(LetheError, match=f"^tables {name}: missing"):
        five_lines(tables)


def test_a_table_that_was_not_run_is_an_error_or_says_so() -> None:
    tables = changed("pass_worth", sections=[[[Cell("not run: no data", "not run")]]])
    with pytest.raises(LetheError, match=r"^table pass_worth: not run: no data"):
        five_lines(tables)
    lines = five_lines(tables, partial=True)
    assert lines[3] == "**What published passes are worth.** not run: no data"
    assert lines[:3] == LINES[:3]


@pytest.mark.parametrize("name", NEEDED)
def test_a_column_that_is_missing_is_named(name: str) -> None:
    header = invented_tables()[name].header
    with pytest.raises(LetheError, match=f"table {name}: no column"):
        five_lines(changed(name, header=["?"] * len(header)))


@pytest.mark.parametrize("count", [None, 0])
def test_a_number_that_is_missing_is_named(count: int | None) -> None:
    section = [
        [*row[:2], replace(row[2], count=count), *row[3:]] for row in invented_tables()["pass_worth"].sections[0]
    ]
    with pytest.raises(LetheError, match=r"table pass_worth, row P, column 'all cases': no number \(40\)"):
        five_lines(changed("pass_worth", sections=[section]))
