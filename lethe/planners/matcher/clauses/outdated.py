"""Which part of a memory a new fact is about."""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from lethe.planners.matcher.clauses.kept_by_form import is_restated
from lethe.planners.matcher.clauses.nearness import nearness
from lethe.planners.matcher.clauses.part import Part, is_statement
from lethe.planners.matcher.text.compatible_times import compatibility
from lethe.planners.matcher.text.similarity import Similarity
from lethe.planners.matcher.text.syntax import is_denial, label_of, subject, verb_position
from lethe.planners.matcher.text.times import times
from lethe.planners.matcher.text.words import Word, alike, all_keys, content, keys, words

_BESIDES = re.compile(r"\s(?:besides|apart from|aside from|other than|in addition to|as well as)\s.*$", re.IGNORECASE)
"""What a query names to set it aside: "what Ana keeps besides the hens"."""
_LIVING = re.compile(r"\b(?:for|as) a living\b")
"""A phrase on somebody's work, not on where somebody lives."""


@dataclass(frozen=True, slots=True)
class Outdated:
    """What is out of date in a memory.

    Attributes:
        part: the number of the part that the new fact takes the place of.
        scores: how much each part has to do with the request.
        also: the numbers of other parts that may be meant as well.
    """

    part: int
    scores: Sequence[float]
    also: frozenset[int] = frozenset()


def outdated_part(
    parts: Sequence[Part], opening: str, asked: str, fact: str, similarity: Similarity | None
) -> Outdated | str:
    """The part of a memory that a new fact takes the place of; a text that says why, where no single part is meant.

    Args:
        opening: what the memory is about.
    """
    asked = _LIVING.sub("for work", _BESIDES.sub("", asked) or asked)
    said = {word.key for text in (asked, fact) for word in words(text) if word.is_content}
    about = keys(opening)
    scores = _scores(parts, about, asked, fact)
    options = _options(parts, scores, about, asked, fact)
    target = max(options, key=lambda number: (scores[number], parts[number].kind == "main", -number), default=None)
    if target is None:
        return "no part shares more with the request than another"
    target = _whole_for(target, options, parts, about, asked)
    label = label_of(parts[target].said)
    is_told = _is_told(parts[target], about | (_named(asked) if target == 0 and not label else set()), said)
    is_told = is_told or _are_of_subject(parts, fact)[target]
    is_told = is_told or (
        _WHEN.search(asked) is not None
        and bool(times(parts[target].said))
        and _stands_out([scores[number] for number in options])
    )
    if not is_told:
        if not all(is_statement(part) for part in parts):
            return "nothing tells which part is outdated"
        is_whole = 0 in options and all(word.key in about for word in words(asked) if word.is_content)
        nearest = (
            _nearest(parts, options, opening, asked, fact, similarity) if similarity and not is_whole else [target]
        )
        if len(nearest) < len(options) or len(nearest) == 1:
            target, *also = nearest
            return Outdated(target, scores, frozenset(also))
        if not _stands_out([scores[number] for number in options], 0.5):
            return "nothing tells which statement is outdated"
    return Outdated(target, scores)


def _whole_for(target: int, options: Sequence[int], parts: Sequence[Part], about: AbstractSet[str], asked: str) -> int:
    """The part that is meant; for a fragment that the query does not mention, the statement that the query asks for.

    "Lives above the bakery, third floor" is out of date as a whole when the query is where somebody lives.
    """
    wanted = keys(asked) - about

    def is_asked(part: Part) -> bool:
        return any(alike(word.key, one) for word in words(part.said) if word.is_content for one in wanted)

    if parts[target].kind != "list" or is_statement(parts[target]) or is_asked(parts[target]):
        return target
    before = [number for number in options if number < target and is_statement(parts[number])]
    return before[-1] if before and is_asked(parts[before[-1]]) else target


