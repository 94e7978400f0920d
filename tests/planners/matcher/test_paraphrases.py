"""Other names for a thing, other things in the same words, remarks, and denials. No embedder: words alone decide."""

import pytest

from lethe.planners.matcher import Matcher
from lethe.planners.protocol import Choice, Edit, Matches, Replace
from tests.planners.matcher.paraphrase_probes import CHOSEN, REMAINING, REMARKED, SIDES

PLANNER = Matcher()


@pytest.mark.parametrize(("query", "new_fact", "rows", "meant"), CHOSEN)
def test_the_row_is_found_by_what_its_name_stands_for(query: str, new_fact: str, rows: list[str], meant: int) -> None:
    choice = PLANNER.choose(query, new_fact, rows)
    assert isinstance(choice, Choice)
    assert rows[choice.index] == rows[meant]


@pytest.mark.parametrize(("row", "query", "new_fact"), REMARKED)
def test_a_remark_falls_with_its_statement(row: str, query: str, new_fact: str) -> None:
    assert isinstance(PLANNER.supersede(row, query, new_fact), Replace)


@pytest.mark.parametrize(("row", "query", "new_fact", "stays"), REMAINING)
def test_what_is_no_remark_stays(row: str, query: str, new_fact: str, stays: str) -> None:
    decision = PLANNER.supersede(row, query, new_fact)
    assert isinstance(decision, Edit)
    assert stays.lower() in decision.text.lower()


@pytest.mark.parametrize(("request_", "meant", "others"), SIDES)
def test_a_release_means_the_rows_of_its_side(request_: str, meant: list[str], others: list[str]) -> None:
    rows = [*others, *meant]
    matches = PLANNER.release_match(request_, rows)
    assert isinstance(matches, Matches)
    assert {rows[index] for index in matches.indices} == set(meant)
