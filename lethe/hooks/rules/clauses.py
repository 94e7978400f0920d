"""Which part of a row a superseding fact is about, and what stays of the row (paper, `compound_fact`).

The part that shares most with query and new fact goes. What stays is what says something of its own; reasons,
consequences and remarks on the part that goes leave with it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lethe.hooks.rules.parts import INTRODUCTION, Part, split, stands_alone
from lethe.hooks.rules.syntax import is_denial, starts_with_verb, subject, verb_position
from lethe.hooks.rules.times import Times, agreement, times
from lethe.hooks.rules.words import FUNCTION_WORDS, alike, clean, words

if TYPE_CHECKING:
    from lethe.hooks.rules.rows import Similarity

_DEPENDENT = re.compile(
    r"^(?:because|as (?!well|of|from)|since (?!then)(?!\w+day)|so\b(?! is| does)|thus|hence|"
    r"therefore|thanks to|due to|owing to|on account of|"
    r"for the (?:reason|sake)|being|until|unless|if|lest|though|although|even though|except|which is why|that is|i\.e|"
    r"meaning|just|too|as well|per\b|says\b|according to|at (?:most|least)|rather than|instead of|"
    r"nothing|never|not\b|no\b|"
    r"(?:it|he|she|they|this|that|we|everyone|everybody)\b|ask\b|put\b|label\b|crop\b|use\b|do not\b|"
    r"don't\b|please (?!note)|see\b|"
    r"valid\b|effective\b|starting\b|from\b|in force|hence)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Merge:
    """A row's new text, with what went and what stayed, for the reason."""

    text: str
    gone: str
    kept: str


def merge(memory: str, query: str, new_fact: str, similarity: "Similarity | None" = None) -> Merge | str:
    """The row with its outdated part replaced by `new_fact`; a text that says why, where the whole row is outdated."""
    parts = split(clean(memory))
    if len(parts) < 2:
        return "the row makes one statement"
    asked, fact = clean(query), clean(new_fact)
    said = {word.key for text in (asked, fact) for word in words(text) if word.is_content}
    opening = parts[0].said if parts[0].kind == "header" else subject(parts[0].sentence())
    about = {word.key for word in words(opening) if word.is_content}
    parts = tuple(part for part in parts if part.kind != "header")
    scores = _scores(parts, about, asked, fact)
    options = [number for number, part in enumerate(parts) if not _is_label(part, about | _named(asked))]
    if not about & said:
        options = [number for number in options if scores[number] > 0]
    options = [number for number in options if not _is_restated(parts[number], about, fact)] or options
    if not options:
        return "no part shares more with the request than another"
    target = max(options, key=lambda number: (scores[number], parts[number].kind == "main", -number))
    if not _is_told(parts[target], about | _named(asked) if target == 0 else about, said):
        if not all(_is_statement(part) for part in parts):
            return "nothing tells which part is outdated"
        nearest = _nearest(parts, opening, asked, fact, similarity) if similarity else None
        target = target if nearest is None else nearest
    if is_denial(parts[target].said) != is_denial(new_fact):
        return "the new fact takes back what the row says or denies, and the rest with it"
    ending = _ending(parts[target], about, asked, fact)
    if ending:
        parts = (*parts[:target], *ending, *parts[target + 1 :])
        scores = [*scores[:target], 0.0, *scores[target:]]
        target += 1
    kept = [part for part in _kept(parts, target, scores, said, times(asked)) if not _is_restated(part, about, fact)]
    if not kept:
        return "the rest only explains the part that is outdated"
    is_named = any(word.key in about for word in words(fact))
    sentences = [part.sentence() if is_named else _of_subject(part, opening) for part in kept]
    first = new_fact.strip()
    first = first if first[-1:] in ".!?" else first + "."
    return Merge(
        " ".join([first, *filter(None, sentences)]),
        parts[target].said.strip(),
        " ".join(part.said.strip() for part in kept),
    )


_NEARER = 0.05
"""By this much the part that is meant must be more similar to query and new fact than any other."""


def _of_subject(part: Part, opening: str) -> str:
    """The part as a sentence, with the row's subject for the pronoun it begins with."""
    text = part.sentence()
    if part.kind == "main" or not opening or words(opening)[:1] == words(text)[:1]:
        return text
    owner = re.sub(r"'s\b.*$", "", opening)
    text = re.sub(r"^(?:He|She)\b", owner, text)
    return re.sub(r"^(?:His|Her|Its)\b(?= \w+ (?:is|was|are|were|has|have|\w+s)\b)", f"{owner}'s", text)


