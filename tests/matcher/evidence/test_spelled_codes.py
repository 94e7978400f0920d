"""Codes that are spelled out in words."""

import pytest

from lethe.matcher.evidence.identity.spelled_codes import plain_codes


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("table five", "table 5"),
        ("Room two hundred and five is", "Room 205 is"),
        ("seat forty-two", "seat 42"),
        ("tango bravo seven", "TB7"),
        ("the last one", "the last one"),
        ("bought two cats", "bought two cats"),
        ("P.O. Box 118", "PO Box 118"),
        ("J.R.R. Tolkien", "J.R.R. Tolkien"),
        ("fox underscore den", "fox_den"),
        ("A-L-I-C-E", "ALICE"),
    ],
)
def test_a_code_in_words_is_written_in_signs(text: str, plain: str) -> None:
    assert plain_codes(text) == plain
