"""Codes: found in a text, and how one stands in a memory."""

import pytest

from lethe.matcher.evidence.codes import Match, codes, stands


@pytest.mark.parametrize(
    ("request_text", "memory", "match"),
    [
        ("HB-204", "box hb204 is full", Match.SAME),
        ("room 12", "Room 12 has a piano", Match.SAME),
        ("INC-0042", "inc 42 is open", Match.SAME),
        ("MK-0417-B", "belt for MK 0417 B", Match.SAME),
        ("incident 4417", "4417 is closed", Match.UNLABELLED),
        ("bib 73", "locker 73", Match.RELABELLED),
        ("card 4417", "the card 5500004417", Match.ENDING),
        ("HB-204", "HB-204-XL is full", Match.LONGER),
        ("flat 4", "flat 4A", Match.LONGER),
        ("HB-204-XL", "HB-204", Match.SHORTER),
        ("HB-204", "HB-315", Match.OTHER),
        ("HB-204", "the piano", Match.ABSENT),
    ],
)
def test_how_a_code_stands_in_a_memory(request_text: str, memory: str, match: Match) -> None:
    (code, *_) = codes(request_text)
    assert stands(code, codes(memory)) == match


def test_a_text_without_digits_has_no_codes() -> None:
    assert codes("Ana plays the piano") == ()
