"""Texts made comparable: one encoding, one width, words with their stems."""

import functools
import html
import importlib
import re
import unicodedata
from typing import Any
from urllib.parse import unquote

from lethe.matcher.evidence.tables import table

_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
_INVISIBLE = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufe00-\ufe0f]")
_QUOTES = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"', "\u00ab": '"', "\u00bb": '"'}
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | {"\u2044": "/"}
    | dict.fromkeys("\u00a0\u2007\u202f\u3000", " ")
)
_OTHER_DIGIT = re.compile(r"(?![0-9])\d")
_WORD = re.compile(r"[^\W_]+(?:'[^\W\d_]+)?")
_POSSESSIVE = re.compile(r"'s?$")
FUNCTION_WORDS = frozenset(table("words", "function_words").split())
_IRREGULAR = {form: stem for stem, forms in table("words", "irregular").items() for form in forms.split()}
_LATIN = str.maketrans({"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ё": "е"})


@functools.lru_cache(maxsize=8192)
def clean(text: str) -> str:
    """The text with one spelling of the same characters.

    HTML entities and percent escapes are decoded, compatibility forms folded, digits of other scripts written in plain
    ones, invisible characters dropped, quotes, dashes and spaces made plain.
    """
    text = html.unescape(text) if "&" in text else text
    text = unquote(text) if _PERCENT.search(text) else text
    if text.isascii():
        return text
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text).translate(_QUOTES))
    return _OTHER_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), text)


@functools.lru_cache(maxsize=16384)
def fold(word: str) -> str:
    """A text in lower case, without Latin diacritics, with ё as е."""
    if word.isascii():
        return word.lower()
    lowered = word.casefold().translate(_LATIN)
    decomposed = unicodedata.normalize("NFD", lowered)
    if not any("a" <= letter <= "z" for letter in decomposed):
        return lowered
    return "".join(letter for letter in decomposed if unicodedata.category(letter) != "Mn")


@functools.lru_cache(maxsize=16384)
def key(word: str) -> str:
    """A word folded, without a possessive ending; the English stem where it is a plain Latin word."""
    folded = fold(_POSSESSIVE.sub("", word))
    if not (folded.isascii() and folded.isalpha()):
        return folded
    return str(_IRREGULAR.get(folded) or _stemmer().stemWord(folded))


@functools.lru_cache(maxsize=4096)
def content(text: str) -> tuple[str, ...]:
    """The keys of the words of a clean text that say something, in order."""
    found = _WORD.findall(text)
    return tuple(
        key(word) for word in found if word.lower() not in FUNCTION_WORDS and (len(word) > 1 or word.isdigit())
    )


@functools.cache
def _stemmer() -> Any:
    return importlib.import_module("Stemmer").Stemmer("english")
