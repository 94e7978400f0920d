"""Which part of a memory a superseding fact is about, and what stays of the memory (paper, `compound_fact`).

The part that shares most with query and new fact goes. What says something of its own stays; reasons, consequences and
remarks on the outdated part go with it.
"""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from lethe.planners.matcher.choice.value_kinds import kinds
from lethe.planners.matcher.clauses.adjuncts import rest_of
from lethe.planners.matcher.clauses.kept_by_form import is_overridden, is_restated, kept_parts
from lethe.planners.matcher.clauses.kept_by_meaning import staying
from lethe.planners.matcher.clauses.outdated import of_subject, outdated_part
from lethe.planners.matcher.clauses.part import Part, is_statement
from lethe.planners.matcher.clauses.phrases import without_member
from lethe.planners.matcher.clauses.remarks import is_remarked
from lethe.planners.matcher.clauses.splitting import split
from lethe.planners.matcher.text.similarity import Similarity
from lethe.planners.matcher.text.syntax import subject, verb_position
from lethe.planners.matcher.text.times import times
from lethe.planners.matcher.text.words import alike, all_keys, clean, keys, words


@dataclass(frozen=True, slots=True)
class Merge:
    """A memory's new text, with what went and what stayed for the reason of the decision."""

    text: str
    gone: str
    kept: str


def merge(memory: str, query: str, new_fact: str, similarity: Similarity | None = None) -> Merge | str:
    """The memory with its outdated part replaced by `new_fact`.

    A text that says why, where the whole memory is outdated.
    """
    parts = split(clean(memory))
    asked, fact = clean(query), clean(new_fact)
    if len(parts) < 2:
        left = _of_others(parts[0], asked, fact) if parts else None
        return with_new_fact(new_fact, parts[0].said, [left]) if left else "the memory makes one statement"
    if is_remarked(parts, asked, fact):
        return "the rest of the memory is a remark on what is outdated"
    opening = parts[0].said if parts[0].kind == "header" else subject(parts[0].sentence())
    about = keys(opening)
    parts = tuple(part for part in parts if part.kind != "header")
    found = outdated_part(parts, opening, asked, fact, similarity)
    if isinstance(found, str):
        return found
    target, scores, also = found.part, list(found.scores), [parts[number] for number in found.also]
    ending = _ending(parts[target], about, asked, fact)
    if ending:
        parts = (*parts[:target], *ending, *parts[target + 1 :])
        scores = [*scores[:target], 0.0, *scores[target:]]
        target += 1
    kept = [
        part
        for part in kept_parts(parts, target, scores, asked, fact)
        if part not in also
        and _says_more(part, about)
        and not is_restated(part, about, fact)
        and not is_overridden(part, fact)
    ]
    if not _is_told_apart(parts[target], about, asked, fact):
        kept = [part for part in kept if part.kind not in _FRAGMENTS or is_statement(part)]
    if similarity and kept:
        kept = staying(kept, parts[target], opening, asked, fact, similarity)
    is_named = any(word.key in about for word in words(fact))
    sentences = [part.sentence() if is_named else of_subject(part, opening) for part in kept]
    left = None if ending else _of_others(parts[target], asked, fact)
    if not kept and not left:
        return "the rest only explains the part that is outdated"
    return with_new_fact(new_fact, parts[target].said.strip(), [*filter(None, [left]), *filter(None, sentences)])


def _says_more(part: Part, about: AbstractSet[str]) -> bool:
    """Whether the part says anything besides what the memory is about.

    "Levan (ლევანი)", one name in two scripts, does not.
    """
    return any(word.key not in about for word in words(part.said))


_FRAGMENTS = ("list", "gapped")
"""Kinds of parts that, without a verb of their own, may only be the rest of a value."""


def _is_told_apart(part: Part, about: AbstractSet[str], asked: str, fact: str) -> bool:
    """Whether query or new fact have a word of the part beyond the memory's subject, or a value of the part's kind."""
    own = keys(part.said) - about
    said = {word.key for text in (asked, fact) for word in words(text) if word.is_content}
    if any(alike(one, other) for one in own for other in said):
        return True
    return bool(
        kinds(part.said, frozenset()) & kinds(fact, frozenset()) & {"clock", "weekday", "month", "money", "number"}
    )


def with_new_fact(new_fact: str, gone: str, sentences: Sequence[str]) -> Merge:
    """The new fact, followed by the sentences that stay."""
    first = new_fact.strip()
    first = first if first[-1:] in ".!?" else first + "."
    return Merge(" ".join([first, *sentences]), gone, " ".join(sentences))


def _of_others(part: Part, asked: str, fact: str) -> str | None:
    """What the outdated part says of others than the new fact's subject, or besides the phrase that has changed."""
    sentence = part.sentence()
    at = verb_position(fact)
    left = without_member(sentence, keys(fact[:at])) if at else None
    left = left or rest_of(sentence, asked, fact) or _event(sentence, fact)
    return None if left is None else left.rstrip(" .") + "."


def _event(sentence: str, fact: str) -> str | None:
    """The event that a sentence opens with, where the new fact does not mention it ("Since the fire, ...")."""
    found = re.match(r"((?:since|after|following|despite|in spite of|ever since)\s[^,:;]+),\s", sentence, re.IGNORECASE)
    if found is None or verb_position(sentence[found.end() :]) is None:
        return None
    told = all_keys(fact)
    own = [word.key for word in words(found[1]) if word.is_content and not times(word.text) and not word.text.isdigit()]
    return found[1] if any(not any(alike(one, other) for other in told) for one in own) else None


def _ending(part: Part, about: AbstractSet[str], asked: str, fact: str) -> tuple[Part, Part] | None:
    """The part without its last adjunct, and that adjunct, where query and new fact are about nothing else in it."""
    found = _ADJUNCT.match(part.said)
    at = verb_position(part.said)
    if part.kind not in ("main", "unit") or not found or at is None:
        return None
    texts = [keys(text) - about for text in (asked, fact)]
    rest = keys(found[1]) - about
    own = keys(found[2])
    left = [word for word in words(found[1][at:]) if word.is_content]
    if len(left) < 2 or any(alike(one, other) for one in rest for text in texts for other in text):
        return None
    if not any(all(any(alike(one, other) for other in text) for text in texts) for one in own if not one.isdigit()):
        return None
    return Part(found[1], part.kind, part.head), Part(found[2], "joined", subject(found[1]))


_ADJUNCT = re.compile(r"(.+)\s+((?:in|at|on|from|by|with|for|under|via|through)\s(?:the\s|a\s)?[^,;:]+)$")


def without(memory: str, asked: Sequence[str]) -> str | None:
    """What a memory of several "ATTRIBUTE is VALUE" statements says without the one whose attribute is asked for.

    None where the memory is not of this form, or not exactly one statement has the attribute.

    Args:
        asked: the keys of the attribute.
    """
    parts = split(clean(memory))
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


def _attribute(part: Part) -> frozenset[str]:
    """The keys of what a statement gives the value of: the words before "is" or a colon."""
    found = re.match(r"(.{2,40}?)(?: is | are |: )", part.sentence())
    return keys(found[1]) if found else frozenset()
