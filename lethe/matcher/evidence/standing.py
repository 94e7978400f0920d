"""How a word of one text stands in another: the same, in another form, or only inside a longer one."""

import enum
import functools
import re
from collections.abc import Sequence

from rapidfuzz.distance import DamerauLevenshtein

from lethe.matcher.evidence.reading import Token
from lethe.matcher.evidence.scripts import UNSPACED
from lethe.matcher.evidence.sounds import name_distance
from lethe.matcher.evidence.tables import table


class Standing(enum.IntEnum):
    """The ways in which a word may stand in a text, the surest first."""

    SAME = 0
    INFLECTED = 1
    RESPELLED = 2
    SOUNDED = 3
    """Another script, or another spelling of a name."""
    SHORTENED = 4
    """An abbreviation, or a slip of the pen."""
    CONTINUED = 5
    """The beginning of a longer word or code, which is another one."""
    INSIDE = 6
    ABSENT = 7

    @property
    def holds(self) -> bool:
        return self <= Standing.SHORTENED


WORTH = (1.0, 0.95, 0.95, 0.85, 0.7, 0.25, 0.15, 0.0)
"""How much of a word each `Standing` gives, 0 to 1."""
_SOUNDS_ALIKE = 0.17
_SPELLED_ALIKE = 0.03
_SPELLED = {word: str(number) for number, word in enumerate(table("standing", "numbers").split())} | {"oh": "0"}
_LEAST = 3
"""Fewest letters of a word that is looked for inside others."""


def stands_in(word: Token, text: Sequence[Token]) -> Standing:
    """How `word` stands in the tokens of a text."""
    best = min((standing(word, token) for token in text), default=Standing.ABSENT)
    is_split = best > Standing.RESPELLED and len(word.bare) >= _LEAST
    return Standing.RESPELLED if is_split and word.bare in _joined(tuple([token.bare for token in text])) else best


@functools.lru_cache(maxsize=4096)
def _joined(words: tuple[str, ...]) -> frozenset[str]:
    """Two, or three, words of a text in a row written as one."""
    return frozenset("".join(words[first : first + size]) for size in (2, 3) for first in range(len(words) - size + 1))


@functools.lru_cache(maxsize=65536)
def standing(word: Token, token: Token) -> Standing:
    """How a word stands in a single token."""
    if word.folded == token.folded:
        return Standing.SAME
    if word.key == token.key:
        return Standing.INFLECTED
    if word.bare == token.bare or _SPELLED.get(word.folded, word.folded) == _SPELLED.get(token.folded, token.folded):
        return Standing.RESPELLED
    if word.is_number or token.is_number:
        return _of_numbers(word, token)
    if word.script != token.script:
        is_heard = token.says and (word.is_name or token.is_name)
        near = is_heard and name_distance(word.folded, token.folded) <= _SOUNDS_ALIKE
        return Standing.SOUNDED if near else Standing.ABSENT
    if word.script in UNSPACED:
        return _of_unspaced(word.bare, token.bare)
    return _of_words(word, token)


def _of_numbers(word: Token, token: Token) -> Standing:
    if word.is_number and token.is_number:
        plain, other = word.bare.lstrip("0"), token.bare.lstrip("0")
        letters, other_letters = ("".join(filter(str.isalpha, text)) for text in (plain, other))
        digits, other_digits = ("".join(filter(str.isdigit, text)) for text in (plain, other))
        if plain == other or (digits == other_digits and not (letters and other_letters)):
            return Standing.RESPELLED
    if len(word.bare) > 1 - word.is_number and token.bare.startswith(word.bare):
        return Standing.CONTINUED
    return Standing.INSIDE if len(word.bare) >= _LEAST and word.bare in token.bare else Standing.ABSENT


def _of_unspaced(word: str, token: str) -> Standing:
    if len(word) > 1 and word in token:
        return Standing.INFLECTED
    return Standing.SHORTENED if len(token) > 1 and token in word else Standing.ABSENT


def _of_words(word: Token, token: Token) -> Standing:
    one, other = word.bare, token.bare
    if token.folded.startswith(word.folded) and not token.folded[len(word.folded)].isalpha():
        return Standing.CONTINUED
    if token.says and one[0] == other[0]:
        if _is_derived(one, other):
            return Standing.INFLECTED
        if (
            (_is_slip(one, other) and not (word.is_name and token.is_name))
            or _shortens(one, other)
            or _shortens(other, one)
        ):
            return Standing.SHORTENED
    if len(one) >= _LEAST and other.startswith(one):
        return Standing.CONTINUED
    if len(one) >= _LEAST and one in other:
        return Standing.INSIDE
    if token.says and len(other) > _LEAST and (one.startswith(other) or one.endswith(other)):
        return Standing.INSIDE
    are_names = word.is_name and token.is_name and len(one) > _LEAST and one[0] == other[0]
    if are_names and abs(len(one) - len(other)) <= _LEAST:
        near = name_distance(word.folded, token.folded) <= _SPELLED_ALIKE
        return Standing.SOUNDED if near else Standing.ABSENT
    return Standing.ABSENT


def _is_derived(one: str, other: str) -> bool:
    """Whether two words share all but an ending ("garden", "gardener")."""
    common = next((at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), None)
    shared = min(len(one), len(other)) if common is None else common
    return shared >= 5 and max(len(one), len(other)) - shared <= 3


def _is_slip(one: str, other: str) -> bool:
    longest = max(len(one), len(other))
    if min(len(one), len(other)) < 4:
        return False
    edits = DamerauLevenshtein.distance(one, other, score_cutoff=2)
    return (edits == 1 and longest >= 5) or (edits == 2 and longest >= 9)


def _shortens(long: str, short: str) -> bool:
    """Whether a word abbreviates another one by its beginning ("org") or its consonants ("bln" for "berlin")."""
    if not 2 <= len(short) < len(long) or len(long) < 4:
        return False
    if long.startswith(short):
        return False
    letters = iter(long)
    return not re.search("[aeiou]", short[1:]) and all(letter in letters for letter in short)
