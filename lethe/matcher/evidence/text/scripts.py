"""Scripts, and how a word in any of them may be written in Latin letters."""

import functools
import importlib
import re
import unicodedata
from typing import Any

from lethe.matcher.evidence.tables import table
from lethe.matcher.evidence.text.thai import romanised_thai
from lethe.matcher.evidence.text.words import fold

_KANA = re.compile("[\u3040-\u30ff\u31f0-\u31ff]")
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff々]")
_HANGUL = re.compile("[\uac00-\ud7af\u1100-\u11ff]")
_SCRIPTS = (
    ("han", _HAN), ("kana", _KANA), ("hangul", _HANGUL), ("hebrew", re.compile("[\u0590-\u05ff]")),
    ("arabic", re.compile("[\u0600-\u06ff\u0750-\u077f]")), ("indic", re.compile("[\u0900-\u0dff]")),
    ("thai", re.compile("[\u0e00-\u0eff]")), ("greek", re.compile("[\u0370-\u03ff\u1f00-\u1fff]")),
    ("cyrillic", re.compile("[\u0400-\u052f]")), ("georgian", re.compile("[\u10a0-\u10ff]")),
    ("armenian", re.compile("[\u0530-\u058f]")),
)  # fmt: skip
WRITTEN_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
"""German and Nordic letters as they are written in plain ones."""
WRITTEN_BY_SOUND = str.maketrans(table("scripts", "written_by_sound"))
"""Letters of Turkish and Slavic alphabets as English would write their sounds."""
_HEBREW = dict(zip("אבגדהוזחטיכךלמםנןסעפףצץקרשת", "'bgdhwzhtykklmmnns'ppTTkrst", strict=True))
_ARABIC = dict(zip("ءآأؤإئابتةثجحخدذرزسشصضطظعغفقكلمنهوىيپچژگک", table("scripts", "arabic"), strict=True))
_STOPS = {"mp": "b", "nt": "d", "gk": "g", "gg": "ng", "tz": "j", "gch": "nh"}
_GREEK_STOPS = re.compile("|".join(_STOPS))
"""How Greek writes the sounds that it has no letters for."""
_SAID_ELSEWHERE = table("scripts", "said_elsewhere")
_CONTINENTAL = re.compile(r"tsch|sch|cz|(?<!s)ch|tz|z|w|j|\bgi(?=[aou])")
"""Letters that other languages read otherwise than English."""
_INDIC_FIRST = 0x0900
_MOST_READINGS = 8
"""Most readings of one word in Chinese characters that are tried."""


@functools.lru_cache(maxsize=16384)
def script(text: str) -> str:
    """The name of the first script in `text` that is not Latin; "latin" where there is none."""
    if text.isascii():
        return "latin"
    found = next((name for name, pattern in _SCRIPTS if pattern.search(text)), None)
    return found or ("other" if any(map(_is_foreign, text)) else "latin")


def load_dictionaries() -> None:
    """Read the tables of all scripts now, not with the first word that is written in one."""
    for word in ("山田", "ヤマダ", "я"):
        romanised(word)


@functools.lru_cache(maxsize=4096)
def _is_foreign(letter: str) -> bool:
    return letter.isalpha() and not unicodedata.name(letter, "LATIN").startswith(("LATIN", "MICRO", "FEMININE", "MASC"))


@functools.lru_cache(maxsize=4096)
def romanised(word: str) -> tuple[str, ...]:
    """The Latin spellings, in lower case and without diacritics, that a word in any script may stand for."""
    name = script(word)
    if name == "latin":
        plain = fold(word).replace("'", "").replace("-", "")
        german = fold(word.casefold().translate(WRITTEN_OUT)).replace("'", "").replace("-", "")
        other = _CONTINENTAL.sub(lambda found: _SAID_ELSEWHERE[found[0]], german)
        by_sound = fold(word.casefold().translate(WRITTEN_BY_SOUND)).replace("'", "").replace("-", "")
        return tuple(dict.fromkeys((plain, german, other, by_sound)))
    if name in ("han", "kana"):
        return _east_asian(word, name)
    if name == "hebrew":
        return _hebrew(word)
    if name == "arabic":
        letters = [_ARABIC.get(letter, "") for letter in unicodedata.normalize("NFC", word)]
        readings = [letters, letters[2:]] if word.startswith("ال") else [letters]
        return _with_long_vowels(tuple("'".join(filter(None, reading)) for reading in readings), "u")
    if name == "thai":
        return (romanised_thai(word),)
    from anyascii import anyascii

    latin = anyascii(_PLAIN_FORM[name](word) if name in _PLAIN_FORM else word).lower()
    if name == "greek":
        spoken = _GREEK_STOPS.sub(lambda found: _STOPS[found[0]], latin)
        return tuple(dict.fromkeys((latin, spoken, re.sub(r"^gi(?=[aeou])", "y", spoken))))
    latin = re.sub(r"[^a-z0-9]", "", latin)
    return (latin, f"y{latin}") if word[0] in "ЕеЭэ" else (latin,)


