"""Phonetic distance between names, in any scripts and any order of their words."""

import functools
import itertools
import re

from lethe.matcher.evidence.names.base_forms import base_forms
from lethe.matcher.evidence.tables import table
from lethe.matcher.evidence.text.scripts import romanised, script

_SOUNDS = table("sounds", "sounds")  # fmt: skip
_SOUND = re.compile("|".join(sorted((sound for sound, _ in _SOUNDS), key=len, reverse=True)))
_SOUND_OF = dict(_SOUNDS)
_VOWELS = frozenset("aeiouOU")
_CLASSES = table("sounds", "classes")
_NEAR = {frozenset(pair) for letters in _CLASSES for pair in itertools.combinations(letters, 2)}


@functools.lru_cache(maxsize=16384)
def sounds(latin: str) -> str:
    """One letter for each sound of a Latin spelling, doubles made single; an apostrophe keeps two letters apart."""
    hard = re.sub(r"(?<=[aeiou])h$", "", re.sub(r"c(?![eiyhkzs])", "k", latin))
    spoken = _SOUND.sub(lambda found: _SOUND_OF[found[0]], hard).replace("'", "")
    return re.sub(r"(.)\1+", r"\1", spoken)


_FREE = table("sounds", "free")  # fmt: skip
"""Scripts whose spellings of names need costs of their own, each with the mode that names these."""
_GAPS = {
    "": dict.fromkeys(_VOWELS, 0.35) | dict.fromkeys("hvJ", 0.3),
    "abjad": dict.fromkeys(_VOWELS, 0.06) | dict.fromkeys("hvJ", 0.3),
    "abugida": dict.fromkeys(_VOWELS, 0.3) | dict.fromkeys("ao", 0.06) | dict.fromkeys("hvJ", 0.3),
    "korean": dict.fromkeys(_VOWELS, 0.3) | {"h": 0.3, "l": 0.2, "v": 0.2},
    "syllables": dict.fromkeys(_VOWELS, 0.1) | {"i": 0.15, "r": 0.2, "l": 0.2, "h": 0.1} | dict.fromkeys("vJkg", 0.3),
}
"""For each mode, the cost of leaving a sound out: cheap for vowels that a script omits or that Japanese adds."""
_SWAPS = {"": 0.3, "abjad": 0.12, "abugida": 0.2, "korean": 0.3, "syllables": 0.15}
"""For each mode, the cost of replacing one vowel by another."""
_SAME = {
    "": frozenset[frozenset[str]](),
    "abjad": frozenset(map(frozenset, ("bv", "pf", "kh", "gJ", "uv", "Ss", "pb", "iJ", "gk", "ZJ", "dz", "ts"))),
    "korean": frozenset(map(frozenset, ("Oo", "Uu", "ei", "eO"))),
    "abugida": frozenset(map(frozenset, ("bv", "kg", "td", "pb", "sS", "Cs", "mn"))),
    "syllables": frozenset(
        map(frozenset, ("lr", "bv", "ts", "Ss", "cC", "tC", "Cs", "fh", "tc", "sz", "Jz", "dz", "mn"))
    ),
}
"""For each mode, the sounds that the script, or how names are written in it, does not distinguish."""
_HEARD = {"korean": ("Ou",)}
"""For each mode, a sound of the first text and how the second may write it, but not the other way round."""


@functools.lru_cache(maxsize=131072)
def edits(one: str, other: str, mode: str) -> float:
    """The cost of turning one string of `sounds` into another: 1 for each letter, less for like sounds and vowels.

    In the mode "korean", the first one is the Korean text.
    """
    if one == other:
        return 0.0
    cheap = _GAPS[mode]
    gaps = [cheap.get(letter, 1.0) for letter in other]
    previous = [0.0, *itertools.accumulate(gaps)]
    for letter in one:
        gap = cheap.get(letter, 1.0)
        least = previous[0] + gap
        current = [least]
        for position, letter_2 in enumerate(other):
            least += gaps[position]
            swapped = previous[position] + _swap(letter, letter_2, mode)
            left_out = previous[position + 1] + gap
            # No min(): this is the innermost loop of all comparisons of names.
            if swapped < least:
                least = swapped
            if left_out < least:
                least = left_out
            current.append(least)
        previous = current
    return previous[-1]


@functools.cache
def _swap(letter: str, other: str, mode: str) -> float:
    """The cost of replacing one sound by another."""
    if letter == other:
        return 0.0
    if frozenset((letter, other)) in _SAME[mode] or letter + other in _HEARD.get(mode, ()):
        return 0.1
    if letter in _VOWELS and other in _VOWELS:
        return _SWAPS[mode]
    return 0.3 if frozenset((letter, other)) in _NEAR else 1.0


