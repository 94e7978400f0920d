"""Names across scripts: what a word may sound like in Latin letters, and how far two spellings are apart."""

import functools
import importlib
import itertools
import re
import unicodedata
from collections.abc import Iterable
from typing import Any

from lethe.hooks.rules.words import fold

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
VOWELLESS = frozenset(("hebrew", "arabic", "indic", "thai"))
"""Scripts that leave out vowels which Latin spellings have."""

_HEBREW = dict(zip("אבגדהוזחטיכךלמםנןסעפףצץקרשת", "'bgdhwzhtykklmmnns'ppTTkrst", strict=True))
_ARABIC = dict(
    zip(
        "ءآأؤإئابتةثجحخدذرزسشصضطظعغفقكلمنهوىيپچژگک",
        [
            "",
            "a",
            "a",
            "w",
            "i",
            "y",
            "a",
            "b",
            "t",
            "a",
            "th",
            "j",
            "h",
            "kh",
            "d",
            "dh",
            "r",
            "z",
            "s",
            "sh",
            "s",
            "d",
            "t",
            "z",
            "",
            "gh",
            "f",
            "q",
            "k",
            "l",
            "m",
            "n",
            "h",
            "w",
            "a",
            "y",
            "p",
            "ch",
            "zh",
            "g",
            "k",
        ],
        strict=True,
    )
)
_INDIC_FIRST = 0x0900
_MOST_READINGS = 8
"""Readings of one word in Chinese characters that are tried."""


def script(text: str) -> str:
    """The first script in `text` that is not Latin, by name; "latin" where there is none."""
    if text.isascii():
        return "latin"
    return next((name for name, pattern in _SCRIPTS if pattern.search(text)), "latin")


@functools.lru_cache(maxsize=4096)
def romanised(word: str) -> tuple[str, ...]:
    """The Latin spellings, in lower case and without diacritics, that a word in any script may stand for."""
    name = script(word)
    if name == "latin":
        plain = fold(word).replace("'", "").replace("-", "")
        german = word.casefold().translate(WRITTEN_OUT)
        return tuple(dict.fromkeys((plain, fold(german).replace("'", "").replace("-", ""))))
    if name in ("han", "kana"):
        return _east_asian(word, name)
    if name == "hebrew":
        return _hebrew(word)
    if name == "arabic":
        letters = "".join(_ARABIC.get(letter, "") for letter in unicodedata.normalize("NFC", word))
        with_article = (letters, "al" + letters[2:], letters[2:])
        readings = with_article if word.startswith("ال") else (letters,)
        return _with_long_vowels(readings, "u")
    from anyascii import anyascii

    if name == "thai":
        return (_thai(word),)
    latin = anyascii(_indic(word) if name == "indic" else word).lower()
    return (re.sub(r"[^a-z0-9]", "", latin),)


def _east_asian(word: str, name: str) -> tuple[str, ...]:
    readings = []
    if name == "han" and not _KANA.search(word):
        from pypinyin import lazy_pinyin

        readings.append("".join(lazy_pinyin(word)).lower())
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
    """The readings, and those in which w and y behind the first letter are the vowels that they often stand for."""
    spoken = (
        re.sub(r"(?<=[a-z'])w", rounded, re.sub(r"(?<=[a-z'])y(?![aeiou])", "i", reading)) for reading in readings
    )
    return tuple(dict.fromkeys((*readings, *spoken)))


def _indic(word: str) -> str:
    """The Devanagari form of a word in any script of India whose code chart is laid out alike."""
    return "".join(
        chr(_INDIC_FIRST + (ord(letter) - _INDIC_FIRST) % 0x80) if 0x0980 <= ord(letter) < 0x0D80 else letter
        for letter in word
    )


def _thai(word: str) -> str:
    """Letters with the mark that silences one taken out together, and a leading vowel after its consonant."""
    from anyascii import anyascii

    word = re.sub("[\u0e01-\u0e2e][\u0e34-\u0e3a]?\u0e4c", "", word)
    word = re.sub("^(?:ร้าน|โรงแรม|บริษัท|นาย|นางสาว|นาง|คุณ)", "", word) or word
    word = re.sub("([\u0e40-\u0e44])([\u0e01-\u0e2e])", r"\2\1", word)
    return re.sub(r"[^a-z]", "", anyascii(word).lower())


