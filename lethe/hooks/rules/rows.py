"""Which row a new fact supersedes: shared words weighed by how rare they are, names, times, subjects and similarity."""

import math
import re
from collections.abc import Callable, Sequence

from lethe.hooks.rules.names import TITLES
from lethe.hooks.rules.parts import split
from lethe.hooks.rules.syntax import subject
from lethe.hooks.rules.times import VALUES, Times, agreement, latest_date, others, says_now, times
from lethe.hooks.rules.words import Word, alike, clean, fold, words

Similarity = Callable[[str, Sequence[str]], list[float]]
"""(text, other texts) to their cosine similarities."""

WEIGHTS = {
    "query words": 2.5,
    "fact words": 1.0,
    "names": 1.0,
    "query times": 2.0,
    "fact times": 0.5,
    "other times": 1.0,
    "query similarity": 3.0,
    "fact similarity": 2.0,
    "rank": 0.5,
    "other subject": 0.75,
    "other owner": 1.0,
    "outdated": 1.0,
    "letters": 1.5,
    "same subject": 1.0,
}
"""Round numbers from a coarse grid over the cases developed on; changed by 30 % at random, they decide as well there
(docs/rules-hook.md)."""

_OWNED = re.compile(r"(?:\b[^\W\d_]+(?:'s|s')|\b(?:my|our|his|her|their)) ((?:[\w-]+ ?){1,4})", re.IGNORECASE)


def features(
    query: str, new_fact: str, candidates: Sequence[str], similarity: Similarity | None
) -> list[tuple[float, ...]]:
    """One value for each of WEIGHTS, for each candidate."""
    rows = [clean(row) for row in candidates]
    asked, fact = clean(query), clean(new_fact)
    held = [_keys(row) for row in rows]
    said = _keys(asked) | _keys(fact)
    by_query = similarity(query, candidates) if similarity else [0.0] * len(rows)
    by_fact = similarity(new_fact, candidates) if similarity else [0.0] * len(rows)
    held_times = [times(row) for row in rows]
    asked_times, fact_times = times(asked), times(fact)
    letters = _letters(asked) | _letters(fact)
    fact_subject = _keys(subject(fact))
    shares = [_shares(wanted, held) for wanted in (_keys(asked), _keys(fact), _names(asked, fact))]
    values = []
    for position, row in enumerate(rows):
        statements = [part.sentence() for part in split(row)]
        subjects = [subject(statement) for statement in statements]
        own_letters = _letters(row)
        values.append(
            (
                *(share[position] for share in shares),
                agreement(asked_times, held_times[position]),
                agreement(fact_times, held_times[position], VALUES),
                max(-others(times(statement), (asked_times, fact_times)) / 3 for statement in (row, *statements)),
                by_query[position],
                by_fact[position],
                -math.log1p(position),
                max((-_foreign(words(own), said, held) for own in subjects), default=0.0),
                max((-float(_is_owned_by_other(own, said)) for own in subjects), default=0.0),
                -float(_is_outdated(position, rows, held, held_times, asked_times)),
                (1.0 if own_letters & letters else -1.0) if own_letters and letters else 0.0,
                float(bool(fact_subject) and any(_keys(own) == fact_subject for own in subjects)),
            )
        )
    return values


def score(values: Sequence[float]) -> float:
    """How well a row's features fit."""
    return sum(weight * value for weight, value in zip(WEIGHTS.values(), values, strict=True))


def _keys(text: str) -> frozenset[str]:
    return frozenset(word.key for word in words(text) if word.is_content)


def _names(asked: str, fact: str) -> frozenset[str]:
    """The names and numbers that query and new fact speak of; a capital that opens the new fact is no evidence."""
    return frozenset(
        word.key
        for text in (asked, fact)
        for word in words(text)
        if word.is_content
        and fold(word.text) not in TITLES
        and ((word.is_capital and (text is asked or word.start > 0)) or any(letter.isdigit() for letter in word.text))
    )


def _letters(text: str) -> frozenset[str]:
    """Single capitals that tell things of one kind apart: "Hall B", "plan C"."""
    return frozenset(
        word.text for word in words(text) if len(word.text) == 1 and word.is_capital and word.start > 0
    ) - {"I"}


def _has(row: frozenset[str], key: str) -> bool:
    return key in row or any(alike(key, other) for other in row)


def _shares(wanted: frozenset[str], rows: Sequence[frozenset[str]]) -> list[float]:
    """How much of what the wanted words say is in each row, rare words counting more; 0 to 1."""
    total = 0.0
    said = [0.0] * len(rows)
    for key in sorted(wanted):
        holders = [position for position, row in enumerate(rows) if _has(row, key)]
        if not holders:
            continue
        weight = math.log(1 + len(rows) / len(holders))
        total += weight
        for position in holders:
            said[position] += weight
    return [value / total if total else 0.0 for value in said]


def _foreign(own: Sequence[Word], said: frozenset[str], rows: Sequence[frozenset[str]]) -> float:
    """How much of a row's own words query and new fact do not have, rare words counting more; 0 to 1."""
    total = foreign = 0.0
    for word in own:
        if not word.is_content:
            continue
        count = sum(word.key in row for row in rows)
        weight = math.log(1 + len(rows) / max(1, count))
        total += weight
        if not _has(said, word.key):
            foreign += weight
    return foreign / total if total else 0.0


def _is_owned_by_other(subject_: str, said: frozenset[str]) -> bool:
    """Is the subject somebody's or something's own that query and new fact do not speak of ("Omar's son")?"""
    for owned in _OWNED.finditer(f"{subject_} "):
        heads = [word for word in words(owned[1]) if word.is_content]
        if heads and not any(_has(said, word.key) for word in heads):
            return True
    return False


def _is_outdated(
    position: int,
    rows: Sequence[str],
    held: Sequence[frozenset[str]],
    held_times: Sequence[Times],
    asked_times: Times,
) -> bool:
    """Does a row of much the same words speak of a later time, or of now, and the query not of this row's time?"""
    own_date = latest_date(held_times[position])
    own = {key for key in held[position] if key.isalpha()}
    if own_date is None or not own or agreement(asked_times, held_times[position]) > 0:
        return False
    for other, row in enumerate(rows):
        theirs = {key for key in held[other] if key.isalpha()}
        if other == position or 2 * len(own & theirs) < min(len(own), len(theirs)) or not theirs:
            continue
        date = latest_date(held_times[other])
        if date > own_date if date else says_now(row):
            return True
    return False
