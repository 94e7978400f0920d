"""Codes and addresses: found in a text, and how one stands in a memory in whatever notation."""

import time

import pytest

from lethe.matcher.evidence.identifiers import Match, codes, plain, stands


def match(request: str, memory: str) -> Match:
    (code, *_) = codes(plain(request))
    return stands(code, plain(memory))


@pytest.mark.parametrize(
    ("request_text", "memory", "found"),
    [
        ("HB-204", "box hb204 is full", Match.SAME),
        ("room 12", "Room 12 has a piano", Match.SAME),
        ("INC-0042", "inc 42 is open", Match.SAME),
        ("QX7R2M", 'read out "q x 7 r 2 m" to them', Match.SAME),
        ("00481722", "MRN 0048-1722: wrist", Match.SAME),
        ("one two three four", "the code is 1234", Match.SAME),
        ("CRM#4412", "CRM#4412 renewal due", Match.SAME),
        ("incident 4417", "4417 is closed", Match.SAME),
        ("bib 73", "73 is closed", Match.UNLABELLED),
        ("bib 73", "locker 73", Match.RELABELLED),
        ("HB-204", "HB-315", Match.OTHER),
        ("HB-204", "the piano", Match.ABSENT),
    ],
)
def test_how_a_code_stands_in_a_memory(request_text: str, memory: str, found: Match) -> None:
    assert match(request_text, memory) == found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("58214", "5821"),
        ("QV-0093", "QW-0093"),
        ("7001-383-29", "7010-383-29"),
        ("HB-204", "HB-204-XL"),
        ("flat 4", "flat 4A"),
        ("ana@x.example", "ana@x.example.net"),
        ("db.corp.example:5432", "db.corp.example:5433"),
        ("+44 20 7946 0958", "+44 20 7946 0985"),
        ("+46 70 219 93 51", "+47 70 219 93 51"),
        ("/srv/app", "/srv/app-new"),
    ],
)
def test_a_look_alike_is_no_hit(one: str, other: str) -> None:
    assert match(one, f"see {other} for it") > Match.RELABELLED
    assert match(other, f"see {one} for it") > Match.RELABELLED
    assert match(one, f"see {one} for it") == Match.SAME


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("+44 20 7946 0958", "020 7946 0958"),
        ("desk@northquay.example", "desk [at] northquay [dot] example"),
        ("https://www.corp.example/a", "hxxp://corp[.]example/a"),
        ("3A:F1:0C:77:BE:09", "3af1.0c77.be09"),
        ("٤٤١٢-B7", "4412-B7"),
    ],
)
def test_one_identifier_in_two_notations_is_the_same(one: str, other: str) -> None:
    assert match(one, f"see {other}, please") == Match.SAME


def test_a_number_with_an_extension_is_another_one() -> None:
    assert match("+1 555 0142", "+1 555 0142 ext. 9") == Match.ALIKE


def test_a_text_without_digits_and_addresses_has_no_codes() -> None:
    assert codes("Ana plays the piano. Bo sings") == ()


def test_the_time_is_linear_in_the_length_of_a_text() -> None:
    def seconds(words: int) -> float:
        text = " ".join(f"a{number} {number % 97}-x" for number in range(words))
        started = time.perf_counter()
        match("QX7R2M", text)
        return time.perf_counter() - started

    short, long = min(seconds(500) for _ in range(3)), min(seconds(5001) for _ in range(3))
    assert long < 40 * short
