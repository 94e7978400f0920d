"""What a request says literally: whose thing it asks for, and which one of several things of a kind."""

import re
from collections.abc import Sequence

from lethe.planners.matcher.choice.scoring import PERSONS
from lethe.planners.matcher.scope.requests import Request
from lethe.planners.matcher.text.words import FUNCTION_WORDS, all_keys, fold, key, without_possessive

_OWNED = re.compile(r"^(?:the )?((?:[\w.-]+ ){0,2}[\w.-]+(?:'s|s')|my|our|your) ((?:[\w-]+ ?){1,4})$", re.IGNORECASE)


def not_owned_otherwise(topic: str, memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """For "Ana's phone": the memories found, without those on the phone of Ana's son or on Ana's work phone.

    Only where a memory says just "Ana's phone".
    """
    asked = _OWNED.match(topic.strip(" .,!?"))
    if not asked:
        return found
    owner, thing = asked[1], asked[2].strip()
    exact = re.compile(rf"(?<![\w'])(?:{_either(owner)}) {re.escape(thing)}(?!\w)", re.IGNORECASE)
    if not any(exact.search(memories[position]) for position in found):
        return found
    other = re.compile(rf"(?:'s|s'|\b(?:my|our|your|his|her|their))(?: [\w-]+){{0,2}} {re.escape(thing)}(?!\w)", re.I)
    *modifiers, head = thing.split()
    if modifiers:
        unlike = rf"(?<![\w'])(?:{_either(owner)}) (?!{re.escape(' '.join(modifiers))} )[\w-]+ {re.escape(head)}(?!\w)"
        other = re.compile(f"{other.pattern}|{unlike}", re.IGNORECASE)
    bare = re.escape(without_possessive(owner))
    is_named = fold(owner) not in ("my", "our", "your")
    by_owner = re.compile(rf"{bare} (?!.*'s)" if is_named else r"(?!)", re.IGNORECASE)
    others = {
        position
        for position in found
        if other.search(memories[position])
        and not exact.search(memories[position])
        and not by_owner.match(memories[position])
    }
    return {position: why for position, why in found.items() if position not in others}


def _either(owner: str) -> str:
    return "my|user's|the user's" if fold(owner) in ("my", "user's") else re.escape(owner)


_OWNER = re.compile(r"\b([^\W\d_][\w-]+)(?:'s|s') [\w-]")
_OF = re.compile(r"^(?:(?:the|a|an) )?(?:[\w-]+ ){1,3}of (?:(?:the|our|my) )?([^\W\d_][\w-]+)$")


def owner_of(request: Request) -> str:
    """Whose attribute a request asks for ("the dog's vet", "the age of Ana"), or ""."""
    topic = request.topic.partition(" , ")[0].strip(" .,!?")
    asked = _OWNER.search(topic) or _OF.match(topic)
    return "" if asked is None or request.is_wide or fold(asked[1]) in FUNCTION_WORDS else asked[1]


def _stated_of(request: Request) -> str:
    """Of whom a request states something ("that Ana eats fish"), or ""."""
    if request.is_wide or len(request.names) != 1 or len(request.names[0].words) > 1:
        return ""
    name = request.names[0].words[0]
    stated = re.match(rf"(?:.*\b(?:that|where|what|when|why|how|which [a-z]+) )?{re.escape(name)} [a-z]", request.topic)
    return name if stated and request.aspect else ""


_SPEAKER = re.compile(r"\b(?:I|me|my|mine)\b", re.IGNORECASE)
_USES = re.compile(r"(?<![^\W_])(?:user(?:'s (?=[a-z]))?|i\b|my )([a-z-]+)?(?![^\W_])")
"""How a folded memory mentions its speaker."""


def without_relatives(request: Request, memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """For "Ana's employer", "Ana eats fish": the memories found, without those only on Ana's son or the like.

    All where there are no others.
    """
    owner = owner_of(request) or _stated_of(request)
    if request.is_wide or not (owner or _SPEAKER.search(request.topic)):
        return found
    asked = all_keys(request.topic)
    uses = _USES if not owner else re.compile(rf"(?<![^\W_]){re.escape(fold(owner))}(?:(?:'s|') ([a-z-]+))?(?![^\W_])")
    others = {
        position
        for position in found
        if (held := [key(use) for use in uses.findall(fold(memories[position]))])
        and all(use in PERSONS and use not in asked for use in held)
    }
    return {position: why for position, why in found.items() if position not in others or len(others) == len(found)}
