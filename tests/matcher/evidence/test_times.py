"""Times: read from a text, and compared."""

import pytest

from lethe.matcher.evidence.times import compatibility, times


@pytest.mark.parametrize(
    ("text", "axis", "values"),
    [
        ("on 3 May 2024", "monthday", {3}),
        ("on 3 May 2024", "year", {2024}),
        ("on 3 May 2024", "month", {5}),
        ("on 2024-05-03", "monthday", {3}),
        ("from 2019-2021", "year", {2019, 2020, 2021}),
        ("at 2:30 pm", "clock", {1430}),
        ("at 14:30", "clock", {1430}),
        ("in the 1990s", "year", set(range(1990, 2000))),
        ("every Saturday", "weekday", {5}),
        ("in Q3", "month", {7, 8, 9}),
        ("before the summer", "relation", {1}),
    ],
)
def test_what_a_text_says_about_time(text: str, axis: str, values: set[int]) -> None:
    assert times(text)[axis] == values


@pytest.mark.parametrize("text", ["It may rain", "room 2024-B", "version 1.2024.1", "a 3:75 ratio"])
def test_what_is_no_time(text: str) -> None:
    assert not set(times(text)) & {"month", "clock", "monthday"}


def test_a_time_within_another_fits_and_another_time_does_not() -> None:
    august = times("in August")
    assert compatibility(august, times("in Q3")) > 0.5
    assert compatibility(august, times("in May")) == -1
    assert compatibility(august, times("on Mondays")) == 0
