"""A cell says itself that trials behind it broke."""

from typing import Any

from lethe.tables import cells

SCORE = {
    "passed": 7,
    "failed": 1,
    "na": 0,
    "errors": 2,
    "cases": 10,
    "rate": 0.7,
    "wilson_low": 0.4,
    "wilson_high": 0.9,
}


def test_each_cell_of_a_partly_broken_run_says_so() -> None:
    for cell in (cells.passes(SCORE), cells.passes_of_all(SCORE), cells.passes_of_evaluable(SCORE)):
        assert cell.text.endswith(", 2 broke") and cell.state == "measured"
        assert cell.value == 7
    whole: Any = {**SCORE, "failed": 3, "errors": 0}
    assert "broke" not in cells.passes(whole).text + cells.passes_of_all(whole).text
