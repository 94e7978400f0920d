"""Phonetic distance between names in any scripts."""

import functools
import itertools
import re

from lethe.matcher.evidence.scripts import UNSPACED, romanised, script
from lethe.matcher.evidence.tables import table

_SOUND_OF = dict(table("sounds", "sounds"))
_SOUND = re.compile("|".join(sorted(_SOUND_OF, key=len, reverse=True)))
_VOWELS = frozenset("aeiouOU")
_NEAR = {frozenset(pair) for letters in table("sounds", "classes") for pair in itertools.combinations(letters, 2)}
_OMITTED = frozenset(("hebrew", "arabic", "indic", "thai", "kana"))
"""Scripts that leave vowels out, or add them between consonants."""
FAR = 1.0
"""The distance of names that have nothing to do with each other."""
_LONGEST = 24
_LEAST, _MOST = 2, 6
"""Fewest and most characters of a name within a text without spaces."""


@functools.lru_cache(maxsize=16384)
def sounds(latin: str) -> str:
    """One letter for each sound of a Latin spelling, doubles made single; an apostrophe keeps two letters apart."""
    hard = re.sub(r"(?<=[aeiou])h$", "", re.sub(r"c(?![eiyhkzs])", "k", latin))
    spoken = _SOUND.sub(lambda found: str(_SOUND_OF[found[0]]), hard).replace("'", "")
    return re.sub(r"(.)\1+", r"\1", spoken)


@functools.lru_cache(maxsize=65536)
def name_distance(one: str, other: str) -> float:
    """Phonetic distance between two words, 0 to 1; of a word in a script without spaces, its nearest part counts."""
    first, second = script(one), script(other)
    if second in UNSPACED and first not in UNSPACED:
        return min((_distance(one, part, second) for part in _parts(other)), default=FAR)
    if first in UNSPACED and second not in UNSPACED:
        return name_distance(other, one)
    return _distance(one, other, first if second == "latin" else second)


@functools.lru_cache(maxsize=8192)
def _parts(text: str) -> tuple[str, ...]:
    """The runs of one script in a text without spaces, and what a longer run begins with."""
    found: dict[str, None] = {}
    for _, run in itertools.groupby(text[: 4 * _LONGEST], key=script):
        whole = "".join(run)
        found[whole] = None
        if script(whole) in UNSPACED:
            sizes = range(_LEAST, min(len(whole), _MOST))
            found |= {whole[at : at + size]: None for at in range(3) for size in sizes if at + size <= len(whole)}
    return tuple(found)


def _distance(one: str, other: str, of: str) -> float:
    costs = (_edits(sounds(a), sounds(b), of in _OMITTED) for a in romanised(one) for b in romanised(other))
    return min(costs, default=FAR)


@functools.lru_cache(maxsize=65536)
def _edits(one: str, other: str, is_omitted: bool) -> float:
    """The cost of turning one string of sounds into another, by their length: less for like sounds and vowels."""
    if one == other:
        return 0.0 if one else FAR
    length = max(4.0, (len(one) + len(other)) / 2)
    if max(len(one), len(other)) > _LONGEST or not one or not other or _swap(one[0], other[0], is_omitted) > 0.3:
        return FAR
    vowel = 0.08 if is_omitted else 0.35
    gaps = [_gap(letter, vowel) for letter in other]
    previous = [0.0, *itertools.accumulate(gaps)]
    for letter in one:
        gap = _gap(letter, vowel)
        current = [previous[0] + gap]
        for place, letter_2 in enumerate(other):
            swapped = previous[place] + _swap(letter, letter_2, is_omitted)
            current.append(min(swapped, current[-1] + gaps[place], previous[place + 1] + gap))
        previous = current
    return min(previous[-1] / length, FAR)


def _gap(letter: str, vowel: float) -> float:
    """The cost of leaving a sound out."""
    return vowel if letter in _VOWELS else 0.3 if letter in "hvJ" else 1.0


@functools.cache
def _swap(letter: str, other: str, is_omitted: bool) -> float:
    """The cost of replacing one sound by another."""
    if letter == other:
        return 0.0
    if letter in _VOWELS and other in _VOWELS:
        return 0.12 if is_omitted else 0.3
    return 0.3 if frozenset((letter, other)) in _NEAR else 1.0
