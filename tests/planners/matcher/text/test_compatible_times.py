"""Times compared."""

import pytest

from lethe.planners.matcher.evidence.text.compatible_times import compatibility
from lethe.planners.matcher.evidence.text.times import times


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
def test_two_notations_of_one_time_are_compatible(one: str, other: str) -> None:
    assert compatibility(times(one), times(other)) > 0
    assert compatibility(times(other), times(one)) > 0


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
def test_different_times_are_not_compatible(one: str, other: str) -> None:
    assert compatibility(times(one), times(other)) <= 0
