"""The row a new fact supersedes, the statement of it that goes, and times compared. No embedder: words alone decide."""

import math
import random
from collections.abc import Sequence
from typing import Any

import pytest

from lethe.planners.matcher import Matcher
from lethe.planners.matcher.choice.scoring import WEIGHTS, features
from lethe.planners.matcher.text.compatible_times import agreement
from lethe.planners.matcher.text.times import times
from lethe.planners.protocol import Choice, Edit, Matches
from tests.planners.matcher.row_probes import ROWS, WRITTEN
from tests.planners.matcher.syntax_probes import SYNTAX
from tests.planners.matcher.test_probes import probes, solved_or_known

PLANNER = Matcher()


@pytest.mark.parametrize(
    ("query", "new_fact", "rows", "meant"), [pytest.param(*probe, marks=solved_or_known(probe[0])) for probe in ROWS]
)
def test_the_row_that_is_meant_is_chosen(query: str, new_fact: str, rows: list[str], meant: int) -> None:
    choice = PLANNER.choose(query, new_fact, rows)
    assert isinstance(choice, Choice)
    assert rows[choice.index] == rows[meant]


@pytest.mark.parametrize(("query", "new_fact", "rows", "meant"), WRITTEN)
def test_a_row_also_speaks_of_what_it_was_written_for(
    query: str, new_fact: str, rows: list[tuple[str, str]], meant: int
) -> None:
    choice = PLANNER.choose(query, new_fact, [row for row, _ in rows], [asked for _, asked in rows])
    assert isinstance(choice, Choice)
    assert choice.index == meant


def test_of_rows_in_doubt_the_nearest_statement_counts() -> None:
    def cosine(text: str, others: Sequence[str]) -> list[float]:
        own = set(text.lower().strip(".").split())
        sets = [set(other.lower().strip(".").split()) for other in others]
        return [len(own & other) / math.sqrt(len(own) * len(other)) for other in sets]

    rows = [
        "Runa keeps very quiet nearly all day long.",
        "Runa keeps bees and Runa bakes bread on Sundays.",
        "The cellar is dry.",
    ]
    short, compound, other = features("Runa keeps", "Runa keeps goats.", rows, cosine)
    column = list(WEIGHTS).index("query similarity")
    nearest = cosine("keeps", ["keeps bees."])[0]
    assert compound[column] == pytest.approx(0.5 * cosine("Runa keeps", rows[1:2])[0] + 0.7 * nearest)
    whole = cosine("keeps", ["keeps very quiet nearly all day long."])[0]
    assert short[column] == pytest.approx(0.5 * cosine("Runa keeps", rows[:1])[0] + 0.7 * whole)
    assert other[column] == 0.0


@pytest.mark.parametrize("probe", probes("identified_rows.jsonl"), ids=lambda probe: str(probe["query"]))
def test_the_row_with_the_identifier_or_whole_word_is_chosen(probe: dict[str, Any]) -> None:
    choice = PLANNER.choose(probe["query"], probe["new_fact"], [*probe["others"], probe["right"]])
    assert isinstance(choice, Choice)
    assert choice.index == len(probe["others"])


def test_the_weights_need_no_precise_values() -> None:
    """Each weight changed by a random factor, nearly all probes are decided as before."""
    values = [features(query, new_fact, rows, None) for query, new_fact, rows, _ in ROWS]

    def chosen(weights: list[float]) -> list[int]:
        scores = [[sum(w * v for w, v in zip(weights, row, strict=True)) for row in case] for case in values]
        return [max(range(len(case)), key=case.__getitem__) for case in scores]

    source = random.Random(0)
    as_they_are = chosen(list(WEIGHTS.values()))
    for _ in range(20):
        changed = chosen([weight * source.lognormvariate(0, 0.3) for weight in WEIGHTS.values()])
        assert sum(one != other for one, other in zip(as_they_are, changed, strict=True)) <= len(ROWS) // 5


@pytest.mark.parametrize(
    ("row", "query", "new_fact", "stays", "goes"),
    [pytest.param(*probe, marks=solved_or_known(f"{probe[0]} {probe[1]}")) for probe in SYNTAX],
)
def test_the_rest_of_a_sentence_stays(row: str, query: str, new_fact: str, stays: str, goes: str) -> None:
    decision = PLANNER.supersede(row, query, new_fact)
    assert isinstance(decision, Edit)
    assert decision.text.startswith(new_fact)
    assert stays.lower() in decision.text.lower()
    assert goes.lower() not in decision.text.lower()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("August revenue", "Q3 revenue"),
        ("July to September", "the third quarter"),
        ("on Saturday", "at weekends"),
        ("Monday to Friday", "on weekdays"),
        ("half past eight", "20:30"),
        ("at 9 pm", "in the evening"),
        ("in November", "the winter timetable"),
        ("the first half of the year", "in March"),
        ("1990s", "in 1994"),
        ("since 2021", "in 2023"),
        ("before 2020", "from 2016 to 2019"),
        ("the 2021/22 season", "the year that ended in June 2022"),
        ("term 2", "the second term"),
        ("4 May", "2024-05-04"),
    ],
)
def test_one_time_in_two_notations_agrees(one: str, other: str) -> None:
    assert agreement(times(one), times(other)) > 0
    assert agreement(times(other), times(one)) > 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("August revenue", "Q2 revenue"),
        ("on Saturday", "on weekdays"),
        ("at 9 am", "in the evening"),
        ("before the move", "after the move"),
        ("in 2023", "in 2024"),
        ("3 March", "30 March 2024"),
        ("even weeks", "odd weeks"),
        ("last year", "next year"),
    ],
)
def test_different_times_do_not_agree(one: str, other: str) -> None:
    assert agreement(times(one), times(other)) <= 0


def test_a_request_with_a_date_means_the_rows_of_that_date() -> None:
    rows = ["2025-02-11 deploy api ok", "2025-02-12 deploy api failed", "2025-02-12 deploy web ok", "the wiki is up"]
    decision = PLANNER.purge_match("the api deploy of 12 February", rows)
    assert isinstance(decision, Matches)
    assert decision.indices == (1,)
