"""When two texts are the same, at every border where it is asked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lethe.store import Store
from lethe.store.normalisation import form_hashes, forms, is_blank, line_text

TEXT = "Ines’s café ❤ at Straße 4"
DISGUISES = [
    "",
    *"\0\x07\xad\u034f\u061c\u115f\u1160\u17b4\u180e\u200b\u200d\u200e\u202e\u2060\u2064\u2800\u3164\ufe0f\ufeff\uffa0",
    "\U000e0041",
    "\U000e0100",
]


@pytest.mark.parametrize("mark", DISGUISES, ids=ascii)
def test_what_cannot_be_seen_disguises_no_text(mark: str) -> None:
    for place in range(len(TEXT) + 1):
        assert set(forms(TEXT[:place] + mark + TEXT[place:])) & set(forms(TEXT)), place


@given(st.text(st.characters(max_codepoint=127)))
def test_a_plain_text_has_the_form_that_it_has_among_other_characters(text: str) -> None:
    assert forms(text) == forms(text + "\u200b")


def test_a_blank_character_may_stand_for_a_space() -> None:
    for mark in "\u2800\u3164\uffa0\u00a0\u3000\u2028":
        assert set(forms(TEXT.replace(" ", mark))) & set(forms(TEXT))


@pytest.mark.parametrize(
    ("one", "other"),
    [("a b", "ab"), ("a.", "a?"), ("...", "."), ("1.5", "15"), ("cafe", "café"), ("🎂", "🎈"), ("a. b", "a b")],
)
def test_different_texts_stay_different(one: str, other: str) -> None:
    assert not set(form_hashes(one)) & set(form_hashes(other)) or not one.strip(".")


@pytest.mark.parametrize("text", ["", " ", "\u200b", "\u3164\u2800 ", "\0", "\ufeff\r\n"])
def test_a_text_of_which_nothing_can_be_seen_is_blank(store: Store, text: str) -> None:
    assert is_blank(text)
    with pytest.raises(ValueError, match="nothing can be seen"):
        store.inscribe(text)


def test_a_scope_is_the_same_in_both_unicode_forms(store: Store) -> None:
    store.within(owner="Jose\u0301").inscribe("alpha")
    assert store.within(owner="José").count() == 1
    assert store.within(owner="jose\u0301").count() == 0, "case counts in a name"


def test_lines_lose_their_ends_and_the_mark_of_byte_order() -> None:
    assert [line_text(line) for line in ("\ufeffone\r\n", "two\n", " three")] == ["one", "two", " three"]