def _ending(part: Part, about: set[str], asked: str, fact: str) -> tuple[Part, Part] | None:
    """The part and the place or the like that ends it, where query and new fact speak of nothing else in it."""
    found = _ADJUNCT.match(part.said)
    at = verb_position(part.said)
    if part.kind not in ("main", "unit") or not found or at is None:
        return None
    texts = [{word.key for word in words(text) if word.is_content} - about for text in (asked, fact)]
    rest = {word.key for word in words(found[1]) if word.is_content} - about
    own = {word.key for word in words(found[2]) if word.is_content}
    left = [word for word in words(found[1][at:]) if word.is_content]
    if len(left) < 2 or any(alike(one, other) for one in rest for text in texts for other in text):
        return None
    if not any(all(any(alike(one, other) for other in text) for text in texts) for one in own if not one.isdigit()):
        return None
    return Part(found[1], part.kind, part.head), Part(found[2], "joined", subject(found[1]))


_ADJUNCT = re.compile(r"(.+)\s+((?:in|at|on|from|by|with|for|under|via|through)\s(?:the\s|a\s)?[^,;:]+)$")


def _named(asked: str) -> set[str]:
    """The names and numbers of the query."""
    return {word.key for word in words(asked) if word.is_capital or any(letter.isdigit() for letter in word.text)}


def _is_told(part: Part, about: set[str], said: set[str]) -> bool:
    """Does the part share more with the request than what the row is about?"""
    own = {word.key for word in words(part.said) if word.is_content} - about
    return any(alike(one, other) for one in own for other in said - about if not one.isdigit())


def _nearest(parts: Sequence[Part], opening: str, asked: str, fact: str, similarity: "Similarity") -> int | None:
    """The part most similar to query and new fact; None where two are nearly as similar."""
    sentences = [_of_subject(part, opening) for part in parts]
    near = [one + other for one, other in zip(similarity(asked, sentences), similarity(fact, sentences), strict=True)]
    first, second = sorted(range(len(near)), key=lambda number: -near[number])[:2]
    return first if near[first] - near[second] > _NEARER else None


def _is_statement(part: Part) -> bool:
    """Has the part a verb, of its own or, where it is coordinated, of its head, or is it a label with its value?"""
    text = part.said if part.kind == "list" else part.sentence()
    has_label = re.match(r"[^:]{2,40}[:=]", part.said) is not None
    return has_label or verb_position(text) is not None or starts_with_verb(text)


def without(row: str, asked: Sequence[str]) -> str | None:
    """What a row of several "ATTRIBUTE is VALUE" statements says without the one whose attribute is `asked`, as keys.

    None where the row is not of this form, or not exactly one statement has the attribute.
    """
    parts = split(clean(row))
    attributes = [_attribute(part) for part in parts]
    hits = [
        number
        for number, attribute in enumerate(attributes)
        if any(alike(key, word) for key in asked for word in attribute)
    ]
    if len(parts) < 2 or len(hits) != 1 or not all(attributes):
        return None
    owner = re.match(r"(.+?'s) [\w ]+$", subject(parts[0].said))
    left = [part.sentence() for number, part in enumerate(parts) if number not in hits]
    return " ".join(re.sub(r"^(?:His|Her|Their|Its)\b", owner[1], text) if owner else text for text in left)


def _attribute(part: Part) -> set[str]:
    """The keys of what a statement gives the value of: the words before "is" or a colon."""
    found = re.match(r"(.{2,40}?)(?: is | are |: )", part.sentence())
    return {word.key for word in words(found[1]) if word.is_content} if found else set()


def _is_label(part: Part, about: set[str]) -> bool:
    """Is the part nothing but what the row is about?"""
    return {word.key for word in words(part.said) if word.is_content} <= about


def _scores(parts: Sequence[Part], about: set[str], asked: str, fact: str) -> list[float]:
    """How much each part shares with query and new fact, by words other than those that say what the row is about."""
    asked_times = times(asked)
    wanted = [
        ({word.key for word in words(text) if word.is_content}, weight) for text, weight in ((asked, 1.0), (fact, 0.7))
    ]
    verb = _verb(fact)
    scores = []
    for part in parts:
        own = {word.key for word in words(part.said) if word.is_content}
        score = 0.0
        for said, weight in wanted:
            for word in said:
                if word not in about and any(alike(word, other) for other in own):
                    score += weight
        if score and re.search(r"\d", fact) and re.search(r"\d", part.said):
            score += 0.2
        score += 0.1 if verb and _verb(part.sentence()) == verb else 0.0
        scores.append(score + 0.5 * agreement(asked_times, times(part.said)) * (score > 0))
    return scores


