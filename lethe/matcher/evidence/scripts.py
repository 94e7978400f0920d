"""Scripts, and how a word in any of them may be written in Latin letters."""

import functools
import importlib
import re
import unicodedata
from typing import Any

from lethe.matcher.evidence.tables import table
from lethe.matcher.evidence.words import fold

_SCRIPTS = tuple((name, re.compile(f"[{letters}]")) for name, letters in table("scripts", "letters").items())
UNSPACED = frozenset(("han", "kana", "thai"))
"""Scripts that write no spaces between words."""
_WRITTEN_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_BY_SOUND = str.maketrans(table("scripts", "written_by_sound"))
_HEBREW = dict(zip("אבגדהוזחטיכךלמםנןסעפףצץקרשת", table("scripts", "hebrew"), strict=True))
_ARABIC = dict(zip("ءآأؤإئابتةثجحخدذرزسشصضطظعغفقكلمنهوىيپچژگک", table("scripts", "arabic"), strict=True))
_SAID_ELSEWHERE = table("scripts", "said_elsewhere")
_CONTINENTAL = re.compile(r"tsch|sch|cz|(?<!s)ch|tz|z|w|j|\bgi(?=[aou])")
"""Letters that other languages read otherwise than English."""
_GREEK = (("ει|οι|υι", "ι"), ("ου", "u"), ("αυ", "av"), ("ευ", "ev"), ("μπ", "b"), ("ντ", "d"), ("γκ", "g"))


@functools.lru_cache(maxsize=16384)
def script(text: str) -> str:
    """The name of the first script in `text` that is not Latin; "latin" where there is none."""
    if text.isascii():
        return "latin"
    found = next((name for name, pattern in _SCRIPTS if pattern.search(text)), None)
    return found or ("other" if any(map(_is_foreign, text)) else "latin")


@functools.lru_cache(maxsize=4096)
def _is_foreign(letter: str) -> bool:
    return letter.isalpha() and not unicodedata.name(letter, "LATIN").startswith(("LATIN", "MICRO", "FEMININE", "MASC"))


@functools.lru_cache(maxsize=16384)
def romanised(word: str) -> tuple[str, ...]:
    """The Latin spellings, in lower case and without diacritics, that a word in any script may stand for."""
    name = script(word)
    if name == "latin":
        plain = re.sub("['-]", "", word.casefold())
        german = fold(plain.translate(_WRITTEN_OUT))
        other = _CONTINENTAL.sub(lambda found: _SAID_ELSEWHERE[found[0]], german)
        return tuple(dict.fromkeys((fold(plain), german, other, fold(plain.translate(_BY_SOUND)))))
    if name in ("hebrew", "arabic"):
        return _without_vowels(word, _HEBREW if name == "hebrew" else _ARABIC)
    if name == "greek":
        word = "".join(letter for letter in unicodedata.normalize("NFD", word.lower()) if letter.isalpha())
        for written, spoken in _GREEK:
            word = re.sub(written, spoken, word)
    latin = re.sub("[^a-z]", "", _anyascii()(word).lower())
    return (latin, f"y{latin}") if word[:1] in "ЕеЭэ" else (latin,)


def _without_vowels(word: str, letters: dict[str, str]) -> tuple[str, ...]:
    """Spellings of a word in Hebrew or Arabic, with w and y after the first letter as consonants and as vowels."""
    latin = "'".join(filter(None, (letters.get(letter, "") for letter in unicodedata.normalize("NFC", word))))
    spoken = re.sub(r"(?<=')w", "o", re.sub(r"(?<=')y", "i", latin))
    ending = re.sub("'h$", "'a", spoken)
    return tuple(dict.fromkeys((latin, spoken, ending, re.sub("(?<=')o", "u", ending))))


@functools.cache
def _anyascii() -> Any:
    return importlib.import_module("anyascii").anyascii


def load_dictionaries() -> None:
    """Read the tables of all scripts now, not with the first word that is written in one."""
    for word in ("山", "я", "ü"):
        romanised(word)
