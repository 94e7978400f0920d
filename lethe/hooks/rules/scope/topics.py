"""Which rows speak of the topic of a request."""

import math
import re
from collections.abc import Callable, Mapping, Sequence

from lethe.hooks.rules.names.entities import rows_about
from lethe.hooks.rules.names.links import add_described
from lethe.hooks.rules.rows.attributes import related
from lethe.hooks.rules.scope.literal import owner_of
from lethe.hooks.rules.scope.requests import Request
from lethe.hooks.rules.text.syntax import VERBS, is_denial
from lethe.hooks.rules.text.words import FUNCTION_WORDS, alike, key, words

Similarity = Callable[[str, Sequence[str]], list[float]]
"""(text, other texts) to their cosine similarities."""


def by_topic(
    request: Request, rows: Sequence[str], similarity: Similarity | None, off: frozenset[str]
) -> dict[int, str]:
    """The rows that hold the most telling words of the topic; similarity breaks ties and stands in for other words."""
    named: dict[int, str] = {}
    shares_of_names = [0.0] * len(rows)
    if request.names and "names" not in off:
        named = rows_about(request.names, rows, wide=False, links=False)
        if len({name.script for name in request.names}) == 1 < len(request.names):
            each = [rows_about([name], rows, wide=False, links=False) for name in request.names]
            shares_of_names = [sum(position in one for one in each) / len(each) for position in range(len(rows))]
        else:
            shares_of_names = [float(position in named) for position in range(len(rows))]
    owner = "" if request.names or request.codes else key(owner_of(request))
    if owner:
        named = {at: "" for at, row in enumerate(rows) if any(alike(owner, word.key) for word in words(row))}
    wanted = list(dict.fromkeys([*request.aspect, *(code.form for code in request.codes)]))
    held = [{word.key for word in words(row)} for row in rows]
    if not request.is_wide and named:
        for position, also in _in_other_words([word for word in wanted if word != owner], held, named).items():
            held[position] |= also
    count = {word: sum(any(alike(word, other) for other in row) for row in held) for word in wanted}
    weight = {word: math.log(1 + len(rows) / count[word]) for word in wanted if count[word]}
    similar = similarity(request.topic, rows) if similarity else [0.0] * len(rows)
    total = sum(weight.values()) or 1.0
    denied, denies = is_denial(request.topic, states=True), [is_denial(row, states=True) for row in rows]
    scores = []
    for position in range(len(rows)):
        share = sum(weight[word] for word in weight if any(alike(word, other) for other in held[position])) / total
        sides = 0.15 if denies[position] == denied else 0.0
        scores.append(share + 0.6 * shares_of_names[position] + 0.5 * similar[position] + sides)
    heads = heads_of(request)
    pool = [position for position in range(len(rows)) if not named or position in named]
    if not pool or (not weight and not named):
        return {}
    full = [
        bool(weight)
        and (shares_of_names[position] == 1.0 if request.names else len(weight) > 1)
        and _has_all(held[position], list(weight))
        for position in range(len(rows))
    ]
    best = max(scores[position] for position in pool)
    floor = best - (0.3 if request.is_wide else 0.22 if weight or not is_owned(request) else 0.05)
    found = {
        position: f"scores {scores[position]:.2f} of {best:.2f} for {', '.join(weight) or 'the topic'}"
        for position in pool
        if (scores[position] >= (floor - 0.15 if full[position] else floor) and scores[position] > 0.25)
        or (
            (request.is_wide or is_owned(request))
            and (
                _has_all(held[position], heads)
                or (request.names and position in named and _has_own(held, position, named, heads))
            )
            and (request.is_wide or denies[position] == denied)
        )
    }
    if found and heads and (is_owned(request) if request.names else len(request.aspect) > 1):
        found |= _bare(heads, rows, found)
    is_entry = len(weight) == 1 and any(re.match(rf"{re.escape(min(weight))}\w*: ", row, re.IGNORECASE) for row in rows)
    if (request.is_wide or is_entry) and not request.names and len(weight) == 1 and "links" not in off:
        add_described(found, rows, set(weight))
    return found


def _in_other_words(wanted: Sequence[str], held: Sequence[set[str]], named: Mapping[int, str]) -> dict[int, set[str]]:
    """The wanted words, where rows on the entity have none of them, for each that says something of the attribute."""
    if any(alike(word, other) for position in named for other in held[position] for word in wanted):
        return {}
    return {at: {word for word in wanted if not related(word).isdisjoint(held[at])} for at in named}


def _bare(heads: Sequence[str], rows: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """The rows that say just "the ravioli" after "the pumpkin ravioli", where no row has ravioli of another kind."""
    bare: dict[int, str] = {}
    for position, row in enumerate(rows):
        if position in found:
            continue
        row_words = words(row)
        for before, word in zip((None, *row_words), row_words, strict=False):
            if not alike(word.key, heads[-1]) or _COMPOUND.match(row[word.end :]):
                continue
            if before is None or before.text.lower() not in _DETERMINERS or row[before.end : word.start] != " ":
                return {}
            if _QUALIFIED.match(row[word.end :]):
                return {}
            bare[position] = f"speaks of the {word.text}, of which there is one"
    return bare


_COMPOUND = re.compile(rf" (?!(?:{'|'.join(sorted(VERBS | FUNCTION_WORDS))})\b|[a-z]+s\b)[a-z]+")
_QUALIFIED = re.compile(r" (?:of|for|from|in|at|with|on|to|that|which|by|near|outside)\b")
_DETERMINERS = frozenset(("the", "this", "that", "these", "those", "our"))


def _has_own(held: Sequence[set[str]], position: int, named: dict[int, str], heads: Sequence[str]) -> bool:
    """Has a row on the entity a word of what is asked for that no row on anything else has?"""
    others = [row for other, row in enumerate(held) if other not in named]
    return any(
        any(alike(head, word) for word in held[position])
        and not any(alike(head, word) for row in others for word in row)
        for head in heads
    )


def is_owned(request: Request) -> bool:
    """Is something of somebody's asked for ("Ana's move")?"""
    return re.search(r"'s \w|s' \w", request.topic) is not None


_END_OF_HEADS = re.compile(r"\b(?:for|of|in|at|on|from|about|with|that|which|outside|by|we|you|i|they|he|she)\b")


def heads_of(request: Request) -> tuple[str, ...]:
    """The keys of what is asked for: behind a possessive, or before the first preposition."""
    topic = request.topic.partition(" , ")[0]
    owned = re.search(r"(?:'s|s'|\b(?:his|her|their|its))\s+((?:[\w-]+\s?){1,3})", topic)
    phrase = owned[1] if owned else _END_OF_HEADS.split(topic, maxsplit=1)[0]
    return tuple(word for word in content_keys(phrase) if word in request.aspect)


def _has_all(row: set[str], heads: Sequence[str]) -> bool:
    return bool(heads) and all(any(alike(head, other) for other in row) for head in heads)


def content_keys(text: str) -> list[str]:
    return [word.key for word in words(text) if word.is_content]
