"""Requests that state one fact ("that Ana doesn't eat fish"): of the memories on the entity only those that say it."""

import math
import re
from collections.abc import Sequence

from lethe.planners.matcher.scope.requests import Request
from lethe.planners.matcher.text.syntax import VERBS, is_denial
from lethe.planners.matcher.text.words import alike, all_keys, content, words
from lethe.planners.matcher.text.words import key as key_of

_AUXILIARY = re.compile(
    r"(?:is|isn't|was|wasn't|are|aren't|were|weren't|has|hasn't|had|hadn't|does|doesn't|do|don't|did|didn't|can|can't|"
    r"cannot|will|won't|would|wouldn't|may|must|mustn't|should|shouldn't|never|not|no longer|always|only|still|"
    r"being|having)\b",
    re.IGNORECASE,
)
_PRESENCE = re.compile(r"(?:\w+ )?(?:no longer |not )?(?:with|at|here|in|on|part of|one of)\b", re.IGNORECASE)
_INTRODUCED = re.compile(r"\bthat(?: the| our)?(?: [a-z]+)? $")
_OWNED = re.compile(rf"(?:'s|') [a-z-]+(?: [a-z-]+)?? (?={_AUXILIARY.pattern})", re.IGNORECASE)
_ENOUGH = 0.7
"""Least share of a statement's words, rare ones counting more, by which a memory says it."""


def of_statement(request: Request, memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """Of the memories on an entity, those that say what the request says of it; all where it says nothing of it.

    A memory says it if it holds most of the statement's words, none of the others holds more, and both deny or neither
    does. What no memory says is the reason for the request, not its object ("Ana has moved to another firm").
    """
    said = _said(request)
    if len(found) < 2 or not said:
        return found
    held = {position: all_keys(memories[position]) for position in found}
    count = {key: sum(any(alike(key, word.key) for word in words(memory)) for memory in memories) for key in said}
    if 2 * sum(not number for number in count.values()) >= len(count):
        return found
    said = [*said, *(key_of(part) for name in request.names for part in name.words)]
    count |= {key: sum(any(alike(key, word.key) for word in words(memory)) for memory in memories) for key in said}
    weight = {key: math.log(1 + len(memories) / count[key]) for key in said if count[key]}
    total = sum(weight.values())
    share = {
        position: sum(weight[key] for key in weight if any(alike(key, other) for other in held[position])) / total
        for position in found
    }
    best = max(share.values())
    if best < _ENOUGH:
        return found
    denied = is_denial(request.topic)
    saying = {position for position in found if share[position] >= best - 0.05}
    agreeing = {position for position in saying if is_denial(memories[position]) == denied}
    return {position: found[position] for position in agreeing or saying}


def _said(request: Request) -> list[str]:
    """The keys of what a request says of its entity; empty where it hardly makes a statement."""
    if request.is_wide or request.by_person:
        return []
    surfaces = [" ".join(name.words) for name in request.names] + [code.surface for code in request.codes]
    at = min((start for surface in surfaces if (start := request.topic.find(surface)) >= 0), default=-1)
    if at < 0:
        return []
    before, after = request.topic[:at], request.topic[at:]
    while surface := max(
        (surface for surface in surfaces if surface and after.startswith(surface)), key=len, default=""
    ):
        after = after[len(surface) :].lstrip()
    if owned := _OWNED.match(after):
        after = after[owned.end() :]
    verb = re.match(r"[a-z]+", after)
    introduced = _INTRODUCED.search(before) is not None
    said = [key for key in content(after) if introduced or key in request.aspect or key.isdigit()]
    if not said or verb is None:
        return []
    if _AUXILIARY.match(after):
        if _PRESENCE.match(after):
            return []
    elif not _is_verb(verb[0]) or (not introduced and content(verb[0])[:1] != content(after)[:1]):
        return []
    return said if introduced or len(said) > 1 or is_denial(after) else []


def _is_verb(word: str) -> bool:
    return word in VERBS or re.fullmatch(r"[a-z]+(?:ing|[^s]s)", word) is not None