def _options(
    parts: Sequence[Part], scores: Sequence[float], about: AbstractSet[str], asked: str, fact: str
) -> list[int]:
    """The parts that may be outdated: those that say something that the new fact does not say as well."""
    named = _named(subject(fact))
    options = [
        number
        for number, part in enumerate(parts)
        if not _is_label(part, about | _named(asked) | (named if part.kind == "apposed" else set()))
        and (not _NAMING.match(part.said) or _ASKS_NAME.search(asked))
    ]
    if not any(word.key in about for text in (asked, fact) for word in words(text)):
        options = [number for number in options if scores[number] > 0]
    changed = [
        number
        for number in options
        if is_denial(parts[number].said) != is_denial(fact)
        or not is_restated(parts[number], about, fact, wholly=parts[number].kind in ("main", "unit", "joined"))
    ]
    if max((scores[number] for number in changed), default=0.0) < _TELLING:
        heads = about | all_keys(_head(asked))
        changed += [number for number in options if _is_label(parts[number], heads) and number not in changed]
    return changed or options


_NAMING = re.compile(
    r"(?:(?:is |are |was |were )?(?:now |also |formerly |usually |since )*(?:called|known as|named|nicknamed)\b|"
    r"(?:now |also )?calls? (?:him|her|it|them)sel\w+)",
    re.IGNORECASE,
)
"""A statement of what something is called, which does not go out of date with what else is said of it."""
_ASKS_NAME = re.compile(r"\b(?:call|name|title|known|nam)\w*\b", re.IGNORECASE)
_TELLING = 0.7
"""Score of a part that has one word of the new fact."""


_SAME_VERB = 0.1
_NEARER = 0.08
"""A part may also be meant if its similarity to query and new fact lies at most this far below the highest."""


def of_subject(part: Part, opening: str) -> str:
    """The part as a sentence, with the memory's subject for the pronoun that it begins with."""
    text = part.sentence()
    if part.kind == "main" or not opening or words(opening)[:1] == words(text)[:1]:
        return text
    owner = re.sub(r"'s\b.*$", "", opening)
    text = re.sub(r"^(?:He|She)\b", owner, text)
    return re.sub(
        r"^(?:His|Her|Its)\b(?= \w+ (?:is|was|are|were|has|have|\w+s)\b)",
        f"{owner}'s",
        text,
    )


def _named(asked: str) -> set[str]:
    """The names and numbers of the query."""
    return {word.key for word in words(asked) if word.is_capital or any(letter.isdigit() for letter in word.text)}


def _is_told(part: Part, about: AbstractSet[str], said: AbstractSet[str]) -> bool:
    """Whether the part shares more with the request than what the memory is about."""
    own = keys(part.said) - about
    return any(alike(one, other) for one in own for other in said - about if part.kind == "unit" or not one.isdigit())


def _stands_out(scores: Sequence[float], margin: float = 0.8) -> bool:
    """Whether one part has more to do with the request than any other, by its words or by the kind of its value."""
    best, second, *_ = [*sorted(scores, reverse=True), 0.0]
    return best - second >= margin


def _nearest(
    parts: Sequence[Part], options: Sequence[int], opening: str, asked: str, fact: str, similarity: Similarity
) -> list[int]:
    """The part most similar to query and new fact, and those that are nearly as similar or of the same kind."""
    verb = _verb(fact)
    near = {
        number: one + other + (_SAME_VERB if verb and _verb(of_subject(parts[number], opening)) == verb else 0.0)
        for number, (one, other) in zip(
            options, nearness([parts[number] for number in options], opening, asked, fact, similarity), strict=True
        )
    }
    first = max(near, key=near.__getitem__)
    kinds = times(parts[first].said).keys()
    return [
        first,
        *(
            number
            for number in options
            if number != first and (near[first] - near[number] <= _NEARER or times(parts[number].said).keys() & kinds)
        ),
    ]


def _is_label(part: Part, about: AbstractSet[str]) -> bool:
    """Whether the part is only what the memory is about, or a name by which the request calls it."""
    own = [word for word in words(part.said) if word.is_content or _is_letter(word, part.said)]
    is_name = part.kind in ("apposed", "bracket") and all(word.is_capital for word in own)
    return (any if is_name and own else all)(word.key in about for word in own)