def _east_asian(word: str, name: str) -> tuple[str, ...]:
    readings = []
    if name == "han" and not _KANA.search(word):
        from pypinyin import Style, lazy_pinyin

        readings += ["".join(lazy_pinyin(word)), "".join(lazy_pinyin(word, style=Style.WADEGILES)).replace("'", "")]
    readings += [re.sub(r"(?<=o)[ou]|(?<=u)u", "", _hepburn(kana)) for kana in _japanese(word)]
    return tuple(dict.fromkeys(latin for reading in readings if (latin := re.sub(r"[^a-z]", "", reading))))


def _japanese(word: str) -> list[str]:
    """The readings of a word in katakana: the likeliest of each part, and all others that the part has as a name."""
    if not _HAN.search(word):
        return [word]
    tokenizer, lookup = _sudachi()
    readings = [""]
    for part in tokenizer.tokenize(word):
        options = [part.reading_form(), *(other.reading_form() for other in lookup(part.surface()) if _is_name(other))]
        spoken = dict.fromkeys(option for option in options if _KANA.search(option))
        if not spoken:
            return []
        readings = [before + option for before in readings for option in spoken][:_MOST_READINGS]
    return readings


def _is_name(morpheme: Any) -> bool:
    return "人名" in morpheme.part_of_speech()


def _hepburn(kana: str) -> str:
    from jaconv import hira2kata, kata2alphabet

    return str(kata2alphabet(hira2kata(kana)))


@functools.cache
def _sudachi() -> tuple[Any, Any]:
    """The Japanese tokenizer and dictionary, which are loaded with the first word in Chinese characters."""
    dictionary = importlib.import_module("sudachipy").Dictionary(dict="small")
    return dictionary.tokenizer(), dictionary.lookup


def _hebrew(word: str) -> tuple[str, ...]:
    letters = [letter for letter in word if letter in _HEBREW]
    latin = []
    for position, letter in enumerate(letters):
        last = position == len(letters) - 1
        if letter == "ה" and last:
            latin.append("a")
        elif letter == "ש":
            latin.append("sh")
        elif letter in "צץ":
            latin.append("ts")
        elif letter == "ח":
            latin.append("h")
        else:
            latin.append(_HEBREW[letter].replace("'", ""))
    return _with_long_vowels(("'".join(latin),), "o")


def _with_long_vowels(readings: tuple[str, ...], rounded: str) -> tuple[str, ...]:
    """The readings, and those with w and y after the first letter as vowels.

    They often stand for vowels there.
    """
    spoken = (
        re.sub(r"(?<=[a-z'])w", rounded, re.sub(r"(?<=[a-z'])y(?![aeiou])", "i", reading)) for reading in readings
    )
    return tuple(dict.fromkeys((*readings, *spoken)))


def _greek(word: str) -> str:
    """Greek with vowels that are written with two letters as one."""
    plain = "".join(letter for letter in unicodedata.normalize("NFD", word.lower()) if letter.isalpha())
    return re.sub("ει|οι|υι", "ι", plain).replace("ου", "u").replace("αυ", "av").replace("ευ", "ev")


_CHILLU = str.maketrans("ൺൻർൽൾൿ", "ണനരലളക")
"""Malayalam consonants without a vowel, for which no other script of India has letters."""


def _indic(word: str) -> str:
    """The Devanagari form of a word in any script of India whose code chart is laid out alike."""
    word = word.translate(_CHILLU)
    return "".join(
        chr(_INDIC_FIRST + (ord(letter) - _INDIC_FIRST) % 0x80) if 0x0980 <= ord(letter) < 0x0D80 else letter
        for letter in word
    )


_PLAIN_FORM = {"greek": _greek, "indic": _indic}