def _verb(text: str) -> str:
    """The stem of a clause's verb; all forms of "be" count as one."""
    at = verb_position(text)
    first = words(text[at:])[0] if at else None
    return "" if first is None else "be" if first.text in ("is", "are", "was", "were", "am") else first.key


def _kept(
    parts: Sequence[Part], target: int, scores: Sequence[float], said: set[str], asked_times: Times
) -> list[Part]:
    """The parts that stay: statements of their own, not those that explain, limit or repeat the outdated one."""
    best = scores[target]
    has_verb = verb_position(parts[target].said) is not None and not re.match(r"[^:;,]{2,60}: ", parts[0].said)
    own = {word.key for word in words(parts[target].said) if word.is_content}
    is_empty = all(any(alike(word, other) for other in said) for word in own)
    kept: list[Part] = []
    went_with = False
    for number, part in enumerate(parts):
        if number == target:
            went_with = False
            continue
        plain = INTRODUCTION.sub("", part.said.strip(" ,;"))
        goes = _is_dependent(part, plain) or (went_with and part.kind in ("joined", "list") and not stands_alone(plain))
        if part.kind == "relative" and part.head in parts[target].said and parts[target] != parts[0]:
            goes = True
        elif _is_of_another_time(part, parts[target], asked_times) or _is_about_another(part, parts[target], said):
            goes = _is_dependent(part, plain)
        elif part.kind == "list":
            same_sentence = target < number
            goes = (
                goes
                or scores[number] > 0.3
                or (same_sentence and has_verb and not _is_statement(part))
                or (same_sentence and is_empty and number == target + 1)
            )
            goes = goes or len(words(plain)) < 2
        elif part.kind != "main" or scores[number] > 0.3:
            goes = goes or (scores[number] >= 0.6 * best and scores[number] > 0.6)
        went_with = goes
        if not goes:
            kept.append(part)
    return kept


def _is_restated(part: Part, about: set[str], fact: str) -> bool:
    """Does the new fact say all that the part says?"""
    own = {word.key for word in words(part.said) if word.text.lower() not in FUNCTION_WORDS} - about
    theirs = {word.key for word in words(fact)}
    tells = len(own) > 1 or any(letter.isdigit() for one in own for letter in one)
    return tells and all(any(alike(one, other) for other in theirs) for one in own)


def _is_of_another_time(part: Part, target: Part, asked_times: Times) -> bool:
    """Does the part contradict the time that the query asks for, and the outdated one not?"""
    return agreement(times(part.said), asked_times) < 0 <= agreement(times(target.said), asked_times)


def _is_about_another(part: Part, target: Part, said: set[str]) -> bool:
    """Is the part a statement on something that neither the outdated part nor the request speaks of?"""
    own = {word.key for word in words(subject(part.sentence())) if word.is_content}
    theirs = {word.key for word in words(target.sentence()) if word.is_content} | said
    return bool(own) and not any(alike(one, other) for one in own for other in theirs)


def _is_dependent(part: Part, plain: str) -> bool:
    """Does the part give a reason, a consequence, a limit or a remark that falls with the statement it hangs on?"""
    if part.kind in ("main", "relative", "leading", "apposed"):
        return False
    if part.kind == "detail":
        return True
    if part.kind == "list":
        return bool(_DEPENDENT.match(plain)) or bool(re.search(r"\bincluded$|\bonly$", plain.rstrip(".")))
    if re.match(
        r"(?:so|because|as (?!well)|since (?!then)|thanks to|due to|on account of|until|if|though|hence|thus)\b",
        plain,
        re.I,
    ):
        return True
    if re.search(r"\b(?:did|does|made|makes|caused|does|do) (?:it|that|this|so)\b", plain, re.I):
        return True
    imperative = re.match(
        r"(?:leave|put|crop|ask|use|do|don't|label|see|tell|keep|send|give|bring|call|ring)\b", plain, re.I
    )
    refers = part.kind != "unit" or re.search(r"\b(?:it|them|that|there|this)\b", plain, re.I) is not None
    return imperative is not None and refers
