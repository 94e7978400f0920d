"""Unrelated rows for the store-size axis: plain sentences from a small seeded grammar."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from lethe.cases.draw import Draw
from lethe.cases.haystack_words import PATTERNS, POOLS
from lethe.errors import LetheError

_ROUND = 2000
_FRUITLESS_ROUNDS = 20
_FRAGMENT = 4
_SLOT = re.compile(r"\{(\w+)\}")


def haystack_rows(count: int, seed: int, avoid: Iterable[str]) -> list[str]:
    """`count` distinct sentences, none of which contains a string of `avoid` in any case of its letters.

    The same seed and `avoid` give the same rows on every machine and Python version, and a shorter haystack is the
    beginning of a longer one. 10 000 rows take a few tenths of a second.

    Args:
        avoid: for example the required and forbidden strings of a suite; blank ones count for nothing.

    Raises:
        LetheError: where `avoid` leaves too few sentences.
    """
    lowered = sorted({text.lower() for text in avoid if text.strip()})
    rows: dict[str, None] = {}
    sentences = _sentences(seed)
    fruitless = 0
    while len(rows) < count:
        before = len(rows)
        rows.update(dict.fromkeys(_without(list(islice(sentences, _ROUND)), lowered)))
        fruitless = fruitless + 1 if len(rows) == before else 0
        if fruitless == _FRUITLESS_ROUNDS:
            raise LetheError(
                f"haystack: found {before} of {count} rows that hold none of the {len(lowered)} strings to avoid; "
                "ask for fewer rows, or leave the short strings out"
            )
    return list(islice(rows, count))


def _sentences(seed: int) -> Iterator[str]:
    draw = Draw(f"haystack/{seed}")
    while True:
        yield _sentence(draw)


def _sentence(draw: Draw) -> str:
    """One filled pattern; no word stands in two slots, so nothing lies north of itself."""
    used: set[str] = set()

    def fill(slot: re.Match[str]) -> str:
        pool = POOLS[slot[1]]
        while (word := pool[draw.below(len(pool))]) in used:
            pass
        used.add(word)
        return word

    return _SLOT.sub(fill, PATTERNS[draw.below(len(PATTERNS))])


def _without(rows: list[str], lowered: list[str]) -> list[str]:
    """The rows that contain none of the lower-case strings, in order."""
    text = "\n".join(rows).lower()
    fragments = {text[at : at + _FRAGMENT] for at in range(len(text) - _FRAGMENT + 1)}
    # A string with a fragment that stands in no row stands in no row itself: that spares most searches.
    present = [
        unwanted
        for unwanted in lowered
        if all(unwanted[at : at + _FRAGMENT] in fragments for at in range(len(unwanted) - _FRAGMENT + 1))
        and unwanted in text
    ]
    return [row for row in rows if not any(unwanted in row.lower() for unwanted in present)]
