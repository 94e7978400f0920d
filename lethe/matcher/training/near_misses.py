"""Requests for something that is nearly stored: one telling word exchanged for one that no memory has."""

import random
import re
import zlib
from collections.abc import Sequence
from dataclasses import replace

from lethe.matcher.evidence.asking import asking
from lethe.matcher.evidence.identifiers import plain
from lethe.matcher.evidence.reading import Token, read
from lethe.matcher.evidence.standing import stands_in
from lethe.matcher.training.decisions import Decision

_TRIES = 8


def near_miss(decision: Decision, pool: Sequence[Token]) -> Decision | None:
    """The decision with a request for what is not stored; None where no word of it can be exchanged.

    Args:
        pool: words of other requests, of which one takes the place of a word that a memory which is meant has.
    """
    chance = random.Random(zlib.crc32(f"{decision.case} {decision.query}".encode()))
    rows = [read(plain(memory)) for memory in decision.memories]
    telling = [
        word
        for word in asking(plain(decision.query)).words
        if any(stands_in(word, rows[at]).holds for at in decision.meant) and _stands_alone(word, decision)
    ]
    telling = [word for word in telling if word.is_name or word.is_number] or telling
    if not telling:
        return None
    word = chance.choice(telling)
    for other in [_another(word, pool, chance) for _ in range(_TRIES)]:
        if other and not any(stands_in(read(f"a {other}")[-1], row).holds for row in rows):
            query, new_fact = (_exchanged(text, word, other) for text in _texts(decision))
            return replace(decision, query=query, new_fact=new_fact, meant=frozenset(), kept={})
    return None


def _texts(decision: Decision) -> tuple[str, str]:
    return decision.query, decision.new_fact


def _exchanged(text: str, word: Token, other: str) -> str:
    return _pattern(word).sub(lambda _: other, text)


def _stands_alone(word: Token, decision: Decision) -> bool:
    """Whether a word can be exchanged in the query, and in the new fact if there is one."""
    return all(_pattern(word).search(text) for text in _texts(decision) if text)


def _pattern(word: Token) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_]){re.escape(word.folded)}(?![^\W_])", re.IGNORECASE)


def _another(word: Token, pool: Sequence[Token], chance: random.Random) -> str:
    """A word of the same sort; of a number, the same with one digit changed."""
    if word.is_number:
        digits = [at for at, letter in enumerate(word.folded) if letter.isdigit()]
        at = chance.choice(digits)
        return word.folded[:at] + chance.choice("123456789") + word.folded[at + 1 :]
    alike = [one for one in pool if (one.is_name, one.is_number, one.script) == (word.is_name, False, word.script)]
    if not alike:
        return ""
    other = chance.choice(alike).folded
    return other.capitalize() if word.is_name else other
