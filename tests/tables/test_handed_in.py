"""The table of what others handed in: a section for each suite, as wide as a line of a page."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lethe.study.handed_in import HandedIn
from lethe.study.setup import Suite
from lethe.tables.beyond.handed_in import handed_in_table
from lethe.tables.render_latex import render_latex
from tests.support.latex import compiled, fits, needs_pdflatex
from tests.support.tables import setup, texts

LONGEST = "a" * 20 + "-" + "M" * 19
ANA = HandedIn("Ana", "naive_sql", "naive_sql", "", "Naive SQL", 1, False, 10, 9, ["mine"], {"own": "not run here"})
OTHER = HandedIn(LONGEST, "x", "x", "", "Their own system of memories", 1, True, 0, 0, ["own", "mine"], {})
SETUP = setup(suites={"mine": Suite("Mine", {}), "own": Suite("Own", {})}, handed_in=[ANA, OTHER])


def score(handed: HandedIn, suite: str) -> dict[str, Any]:
    key = {"by": handed.by, "system": handed.system, "model": "", "suite": suite}
    return {**key, "cases": 1000, "passed": 612, "na": 3, "errors": 1, "wilson_low": 0.581, "wilson_high": 0.642}


SCORES = [score(handed, suite) for handed in (ANA, OTHER) for suite in handed.suites]


def test_each_suite_has_its_section_and_each_row_says_who_handed_in() -> None:
    table = handed_in_table(SCORES, SETUP)
    numbers = ["612/1000 (61)", "[58.1, 64.2]", "3", "1"]
    assert texts(table) == [
        [["Naive SQL", "Ana", "Mine", *numbers, "9/10"], [OTHER.label, LONGEST, "Mine", *numbers, "not run"]],
        [[OTHER.label, LONGEST, "Own", *numbers, "not run"]],
    ]
    assert {cell.state for row in table.rows() for cell in row[3:7]} == {"handed in"}
    assert table.notes == [
        "Naive SQL, handed in by Ana, on own: not shown: not run here.",
        f"{OTHER.label}, handed in by {LONGEST}: no system of this project; judged by its trials alone.",
    ]


def test_cases_that_ran_again_are_named() -> None:
    again = replace(SETUP, handed_in=[replace(ANA, repetitions=3), OTHER])
    said = "Naive SQL, handed in by Ana: each case was run 3 times; what passed, is N/A or broke is counted by trial."
    assert said in handed_in_table(SCORES, again).notes


@needs_pdflatex
@pytest.mark.parametrize("record", [SETUP, setup()], ids=["handed in", "nothing"])
def test_it_fits_the_page(record: Any, tmp_path: Path) -> None:
    assert fits(compiled(render_latex(handed_in_table(SCORES, record)), tmp_path))
