"""A cell says itself that trials behind it broke."""

from typing import Any

from lethe.tables import cells


def score(errors: int) -> Any:
    counts = {"passed": 7, "failed": 3 - errors, "na": 0, "errors": errors, "cases": 10}
    return {**counts, "rate": 0.7, "wilson_low": 0.4, "wilson_high": 0.9}


def test_a_part_of_a_benchmark_says_so() -> None:
    part = {"passed": 7, "questions": 10, "errors": 2}
    assert cells.partly_broken(cells.answered(7, 10), part).text == "7/10, 2 broke"


def test_each_cell_of_a_partly_broken_run_says_so() -> None:
    for made in (cells.passes, cells.passes_of_all, cells.passes_of_evaluable):
        partly, whole = made(score(2)), made(score(0))
        assert partly.text.endswith(", 2 broke") and (partly.state, partly.value) == ("measured", 7)
        assert "broke" not in whole.text