def _is_letter(word: Word, text: str) -> bool:
    """Whether a word is a single capital that is a value, as in "blood group O"."""
    return len(word.text) == 1 and word.is_capital and word.start > 0 and text[word.end : word.end + 1] != "-"


def _scores(parts: Sequence[Part], about: AbstractSet[str], asked: str, fact: str) -> list[float]:
    """How much each part shares with query and new fact.

    What counts are words other than those that say what the memory is about, and the kind of value that the part gives.
    """
    asked_times, fact_times = times(asked), times(fact)
    weights = _weights(asked, [all_keys(part.sentence()) for part in parts])
    wanted = [weights, {word.key: 0.7 * weights.get(word.key, 1.0) for word in words(fact) if word.is_content}]
    verb = _verb(fact)
    asks_when = _WHEN.search(asked) is not None
    is_meant = _are_of_subject(parts, fact)
    said_times = [times(part.said) for part in parts]
    scores = []
    for part, own_times, of_subject in zip(parts, said_times, is_meant, strict=True):
        own = keys(part.whole or part.sentence())
        score = sum(
            weight
            for said in wanted
            for word, weight in said.items()
            if not any(alike(word, other) for other in about) and any(alike(word, other) for other in own)
        )
        if score and re.search(r"\d", fact) and any(number not in asked for number in re.findall(r"\d+", part.said)):
            score += 0.2
        score += 0.6 if of_subject else 0.0
        score += 0.1 if verb and _verb(part.sentence()) == verb else 0.0
        score += 0.5 * compatibility(asked_times, own_times) * (score > 0)
        if any(axis in own_times for axis in fact_times) and not all(
            any(axis in other for axis in fact_times) for other in said_times
        ):
            score += 1.0 if asks_when else 0.4
        scores.append(score)
    return scores


def _are_of_subject(parts: Sequence[Part], fact: str) -> list[bool]:
    """For each part, whether the new fact is about its subject ("box 15" of "box 14 ..., box 15 ...")."""
    wanted = _designated(subject(fact))
    opening = subject(parts[0].sentence())
    own = [
        _designated(f"{opening} {text}" if _PRONOUN.match(text) else text)
        for text in (subject(part.whole or part.sentence()) or part.sentence() for part in parts)
    ]
    shared = [{key for key in named if any(alike(key, other) for other in wanted)} for named in own]
    return [bool(named) and any(sum(key in other for other in own) == 1 for key in named) for named in shared]


def _designated(text: str) -> set[str]:
    return {word.key for word in words(text) if word.is_content or _is_letter(word, text)}


_PRONOUN = re.compile(r"(?:he|she|it|they|his|her|its|their|this|that)\b", re.IGNORECASE)
_WHEN = re.compile(r"\b(?:when|how often|times?|days?|dates?|hours?|slots?|weekdays?)\b", re.IGNORECASE)


def _weights(asked: str, held: Sequence[AbstractSet[str]]) -> dict[str, float]:
    """The weight of each word of a query.

    Where it asks for something of a thing ("the rent of the flat"), and only some parts mention that, the words for the
    thing count less.
    """
    heads = keys(_head(asked))
    telling = {sum(any(alike(key, other) for other in part) for part in held) for key in heads} - {0, len(held)}
    return {key: 1.0 if key in heads or not telling else 0.4 for key in content(asked)}


def _head(asked: str) -> str:
    """What a query asks for, without the thing that it asks about; all of it where nothing else is left."""
    ends = re.search(r"(?<=\w)(?<!\bhow)(?<!\bwhat)(?<!\bwhere)\s(?:of|for|in|from|at|on|to|with|about)\s", asked)
    text = asked[: ends.start()] if ends else asked
    text = re.sub(r"[\w.-]+(?:'s|s')(?!\w)", " ", text)
    return text if any(word.is_content for word in words(text)) else asked


def _verb(text: str) -> str:
    """The stem of a clause's verb; all forms of "be" count as one."""
    at = verb_position(text)
    first = words(text[at:])[0] if at else None
    return "" if first is None else "be" if first.text in ("is", "are", "was", "were", "am") else first.key
