"""Whether two texts say the same in the same words. One may go for the other, so what tells them apart is not lost."""

import pytest

from lethe.matcher.evidence.restatement import restates


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The course - now - meets at nine!", "the course meets at nine"),
        ("A course meets at nine.", "The course meets at nine."),
        ("Plan B is on.", "plan b is on"),
        ("A cat and a dog", "the cat and the dog"),
    ],
)
def test_the_same_in_other_dress(one: str, other: str) -> None:
    assert restates(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The C course meets at nine.", "The C++ course meets at nine."),
        ("The A group meets in room 5.", "The B group meets in room 5."),
        ("Plan A costs 5 kr.", "Plan A+ costs 5 kr."),
        ("It is -5 degrees.", "It is 5 degrees."),
        ("It costs $5.", "It costs \u20ac5."),
        ("Ben's blood type is O-.", "Ben's blood type is O+."),
        ("Otto has a key.", "Otto has no key."),
    ],
)
def test_a_letter_or_a_sign_makes_another_thing(one: str, other: str) -> None:
    assert not restates(one, other)
