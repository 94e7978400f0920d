import base64
import codecs
import json
import random

import pytest

from lethe.residue.texts import covered_forms, find_marker, sentence_forms

MARKER = "cw5dr4gd3vz9rc5ck2pp3tj9"
TEXT = f"The door code of the boathouse is {MARKER}."
NOISE = random.Random(7).randbytes(50_000)


def _each_byte(text: bytes, change: object) -> bytes:
    return bytes(map(change, text))  # type: ignore[call-overload]


PLANTED = {
    "UTF-8": TEXT.encode(),
    "UTF-8, capitals": TEXT.upper().encode(),
    "UTF-16": TEXT.encode("utf-16"),
    "UTF-32": TEXT.encode("utf-32-be"),
    "JSON escapes": "".join(f"\\u{ord(sign):04x}" for sign in TEXT).encode(),
    "hexadecimal": TEXT.encode().hex().encode(),
    "base64": base64.b64encode(TEXT.encode()),
    "reversed": TEXT[::-1].encode(),
    "ROT13": codecs.encode(TEXT, "rot13").encode(),
    "bits of each byte reversed": _each_byte(TEXT.encode(), lambda byte: int(f"{byte:08b}"[::-1], 2)),
    "halves of each byte swapped": _each_byte(TEXT.encode(), lambda byte: byte >> 4 | (byte & 15) << 4),
    "each byte XORed": _each_byte(TEXT.encode(), lambda byte: byte ^ 0xFF),
    "signs apart, or mixed in case": "\u200b".join(TEXT).encode(),
    "each byte shifted": _each_byte(TEXT.encode(), lambda byte: (byte + 77) % 256),
}


def forms(data: bytes) -> set[str]:
    return {found.form for found in find_marker(data, MARKER)}


def test_every_form_that_is_covered_is_planted() -> None:
    assert set(PLANTED) == set(covered_forms())


@pytest.mark.parametrize("form", PLANTED)
def test_a_planted_marker_is_found_in_its_form_alone(form: str) -> None:
    assert forms(NOISE + PLANTED[form] + NOISE) == {form}


def test_json_escapes_may_be_in_capitals() -> None:
    assert forms("".join(f"\\u{ord(sign):04X}" for sign in TEXT).encode()) == {"JSON escapes"}


@pytest.mark.parametrize("alignment", range(3))
def test_base64_is_found_at_every_alignment(alignment: int) -> None:
    assert forms(base64.b64encode(b"x" * alignment + TEXT.encode())) == {"base64"}


@pytest.mark.parametrize("key", [1, 32, 90, 170, 255])
def test_a_copy_under_any_constant_is_found(key: int) -> None:
    assert "each byte XORed" in forms(NOISE + bytes(byte ^ key for byte in TEXT.encode()))


@pytest.mark.parametrize("cut", range(1, len(MARKER)))
def test_a_marker_in_two_pieces_is_found(cut: int) -> None:
    assert forms(MARKER[:cut].encode() + NOISE + MARKER[cut:].encode()) == {"UTF-8"}


def test_json_without_escapes_is_plain_text() -> None:
    assert forms(json.dumps({"text": f'"{MARKER}"\n'}).encode()) == {"UTF-8"}


def test_nothing_is_found_where_nothing_is() -> None:
    other = "bn4kd7ww2jh5tq9mz3xg6rc2"
    assert not find_marker(NOISE + TEXT.replace(MARKER, other).encode(), MARKER)


def test_every_place_of_plain_text_is_given() -> None:
    places = {found.offset for found in find_marker(TEXT.encode() + NOISE + TEXT.encode(), MARKER)}
    assert len(places) == 4


def test_a_half_alone_is_found_and_less_of_it_is_not() -> None:
    assert forms(MARKER[:12].encode()) == forms(MARKER[12:].encode()) == {"UTF-8"}
    assert not forms(MARKER[:11].encode()) and not forms(b"c") and not forms(b"")


@pytest.mark.parametrize("between", ["\n", " ", "-", "\u0332", '", "', "\u200b\u200c"])
def test_what_stands_between_signs_hides_nothing(between: str) -> None:
    assert forms(NOISE + between.join(TEXT).encode()) == {"signs apart, or mixed in case"}
    assert forms(between.join((MARKER[:5], MARKER[5:8], MARKER[8:])).encode()) >= {"signs apart, or mixed in case"}


def test_a_marker_in_mixed_case_is_found() -> None:
    mixed = "".join(sign.upper() if place % 2 else sign for place, sign in enumerate(TEXT))
    assert forms(mixed.encode()) == {"signs apart, or mixed in case"}


def test_words_apart_are_no_sentence() -> None:
    words = json.dumps(TEXT.split()).encode()
    assert forms(words) == {"UTF-8"} and not sentence_forms(words, TEXT, MARKER)
