"""Texts made comparable: one encoding, one width, words with their stems."""

import functools
import html
import importlib
import re
import unicodedata
from typing import Any, NamedTuple
from urllib.parse import unquote

from lethe.matcher.evidence.tables import table
from lethe.matcher.evidence.text.encoded import written_out
from lethe.matcher.evidence.text.variants import simplified

_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
_INVISIBLE = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufe00-\ufe0f]")
_QUOTES = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"', "\u00ab": '"', "\u00bb": '"'}
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | {"\u2044": "/"}
    | dict.fromkeys("\u00a0\u2007\u202f\u3000", " ")
)
_WORD = re.compile(r"(?:[^\W_]|(?<=[^\W_])[\u0300-\u036f\u0900-\u0dff\u0e00-\u0eff])+(?:'[^\W\d_]+)?")
_INDIC = re.compile("[\u0900-\u0dff\u0e00-\u0eff]")
_INDIC_WORD = re.compile("[\u0900-\u0dff\u0e00-\u0eff]+|[^\\W_]+(?:'[^\\W\\d_]+)?")

FUNCTION_WORDS = frozenset(table("words", "function_words").split())


@functools.lru_cache(maxsize=4096)
def clean(text: str) -> str:
    """The text with one spelling of the same characters.

    HTML entities and percent escapes are decoded, compatibility forms folded (except for one vowel of Thai and Lao),
    invisible characters dropped, quotes, dashes and spaces made plain.
    """
    text = html.unescape(text) if "&" in text else text
    text = unquote(text) if _PERCENT.search(text) else text
    text = unquote(text) if _PERCENT.search(text) else text
    if text.isascii():
        return written_out(text)
    text = unicodedata.normalize("NFKC", text).translate(_QUOTES)
    text = text.replace("\u0e4d\u0e32", "\u0e33").replace("\u0ecd\u0eb2", "\u0eb3")
    return written_out(_INVISIBLE.sub("", text))


class Word(NamedTuple):
    """A word of a cleaned text, from `start` to `end`; `key` is what words are compared by."""

    text: str
    key: str
    start: int
    end: int

    @property
    def is_capital(self) -> bool:
        return self.text[:1].isupper()

    @property
    def is_content(self) -> bool:
        return _says_something(self.text)


@functools.lru_cache(maxsize=16384)
def _says_something(word: str) -> bool:
    return word.lower() not in FUNCTION_WORDS and (len(word) > 1 or word.isdigit())


@functools.lru_cache(maxsize=4096)
def words(text: str) -> tuple[Word, ...]:
    """The words of `text`, which should be clean; a possessive ending is no part of the key."""
    pattern = _INDIC_WORD if not text.isascii() and _INDIC.search(text) else _WORD
    return tuple([Word(found[0], key(found[0]), *found.span()) for found in pattern.finditer(text)])


@functools.lru_cache(maxsize=4096)
def letter_runs(text: str) -> frozenset[str]:
    """The runs of the letters a to z in `text`, in small letters.

    A pattern that begins with one of several words need not be tried where none of them is there.
    """
    return frozenset(_LETTERS.findall(text.lower()))


_LETTERS = re.compile(r"[a-z]+")


def without_possessive(word: str) -> str:
    """A word without "'s", or the apostrophe that ends it."""
    return _POSSESSIVE.sub("", word) if "'" in word else word


_POSSESSIVE = re.compile(r"'s?$")


@functools.lru_cache(maxsize=16384)
def key(word: str) -> str:
    """A word folded: lower case, no possessive, no diacritics, the English stem where it is a plain Latin word."""
    folded = bare(word)
    if not (folded.isascii() and folded.isalpha()):
        return folded
    if folded in _IRREGULAR:
        return str(_IRREGULAR[folded])
    stem = str(_stemmer().stemWord(folded))
    return stem.removesuffix("script") + "scrib" if stem.endswith("script") else stem


@functools.lru_cache(maxsize=16384)
def bare(word: str) -> str:
    """A word folded, without a possessive ending."""
    return fold(without_possessive(word))


@functools.lru_cache(maxsize=16384)
def fold(word: str) -> str:
    """A text in lower case, without Latin diacritics, with ё as е and Chinese characters simplified."""
    if word.isascii():
        return word.lower()
    lowered = simplified(word.casefold().translate(LATIN))
    decomposed = unicodedata.normalize("NFD", lowered)
    if not any("a" <= letter <= "z" for letter in decomposed):
        return lowered
    return "".join(letter for letter in decomposed if unicodedata.category(letter) != "Mn")


@functools.lru_cache(maxsize=4096)
def content(text: str) -> tuple[str, ...]:
    """The keys of the content words of `text`, in order."""
    return tuple(word.key for word in words(text) if word.is_content)


_LEAST_STEM = 4
"""Least number of letters that two words that are `alike` have in common, unless they are equal."""


@functools.lru_cache(maxsize=4096)
def keys(text: str) -> frozenset[str]:
    """The keys of the content words of `text`."""
    return frozenset([word.key for word in words(text) if word.is_content])


@functools.lru_cache(maxsize=65536)
def alike(one: str, other: str) -> bool:
    """Whether two keys are the same word, or one is the other with an ending that derives words from words."""
    if one == other:
        return True
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    ending = long[len(short) :]
    is_derived = ending in _ENDINGS or (ending == "st" and short[-1:] == "i")
    return len(short) >= _LEAST_STEM and short.isalpha() and long.startswith(short) and is_derived


_ENDINGS = frozenset(
    """e s es ed er ers ery or ing in ment ion ant anc ent enc abl ist ish ize ise is iz ate at al y i ey ie ly ful
    nes ship age ive iv ier ii""".split()
)
"""What the stems of one word may differ in ("garden" and "gardener"); "plan" and "planet" do not."""
LATIN = str.maketrans(
    {"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ħ": "h", "ё": "е"}
)
_IRREGULAR = {
    form: stem
    for stem, forms in table("words", "irregular").items()
    for form in forms.split()
}  # fmt: skip


@functools.cache
def _stemmer() -> Any:
    return importlib.import_module("Stemmer").Stemmer("english")
