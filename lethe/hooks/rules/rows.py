"""Which row a new fact supersedes: shared words weighed by how rare they are, names, numbers, times and similarity."""

import math
from collections.abc import Callable, Sequence

from lethe.hooks.rules.syntax import subject
from lethe.hooks.rules.times import agreement, time_keys
from lethe.hooks.rules.words import Word, alike, clean, words

Similarity = Callable[[str, Sequence[str]], list[float]]
"""(text, other texts) to their cosine similarities."""

FEATURES = ("query words", "fact words", "query names", "fact names", "query times", "fact times", "other times",
            "query similarity", "fact similarity", "rank", "other subject", "other names")  # fmt: skip


def features(
    query: str, new_fact: str, candidates: Sequence[str], similarity: Similarity | None
) -> list[tuple[float, ...]]:
    """One value for each of FEATURES, for each candidate."""
    rows = [clean(row) for row in candidates]
    asked, fact = clean(query), clean(new_fact)
    held = [frozenset(word.key for word in words(row) if word.is_content) for row in rows]
    by_query = similarity(query, candidates) if similarity else [0.0] * len(rows)
    by_fact = similarity(new_fact, candidates) if similarity else [0.0] * len(rows)
    asked_times, fact_times = time_keys(asked), time_keys(fact)
    said = frozenset(word.key for text in (asked, fact) for word in words(text) if word.is_content)
    shares = [
        _shares({word.key for word in wanted if word.is_content}, held)
        for wanted in (words(asked), words(fact), _telling(asked), _telling(fact))
    ]
    values = []
    for position, row in enumerate(rows):
        row_times = time_keys(row)
        query_agree, query_differ = agreement(asked_times, row_times)
        fact_agree, fact_differ = agreement(fact_times, row_times)
        others = len(row_times - asked_times - fact_times) - len(row_times & (asked_times | fact_times))
        names = [word for word in words(row.partition(";")[0]) if word.is_capital and word.start > 0]
        values.append(
            (
                *(share[position] for share in shares),
                query_agree - query_differ,
                fact_agree - fact_differ,
                -max(0, others) / 3,
                by_query[position],
                by_fact[position],
                -math.log1p(position),
                -_foreign(words(subject(row)), said, held),
                -_foreign(names, said, held),
            )
        )
    return values


def _telling(text: str) -> list[Word]:
    """The names and numbers of a text."""
    return [
        word
        for word in words(text)
        if (word.is_capital and word.start > 0) or any(letter.isdigit() for letter in word.text)
    ]


def _has(row: frozenset[str], key: str) -> bool:
    return key in row or any(alike(key, other) for other in row)


def _shares(wanted: set[str], rows: Sequence[frozenset[str]]) -> list[float]:
    """How much of what the wanted words say is in each row, rare words counting more; 0 to 1."""
    total = 0.0
    said = [0.0] * len(rows)
    for key in wanted:
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


WEIGHTS = (2.0, 0.5, 0.75, 0.95, 2.0, 0.2, 1.75, 3.0, 2.5, 1.05, 1.0, 0.5)
"""Fitted by softmax regression to the developers' two thirds of the authored cases, then rounded."""
