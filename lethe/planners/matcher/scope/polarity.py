"""Memories that deny what a request affirms, or the other way round ("with yeast", "without yeast")."""

import functools
import re
from collections.abc import Sequence

from lethe.planners.matcher.scope.requests import Request
from lethe.planners.matcher.text.syntax import is_denial, verb_position
from lethe.planners.matcher.text.words import has, key, keys, words

_DENIER = re.compile(
    r"\b(?:not|no(?!\.? ?\d)|never|nor|neither|without|cannot|lacks?|lacking|refus(?:es|ed|ing)|declin(?:es|ed|ing)|"
    r"fail(?:s|ed|ing)?(?= (?:to|the|an?|its|his|her|their)\b)|"
    r"\w+n't)\b",
    re.IGNORECASE,
)
_DISLIKE = re.compile(r"\b(?:dislik|hat|detest|loath|avoid)(?:es?|s|ed|ing)?\b", re.IGNORECASE)
_STOP = re.compile(
    r"[,;:.!?](?:\s|$)|\b(?:but|and|because|so|since|as|while|when|whenever|until|till|unless|if|after|before|than)\b",
    re.IGNORECASE,
)
_NO = re.compile(r"\b(?:failure|absence|lack|refusal|rejection|ban)\b(?! on)", re.IGNORECASE)
"""Nouns that deny what a request names before or after them ("the load test failure")."""
_ALL_OF = re.compile(
    r"\b(?:everything|anything|all|what(?:ever)?|(?:the|these|those) things)\b"
    r"(?!(?: \w+){0,4} (?:about|on|concerning|regarding|for)\b)[^,;:.!?]*",
    re.IGNORECASE,
)
"""All that is said of somebody in one way ("whatever Ana must not eat"), not all that is said of them."""
_DEFINITE = re.compile(
    r"\b(?:the|this|my|our|his|her|their) ((?:[\w-]+ )??[\w-]+)(?= (?:in|on|at|to|with|for|from)\b|[.,;]|$)"
)
"""A thing that exists even where it is mentioned in a denial ("Never put the pan in the oven")."""
_STOPPING = re.compile(r"\s*(?:please |kindly )?(?:stop|don't|do not)\b", re.IGNORECASE)
_PERSONAL = re.compile(r"\b(?:I|we|you|he|she|they|it)(?:'\w+)? ", re.IGNORECASE)
_REACH = 5
"""How many words after a denial are denied by it, up to the next stop."""


@functools.lru_cache(maxsize=2048)
def denied_keys(text: str, *, dislikes: bool = False) -> frozenset[str]:
    """The content words of a cleaned text in reach of a denial or, if asked for, of a word of dislike."""
    found: set[str] = set()
    for denier in (*_DENIER.finditer(text), *(_DISLIKE.finditer(text) if dislikes else ())):
        behind = _STOP.split(text[denier.end() :], maxsplit=1)[0]
        found |= {word.key for word in words(behind)[:_REACH] if word.is_content}
    return frozenset(found)


def of_polarity(request: Request, memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """Of the memories found, those that affirm and deny what a request for one thing affirms and denies.

    All of them where none does.
    """
    said = _ALL_OF.search(request.topic)
    if said and is_denial(said[0], states=True):
        return {position: why for position, why in found.items() if is_denial(memories[position], states=True)} or found
    labels = {key(code.labels[-1]) for code in request.codes if code.labels}
    aspect = [word for word in request.aspect if word not in labels]
    if len(found) < 2 or request.is_wide or not aspect:
        return found
    topic = _STOPPING.sub("", _STOP.split(request.topic, maxsplit=1)[0])
    agreeing = {position: why for position, why in found.items() if not _is_opposed(topic, aspect, memories[position])}
    is_said = any(has(keys(memories[position]), word) for position in found for word in aspect)
    is_noun = verb_position(topic) is None or re.search(r"\bthat\b", topic) is not None
    if (is_said or is_noun) and is_denial(topic, states=True) and not _PERSONAL.search(topic):
        agreeing = {
            position: why for position, why in agreeing.items() if is_denial(memories[position], states=True)
        } or agreeing
    return agreeing or found


def _is_opposed(topic: str, aspect: Sequence[str], memory: str) -> bool:
    """Whether topic or memory denies a word of the aspect that the other affirms."""
    states = verb_position(topic) is not None
    mine, theirs = denied_keys(topic, dislikes=states), denied_keys(memory, dislikes=states)
    mine = frozenset(aspect) if _NO.search(topic) else mine
    affirmed = keys(memory) - theirs
    if not states and not mine:
        theirs -= {word.key for phrase in _DEFINITE.findall(memory) for word in words(phrase)}
    return any(has(affirmed if word in mine else theirs, word) for word in aspect)
