from pathlib import Path

import pytest

from forgeteval.errors import UserError
from lethe import schemas
from lethe.findings.lines import TOPICS, five_lines
from lethe.study.setup import Erasure, Long, Release
from tests.support.findings import invented_rows, invented_setup, numbers

LINES = Path(__file__).with_name("lines.txt").read_text(encoding="utf-8").splitlines()
SCORES = schemas.SCORES.path.format(suite="mine")


def test_the_lines_follow_from_the_rows() -> None:
    assert five_lines(numbers()) == LINES


def test_pairs_that_a_model_makes_worse_are_counted() -> None:
    rows = invented_rows()
    for row in rows[SCORES]:
        if (row["system"], row["value"]) == ("keeper", "all"):
            row["passed"] = 5
    assert "mostly harms: 2 of 3 pairs of store and model pass fewer cases" in LINES[2]
    assert (
        "mostly helps: 0 of 3 pairs of store and model pass fewer cases than the store alone, 3 more"
        in (five_lines(numbers(rows))[2])
    )


def test_a_row_with_a_caveat_is_no_finding() -> None:
    assert "Odd" not in "".join(LINES)
    told = five_lines(numbers(caveats={}))
    assert "pass 1 (Odd) to 20 (Keeper)" in told[1]
    assert "3 stores still recall" in told[4]


def test_a_part_of_a_line_whose_suite_was_not_run_is_left_out() -> None:
    suites = {name: suite for name, suite in invented_setup().suites.items() if name != "twins"}
    assert five_lines(numbers(suites=suites))[2] == LINES[2].replace(
        " Of 9 requests for what is not stored Keeper passes 6 alone and 5 with it (the control nuke 9).", ""
    )


@pytest.mark.parametrize("path", sorted(invented_rows()))
def test_a_file_that_is_missing_is_named(path: str) -> None:
    rows = invented_rows()
    del rows[path]
    with pytest.raises(UserError, match=path):
        five_lines(numbers(rows), partial=True)


@pytest.mark.parametrize(
    ("place", "changes"),
    [(3, {"release": Release("not run: no data", {"external": "published_external"})}),
     (4, {"long": Long(0, (), (), {})}),
     (4, {"erasure": Erasure({}, {}, {})}),
     (2, {"hook_pairs": [["keeper", "keeper+matcher"]]})],
)  # fmt: skip
def test_what_was_not_run_is_an_error_or_says_so(place: int, changes: dict[str, object]) -> None:
    found = numbers(**changes)
    with pytest.raises(UserError, match=r"^[\w ]+: not run: [\w .:]+; run it, or let the line say so by --partial"):
        five_lines(found)
    lines = five_lines(found, partial=True)
    assert lines[place].startswith(f"**{list(TOPICS)[place]}.** not run: ")
    assert [*lines[:place], *lines[place + 1 :]] == [*LINES[:place], *LINES[place + 1 :]]


def test_without_a_held_out_suite_the_lines_that_need_it_are_errors() -> None:
    with pytest.raises(UserError, match="suite nowhere: not run; this finding needs it"):
        five_lines(numbers(held_out_suite="nowhere"), partial=True)