def _korean(sound: str) -> str:
    """The sounds with those that spellings of Korean do not distinguish made one."""
    return re.sub(r"(?<=[aeiou])h(?![aeiou])", "", re.sub(r"^[lr](?=i)", "", sound.translate(_KOREAN)))


_KOREAN = str.maketrans({"g": "k", "d": "t", "b": "p", "J": "C", "Z": "C", "c": "C", "r": "l"})
_WITHOUT_SPACES = frozenset(("han", "hangul"))
_FAR = 1.0
_INFLECTED = 0.3
"""The cost of taking a word for an inflected form."""


@functools.lru_cache(maxsize=65536)
def name_distance(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    """Phonetic distance between two names, 0 to about 1; each is given as its words, in any script and order."""
    if not one or not other or len(one) > 4 or len(other) > 4:
        return _FAR
    scripts = script(" ".join(one)), script(" ".join(other))
    mode = next((_FREE[name] for name in scripts if name in _FREE), "")
    if not _WITHOUT_SPACES.isdisjoint(scripts):
        return min(_as_one(one, other, mode), _FAR)
    by_word = _word_by_word(one, other, mode) if len(one) == len(other) else _FAR
    if len(one) == len(other) == 1 or by_word < _CLOSE:
        return by_word
    joined = _as_one(one, other, mode)
    return min(by_word, joined if joined <= _CLOSE or "thai" in scripts else _FAR)


_CLOSE = 0.06
"""Largest distance of names of different numbers of words, where both scripts write spaces in a name."""


def _word_by_word(one: tuple[str, ...], other: tuple[str, ...], mode: str) -> float:
    costs = [[_word_cost(word, word_2, mode) for word_2 in other] for word in one]
    least = min(
        sum(costs[number][place] for number, place in enumerate(order))
        for order in itertools.permutations(range(len(other)))
    )
    length = sum(len(_sound(word)) for word in (*one, *other)) / 2
    return least / max(4.0, length)


@functools.lru_cache(maxsize=65536)
def _word_cost(one: str, other: str, mode: str) -> float:
    return min(
        edits(mine, theirs, mode) + (_INFLECTED if is_inflected or is_inflected_2 else 0.0)
        for mine, is_inflected in _spoken(one).items()
        for theirs, is_inflected_2 in _spoken(other).items()
    )


@functools.lru_cache(maxsize=16384)
def _spoken(word: str) -> dict[str, bool]:
    """What a word may sound like, the likeliest first, each with whether the word must be inflected for that."""
    forms = base_forms(word, script(word))
    spoken = {sounds(latin): form != word for form in reversed(forms) for latin in reversed(romanised(form))}
    return dict(reversed(spoken.items())) or {"": False}


def _sound(word: str) -> str:
    return next(iter(_spoken(word)))


def _as_one(one: tuple[str, ...], other: tuple[str, ...], mode: str) -> float:
    """The distance of two names written without spaces, the words of the one with more of them in any order."""
    many, few = (one, other) if len(one) >= len(other) else (other, one)
    turns = {few, few[::-1]}
    is_swapped = script(" ".join(few)) == "hangul"
    readings = [list(itertools.product(*(romanised(word)[:_READINGS] for word in turned))) for turned in turns]
    orders = itertools.permutations(many) if len(many) <= 3 else (many, many[::-1], (many[-1], *many[:-1]))
    best = _FAR
    for order in orders:
        for latin in itertools.product(*(romanised(word)[:_READINGS] for word in order)):
            mine = sounds("".join(latin))
            mine = _korean(mine) if mode == "korean" else mine
            for turned in readings:
                for reading in turned:
                    theirs = sounds("".join(reading))
                    theirs = _korean(theirs) if mode == "korean" else theirs
                    if not _as_long(mine, theirs, mode):
                        continue
                    pair = (theirs, mine) if is_swapped else (mine, theirs)
                    cost = edits(*pair, mode) / max(4.0, (len(mine) + len(theirs)) / 2)
                    if cost == 0.0:
                        return cost
                    best = min(best, cost)
    return best


_READINGS = 8


def _as_long(one: str, other: str, mode: str) -> bool:
    """Whether two names may have the same length, given that a script leaves out vowels."""
    if mode in ("", "korean"):
        return min(len(one), len(other)) * 2 >= max(len(one), len(other))
    lengths = [sum(letter not in _VOWELS for letter in name) for name in (one, other)]
    return max(lengths) - min(lengths) <= max(1, max(lengths) // 6)