_SOUNDS = (
    ("shch", "X"), ("sch", "S"), ("tch", "C"), ("tsch", "C"), ("sh", "S"), ("sz", "S"), ("cz", "C"), ("ch", "C"),
    ("zh", "Z"), ("dzh", "J"), ("dj", "J"), ("kh", "h"), ("gh", "g"), ("ph", "f"), ("th", "t"), ("dh", "d"),
    ("bh", "b"),
    ("ck", "k"), ("qu", "k"), ("ts", "c"), ("tz", "c"), ("eo", "O"), ("eu", "U"), ("oo", "u"), ("ou", "u"), ("ow", "o"),
    ("ee", "i"), ("ie", "i"), ("iy", "i"), ("yi", "i"), ("ij", "i"), ("ii", "i"), ("uu", "u"), ("aa", "a"),
    ("au", "av"), ("q", "k"), ("x", "ks"), ("w", "v"), ("j", "J"), ("y", "i"),
)  # fmt: skip
_SOUND = re.compile("|".join(sorted((sound for sound, _ in _SOUNDS), key=len, reverse=True)))
_SOUND_OF = dict(_SOUNDS)
_VOWELS = frozenset("aeiouOU")
_CLASSES = (
    "pbf",
    "fv",
    "bv",
    "td",
    "kg",
    "gh",
    "kh",
    "JiZ",
    "JCzc",
    "scz",
    "sS",
    "XSC",
    "CS",
    "cC",
    "lr",
    "mn",
    "uv",
    "ZzS",
    "Jg",
    "ln",
    "rn",
    "iv",
    "td",
)
_NEAR = {frozenset(pair) for letters in _CLASSES for pair in itertools.combinations(letters, 2)}


@functools.lru_cache(maxsize=16384)
def sounds(latin: str) -> str:
    """One letter for each sound of a Latin spelling, doubles made single; an apostrophe parts the letters of two."""
    hard = re.sub(r"c(?![eiyhkzs])", "k", latin)
    spoken = _SOUND.sub(lambda found: _SOUND_OF[found[0]], hard).replace("'", "")
    return re.sub(r"(.)\1+", r"\1", spoken)


@functools.lru_cache(maxsize=65536)
def distance(one: str, other: str, *, vowelless: bool) -> float:
    """How far two strings of `sounds` are apart: 0 for equal ones, about 1 for unrelated ones.

    Like sounds cost a third of a letter, a vowel a quarter, and next to nothing where one script leaves vowels out.
    """
    if one == other:
        return 0.0
    longest = max(len(one), len(other))
    if not longest or (min(len(one), len(other)) * 2 < longest and not vowelless):
        return 1.0
    vowel = 0.06 if vowelless else 0.35
    gaps = [vowel if letter in _VOWELS else (0.3 if letter in "hvJ" else 1.0) for letter in other]
    previous = [0.0, *itertools.accumulate(gaps)]
    for letter in one:
        gap = vowel if letter in _VOWELS else (0.3 if letter in "hvJ" else 1.0)
        current = [previous[0] + gap]
        for position, letter_2 in enumerate(other):
            if letter == letter_2:
                swap = 0.0
            elif letter in _VOWELS and letter_2 in _VOWELS:
                swap = 0.12 if vowelless else 0.3
            else:
                swap = 0.3 if frozenset((letter, letter_2)) in _NEAR else 1.0
            current.append(min(previous[position] + swap, previous[position + 1] + gap, current[-1] + gaps[position]))
        previous = current
    return previous[-1] / max(4.0, (len(one) + len(other)) / 2)


def _korean(sound: str) -> str:
    """Sounds that spellings of Korean do not keep apart made one."""
    return re.sub(r"(?<=[aeiou])h(?![aeiou])", "", re.sub(r"^[lr](?=i)", "", sound.translate(_KOREAN)))


_KOREAN = str.maketrans({"g": "k", "d": "t", "b": "p", "J": "C", "Z": "C", "c": "C", "U": "u", "r": "l"})


def name_distance(one: Iterable[str], other: Iterable[str]) -> float:
    """How far two names, each a sequence of words in any script and order, are apart as they sound."""
    first, second = tuple(one), tuple(other)
    if len(first) > 4 or len(second) > 4:
        return 1.0
    vowelless = script(" ".join(first)) in VOWELLESS or script(" ".join(second)) in VOWELLESS
    korean = script("".join(first)) == "hangul" or script("".join(second)) == "hangul"
    best = 1.0
    orders: Iterable[tuple[str, ...]]
    if len(first) > 1 and len(second) > 1 and len(first) != len(second):
        orders = set(itertools.permutations(first))
    else:
        orders = (
            set(itertools.permutations(first)) if len(first) <= 3 else {first, first[::-1], (first[-1], *first[:-1])}
        )
    turns = (
        [second, second[::-1], (*second[1:], second[0]), (second[-1], *second[:-1])]
        if len(first) == 1 and len(second) > 1
        else [second]
    )
    for turned in dict.fromkeys(turns):
        best = min(best, _closest(orders, turned, vowelless=vowelless, korean=korean))
    return best


def _closest(orders: Iterable[tuple[str, ...]], second: tuple[str, ...], *, vowelless: bool, korean: bool) -> float:
    best = 1.0
    for reading in itertools.product(*(romanised(word) for word in second)):
        wanted = sounds("".join(reading))
        wanted = _korean(wanted) if korean else wanted
        for order in orders:
            for latin in itertools.product(*(romanised(word) for word in order)):
                sound = sounds("".join(latin))
                best = min(best, distance(_korean(sound) if korean else sound, wanted, vowelless=vowelless))
                if best == 0.0:
                    return best
    return best
