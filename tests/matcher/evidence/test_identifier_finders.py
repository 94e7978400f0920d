"""Typed identifiers in one canonical form each."""

import pytest

from lethe.matcher.evidence.identity.identifier_finders import find


def same(one: str, other: str) -> bool:
    return any(first.is_same(second) for first in find(one) for second in find(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1-800-FLOWERS", "phone 1-800-356-9377"),
        ("+44 20 7946 0958", "phone 020 7946 0958"),
        ("db.corp.example", "DB.corp.example:5432"),
        ("ana@x.example", "ANA+news@X.example"),
        ("3A:F1:0C:77:BE:09", "3af1.0c77.be09"),
        ("10.0.0.1", "010.000.000.001"),
        ("2001:db8::1", "2001:0db8:0:0:0:0:0:1"),
        ("jörg@bücher.example", "jörg@xn--bcher-kva.example"),
        ("doi:10.1000/182", "https://doi.org/10.1000/182"),
    ],
)
def test_one_identifier_in_two_notations_is_the_same(one: str, other: str) -> None:
    assert same(one, other)
    assert same(f"we had {one} there", f"see {other} for it")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("db.corp.example:5432", "db.corp.example:5433"),
        ("ana@x.example", "ana@x.example.net"),
        ("3A:F1:0C:77:BE:09", "3a:f1:0c:77:be:90"),
        ("+44 20 7946 0958", "+44 20 7946 0985"),
        ("10.0.0.1", "10.0.0.11"),
    ],
)
def test_two_identifiers_are_not_the_same(one: str, other: str) -> None:
    assert find(one)
    assert find(other)
    assert not same(one, other)
