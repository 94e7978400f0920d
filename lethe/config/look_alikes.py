"""Labels as people see them, and what labels that look alike have in common, whatever scripts their letters are of."""

import functools
import re
import unicodedata
from pathlib import Path

from forgeteval.scoring.scorers import as_seen
from forgeteval.yaml_data import read_yaml

DATA_FILES = ("look_alikes.yaml",)
_BRAILLE_BLANK = "\u2800"
_BETWEEN_WORDS = {"Pd", "Pc", "Zs"}
"""Kinds of characters that stand between words: dashes, low lines and blanks."""
_SMALL_CAPITAL = re.compile(r"LATIN LETTER SMALL CAPITAL ([A-Z])(?: WITH .*)?")


def label_as_seen(label: str) -> str:
    """A label as people see it in a table, where blanks at its ends and doubled ones do not show."""
    return " ".join(as_seen(label).split())


@functools.cache
def _latin() -> dict[int, str]:
    """The Latin letter that each letter looks like."""
    return {
        ord(each): letter
        for letter, alike in read_yaml(Path(__file__).with_name(DATA_FILES[0])).items()
        for each in alike
    }


def _plain(letter: str) -> str:
    """The digit that a digit of any script stands for, the capital of a small one, or the letter as it is."""
    if letter.isascii():
        return letter
    small_capital = _SMALL_CAPITAL.fullmatch(unicodedata.name(letter, ""))
    return small_capital[1] if small_capital else str(unicodedata.digit(letter, letter))


def skeleton(label: str) -> str:
    """What labels that look alike have in common, whatever scripts their letters and digits are of.

    >>> skeleton("\u041c\u0435\u043c0") == skeleton("Mem0"), skeleton("\u8bb0\u5fc6") == skeleton("\u8a18\u61b6")
    (True, False)
    >>> skeleton("Naive-SQL") == skeleton("Naive SQL"), skeleton("Mem0 2.0") == skeleton("Mem0 20")
    (True, False)
    >>> skeleton("BOB") == skeleton("Bob") == skeleton("B0b")
    True
    """
    # Some letters are other ones in that form; what is above or below a letter is easily overlooked.
    parts = unicodedata.normalize("NFKD", label.translate(_latin()))
    plain = "".join(map(_plain, parts)).translate(_latin())
    shown = "".join(part for part in plain if not unicodedata.combining(part) and part != _BRAILLE_BLANK)
    seen = label_as_seen(unicodedata.normalize("NFKC", shown))
    # A zero looks like a capital O, and so stands for the small one.
    return "".join(part for part in seen if unicodedata.category(part) not in _BETWEEN_WORDS).replace("0", "o")
