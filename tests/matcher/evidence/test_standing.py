"""Words: read from a text, and how one stands in another text."""

import pytest

from lethe.matcher.evidence.reading import read
from lethe.matcher.evidence.standing import WORTH, Standing, stands_in


@pytest.mark.parametrize(
    ("word", "memory", "way"),
    [
        ("garden", "the Garden gate", Standing.SAME),
        ("gardens", "a garden", Standing.INFLECTED),
        ("NightHeron", "posts by Night Heron", Standing.RESPELLED),
        ("two", "2 keys", Standing.RESPELLED),
        ("Harada", "ハラダ wrote", Standing.SOUNDED),
        ("organisation", "the orgnisation chart", Standing.SHORTENED),
        ("mail", "the mailout list", Standing.CONTINUED),
        ("ion", "a pavilion", Standing.INSIDE),
        ("piano", "a violin", Standing.ABSENT),
    ],
)
def test_how_a_word_stands_in_a_memory(word: str, memory: str, way: Standing) -> None:
    (token,) = read(f"a {word}")[1:]
    assert stands_in(token, read(memory)) == way


@pytest.mark.parametrize(("one", "other"), [("Ross", "Russ"), ("Marten", "Martin"), ("Hansen", "Hanson")])
def test_a_name_that_differs_by_a_slip_is_another_name(one: str, other: str) -> None:
    (token,) = read(f"a {one}")[1:]
    assert not stands_in(token, read(f"ask {other} first")).holds


def test_the_less_sure_a_way_the_less_it_is_worth() -> None:
    assert list(WORTH) == sorted(WORTH, reverse=True)
    assert len(WORTH) == len(Standing)


def test_words_of_asking_and_of_grammar_say_nothing() -> None:
    assert [token.folded for token in read("Please delete everything about the Zürich lease!") if token.says] == [
        "zurich",
        "lease",
    ]


def test_rows_of_fields_are_split() -> None:
    assert [token.folded for token in read('{"owner":"ana","city":"rome"}')] == ["owner", "ana", "city", "rome"]
