import re
import time

import pytest

from forgeteval.cases.haystack import PATTERNS, POOLS, draw_haystack
from forgeteval.errors import UserError


def test_rows_are_distinct_and_as_many_as_asked() -> None:
    rows = draw_haystack(12_000, 42, [])
    assert len(rows) == len(set(rows)) == 12_000
    assert draw_haystack(0, 42, []) == []


def test_the_same_seed_gives_the_same_rows_on_every_machine() -> None:
    assert draw_haystack(3, 42, []) == [
        "A barge laden with timber reached Ironwick on 9 October 1916, 11 hours late.",
        "34 swifts were counted near the weather station at Coldhaven on 18 June.",
        "You can watch otters among the blackberries north-west of Kestrelbridge from November on.",
    ]
    assert draw_haystack(50, 43, []) != draw_haystack(50, 42, [])


def test_a_smaller_haystack_is_the_beginning_of_a_larger_one() -> None:
    assert draw_haystack(5000, 7, ["gravel", "31"])[:100] == draw_haystack(100, 7, ["31", "gravel"])


def test_no_row_contains_what_is_to_be_avoided() -> None:
    plain = draw_haystack(3000, 1, [])
    avoid = ["FERRY", "ridge", "7", "on 3 May", " a", "", "  ", "ZZ-not-there"]
    rows = draw_haystack(3000, 1, avoid)
    for text in (text.lower() for text in avoid if text.strip()):
        assert not [row for row in rows if text in row.lower()]
    for text in ("ferry", "ridge", "7", " a"):
        assert [row for row in plain if text in row.lower()]


def test_avoiding_removes_only_the_rows_that_hold_it() -> None:
    plain = draw_haystack(1000, 5, [])
    kept = [row for row in plain if "tram" not in row.lower() and "of" not in row.lower()]
    assert draw_haystack(len(kept), 5, ["Tram", "OF", "of the never said"]) == kept


def test_what_cannot_be_avoided_is_an_error() -> None:
    with pytest.raises(UserError, match="only 0 of 5 sentences"):
        draw_haystack(5, 1, ["never said", "a", "e", "o"])


def test_the_grammar_is_varied_and_complete() -> None:
    assert len(set(PATTERNS)) >= 12
    used = {slot for pattern in PATTERNS for slot in re.findall(r"\{(\w+)\}", pattern)}
    assert used == set(POOLS)
    rows = draw_haystack(2000, 42, [])
    shapes = [re.sub(r"\\\{\w+\\\}", "(.+)", re.escape(pattern)) for pattern in PATTERNS]
    assert all(any(re.fullmatch(shape, row) for row in rows) for shape in shapes)
    assert not [row for row in rows if re.search(r"\b[Aa] [aeiou]|[{}]|  ", row)]


def test_no_place_stands_twice_in_a_row() -> None:
    rows = draw_haystack(5000, 3, [])
    assert not [row for row in rows for place in POOLS["place"] if row.count(place) > 1]


def test_ten_thousand_rows_take_under_a_second() -> None:
    avoid = [f"Kowalczyk-{number}" for number in range(2500)]
    start = time.process_time()
    draw_haystack(10_000, 42, avoid)
    assert time.process_time() - start < 1.0
