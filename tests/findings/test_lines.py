from dataclasses import replace
from pathlib import Path

import pytest

from forgeteval.errors import UserError
from lethe.findings.lines import NEEDED, five_lines
from lethe.tables.table import Cell, Table
from tests.support.findings import invented_tables

LINES = Path(__file__).with_name("lines.txt").read_text(encoding="utf-8").splitlines()


def changed(name: str, **fields: object) -> dict[str, Table]:
    tables = invented_tables()
    return {**tables, name: replace(tables[name], **fields)}  # type: ignore[arg-type]


def test_the_lines_follow_from_the_cells() -> None:
    assert five_lines(invented_tables()) == LINES


def test_pairs_that_a_model_makes_worse_are_counted() -> None:
    plain, *others = invented_tables()["model_size"].sections[0]
    better = [[*plain[:2], Cell("5", "measured", 5, 50), *plain[3:]], *others]
    sections = [better, *invented_tables()["model_size"].sections[1:]]
    assert "mostly harms: with it 2 of 3 pairs of store and model pass fewer cases" in LINES[2]
    told = five_lines(changed("model_size", sections=sections))[2]
    assert "mostly helps: with it 0 of 3 pairs of store and model pass fewer cases than the store alone, 3 more" in told


def test_a_row_with_a_caveat_is_no_finding() -> None:
    first, *others = invented_tables()["states"].sections[0]
    odd = [Cell("Odd", note="No measure."), *[replace(cell, value=0.0, text="0") for cell in first[1:]]]
    states = changed("states", sections=[[odd, first, *others], *invented_tables()["states"].sections[1:]])
    long = invented_tables()["long"]
    row = [Cell("Odd"), *[replace(cell, value=0.0, text="0") for cell in long.sections[0][0][1:]]]
    tables = {**states, "long": replace(long, sections=[[row, *long.sections[0]], *long.sections[1:]])}
    assert five_lines(tables)[1::3] == LINES[1::3]


def test_a_part_of_a_line_whose_suite_was_not_run_is_left_out() -> None:
    tables = invented_tables()
    del tables["twins"]
    (line,) = {five_lines(each)[2] for each in (tables, changed("twins", sections=[[[Cell("not run", "not run")]]]))}
    assert line == LINES[2].replace(
        "; of 9 twins, requests for what is not stored, 6 and 5 (the control verbatim: 9)", ""
    )


@pytest.mark.parametrize("name", sorted({*NEEDED} - {"twins", "suite_published_external", "adversarial_extended"}))
def test_a_table_that_is_missing_is_named(name: str) -> None:
    tables = invented_tables()
    del tables[name]
    with pytest.raises(UserError, match=f"^tables {name}: missing"):
        five_lines(tables)


def test_a_table_that_was_not_run_is_an_error_or_says_so() -> None:
    tables = changed("pass_worth", sections=[[[Cell("not run: no data", "not run")]]])
    with pytest.raises(UserError, match=r"^table pass_worth: not run: no data"):
        five_lines(tables)
    lines = five_lines(tables, partial=True)
    assert lines[3] == "**What published passes are worth.** not run: no data"
    assert lines[:3] == LINES[:3]


@pytest.mark.parametrize("name", NEEDED)
def test_a_column_that_is_missing_is_named(name: str) -> None:
    header = invented_tables()[name].header
    with pytest.raises(UserError, match=f"table {name}: no column"):
        five_lines(changed(name, header=["?"] * len(header)))


@pytest.mark.parametrize("count", [None, 0])
def test_a_number_that_is_missing_is_named(count: int | None) -> None:
    section = [
        [*row[:2], replace(row[2], count=count), *row[3:]] for row in invented_tables()["pass_worth"].sections[0]
    ]
    with pytest.raises(UserError, match=r"table pass_worth, row P, column 'all cases': no number \(40\)"):
        five_lines(changed("pass_worth", sections=[section]))
