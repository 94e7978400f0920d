"""What a request says literally: whose thing it asks for, and which one of several things of a kind."""

import re
from collections.abc import Sequence

from lethe.hooks.rules.words import fold

_OWNED = re.compile(r"^(?:the )?((?:[\w.-]+ ){0,2}[\w.-]+(?:'s|s')|my|our|your) ((?:[\w-]+ ?){1,4})$", re.IGNORECASE)


def not_owned_otherwise(topic: str, rows: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """For "Ana's phone": where a row says just that, without rows on the phone of Ana's son or on Ana's work phone."""
    asked = _OWNED.match(topic.strip(" .,!?"))
    if not asked:
        return found
    owner, thing = asked[1], asked[2].strip()
    exact = re.compile(rf"(?<![\w'])(?:{_either(owner)}) {re.escape(thing)}(?!\w)", re.IGNORECASE)
    if not any(exact.search(rows[position]) for position in found):
        return found
    other = re.compile(rf"(?:'s|s'|\b(?:my|our|your|his|her|their))(?: [\w-]+){{0,2}} {re.escape(thing)}(?!\w)", re.I)
    *modifiers, head = thing.split()
    if modifiers:
        unlike = rf"(?<![\w'])(?:{_either(owner)}) (?!{re.escape(' '.join(modifiers))} )[\w-]+ {re.escape(head)}(?!\w)"
        other = re.compile(f"{other.pattern}|{unlike}", re.IGNORECASE)
    bare = re.escape(re.sub(r"'s?$", "", owner))
    is_named = fold(owner) not in ("my", "our", "your")
    by_owner = re.compile(rf"{bare} (?!.*'s)" if is_named else r"(?!)", re.IGNORECASE)
    others = {
        position
        for position in found
        if other.search(rows[position]) and not exact.search(rows[position]) and not by_owner.match(rows[position])
    }
    return {position: why for position, why in found.items() if position not in others}


def _either(owner: str) -> str:
    return "my|user's|the user's" if fold(owner) in ("my", "user's") else re.escape(owner)
