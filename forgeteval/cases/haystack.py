"""Unrelated memories for the store-size axis: plain sentences from a small seeded grammar."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice, product
from pathlib import Path

from forgeteval.cases.draw import Draw
from forgeteval.errors import UserError
from forgeteval.yaml_data import read_yaml_data

DATA_FILES = ("haystack.yaml",)
_WRITTEN = read_yaml_data(Path(__file__).with_name(DATA_FILES[0]))
PATTERNS: list[str] = _WRITTEN["patterns"]
POOLS: dict[str, list[str]] = _WRITTEN["pools"] | {
    "place": [first + last for first, last in product(*_WRITTEN["places"])],
    "date": [f"{day} {month}" for day, month in product(range(1, 29), _WRITTEN["pools"]["month"])],
    "time": [f"{hour}:{minute:02}" for hour, minute in product(range(5, 24), range(0, 60, 5))],
    "year": [str(year) for year in range(1780, 1990)],
    "few": [str(number) for number in range(3, 40)],
    "many": [str(number) for number in range(120, 980)],
    "degrees": [str(number) for number in range(2, 31)],
    "tenths": [f"{whole}.{tenth}" for whole, tenth in product(range(1, 30), range(1, 10))],
}

_ROUND = 2000
_FRUITLESS_ROUNDS = 20
_FRAGMENT = 4
_SLOT = re.compile(r"\{(\w+)\}")


def draw_haystack(count: int, seed: int, avoid: Iterable[str]) -> list[str]:
    """`count` distinct sentences, none of which contains a string of `avoid`, ignoring capitals.

    The same seed and `avoid` give the same sentences on every machine and Python version, and a shorter haystack is
    the beginning of a longer one. 10 000 sentences take a few tenths of a second.

    Args:
        avoid: strings, such as the required and forbidden ones of a suite; blank ones are ignored.

    Raises:
        UserError: if `avoid` leaves too few sentences.
    """
    lowered = sorted({text.lower() for text in avoid if text.strip()})
    kept: dict[str, None] = {}
    sentences = _sentences(seed)
    fruitless = 0
    while len(kept) < count:
        before = len(kept)
        kept.update(dict.fromkeys(_without(list(islice(sentences, _ROUND)), lowered)))
        fruitless = fruitless + 1 if len(kept) == before else 0
        if fruitless == _FRUITLESS_ROUNDS:
            raise UserError(
                f"haystack: only {before} of {count} sentences contain none of the {len(lowered)} strings to avoid; "
                "ask for fewer, or leave out the short strings"
            )
    return list(islice(kept, count))


def _sentences(seed: int) -> Iterator[str]:
    draw = Draw(f"haystack/{seed}")
    while True:
        yield _sentence(draw)


def _sentence(draw: Draw) -> str:
    """One filled pattern; no word fills two slots, so that nothing lies north of itself."""
    used: set[str] = set()

    def fill(slot: re.Match[str]) -> str:
        pool = POOLS[slot[1]]
        while (word := pool[draw.below(len(pool))]) in used:
            pass
        used.add(word)
        return word

    return _SLOT.sub(fill, PATTERNS[draw.below(len(PATTERNS))])


def _without(sentences: list[str], lowered: list[str]) -> list[str]:
    """The sentences that contain none of the lower-case strings, in order."""
    text = "\n".join(sentences).lower()
    fragments = {text[at : at + _FRAGMENT] for at in range(len(text) - _FRAGMENT + 1)}
    # A string with a fragment that no sentence contains is in no sentence itself; this saves most searches.
    present = [
        unwanted
        for unwanted in lowered
        if all(unwanted[at : at + _FRAGMENT] in fragments for at in range(len(unwanted) - _FRAGMENT + 1))
        and unwanted in text
    ]
    return [sentence for sentence in sentences if not any(unwanted in sentence.lower() for unwanted in present)]
