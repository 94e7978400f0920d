"""Typed values in one canonical form each."""

import pytest

from lethe.planners.matcher.evidence.identity.identifier_finders import find


def same(one: str, other: str) -> bool:
    return any(first.is_same(second) for first in find(one) for second in find(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("$1,250.00", "1250 USD"),
        ("EUR 1.250,00", "1,250.00 euros"),
        ("$1.5k", "1500 dollars"),
        ("118.7 MHz", "118700 kHz"),
        ("2,5 kg", "2500 g"),
        ("4.5 %", "4,50 percent"),
        ("2:30 pm", "14:30"),
        ("half past nine", "9:30"),
        ("noon", "12:00"),
        ("2025-03-04T14:30Z", "4 March 2025"),
        ("2025-W10-2", "04.03.2025"),
        ("3 May", "2025-05-03"),
        ("May 3rd", "3.5."),
        ("#abc", "#AABBCC"),
        ("1-800-FLOWERS", "phone 1-800-356-9377"),
        ("db.corp.example", "DB.corp.example:5432"),
    ],
)
def test_one_value_in_two_notations_is_the_same(one: str, other: str) -> None:
    assert same(one, other)
    assert same(f"we had {one} there", f"see {other} for it")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("$1,250.00", "€1,250.00"),
        ("$1,250", "$12,500"),
        ("118.7 MHz", "118.7 kHz"),
        ("2.5 kg", "2.05 kg"),
        ("2:30 pm", "2:30 am"),
        ("8:00", "20:00"),
        ("3 May 2024", "3 May 2025"),
        ("3 May", "13 May"),
        ("2025-W10-2", "2025-03-05"),
        ("#abc", "#abcabc"),
        ("db.corp.example:5432", "db.corp.example:5433"),
    ],
)
def test_two_values_are_not_the_same(one: str, other: str) -> None:
    assert find(one)
    assert find(other)
    assert not same(one, other)
