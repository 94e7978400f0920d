"""A thing that a request names with its kind ("my Tavo tablet"), while other memories drop the kind ("the Tavo")."""

import re
from collections.abc import Sequence

from lethe.planners.matcher.names.written_names import Name
from lethe.planners.matcher.scope.requests import Request
from lethe.planners.matcher.text.lists import listed
from lethe.planners.matcher.text.mentions import runs
from lethe.planners.matcher.text.syntax import VERBS, verb_position
from lethe.planners.matcher.text.words import FUNCTION_WORDS, key

_MADE = frozenset(
    key(word)
    for word in listed(
        """app application subscription magazine newspaper newsletter podcast website platform software program tool
    service provider tablet laptop phone computer camera printer scanner router television console watch drone speaker
    bike bicycle scooter motorbike moped car van truck lorry tractor mower boat kayak oven fridge freezer dishwasher
    stove kettle mixer piano guitar machine device brand dish recipe soup medicine drug pill game series novel choir
    band club team committee league festival course class plan tariff plant tree dog cat horse puppy kitten parrot pony
    tortoise hamster rabbit budgie goat donkey hen campsite hotel hostel
    inn cafe bakery shop store restaurant bar pub firm company supplier nursery school clinic practice server depot
    warehouse"""
    )
)
"""Kinds of thing that have names of their own, so that "Kestrel starts at once" just uses the name."""


def without_kind(request: Request, memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """The memories on the thing that call it by its name alone.

    They use it with an article or, where its kind is one with names of its own, as the subject. None if the name is
    that of a person or place with an attribute ("the Lisbon trip").
    """
    if len(request.names) != 1 or not found:
        return {}
    name = " ".join(request.names[0].words)
    before, _, behind = request.topic.partition(" , ")[0].strip(" .,!?").partition(name)
    asked = _KIND.fullmatch(behind) if _DETERMINED.search(before) else None if before else _THE_KIND.fullmatch(behind)
    if asked is None or not any(name in memories[position] for position in found):
        return {}
    kind = key(asked[1].split()[-1])
    own = tuple(request.names[0].folded)
    alone = re.compile(
        rf"(?P<article>(?<![^\W_])(?:[Tt]he|[Tt]his|[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir) )?(?<![^\W_]){re.escape(name)}"
        r"(?P<end>'s?(?![^\W_])|(?![^\W_]))(?P<noun> (?:[a-z]+))?"
    )
    added: dict[int, str] = {}
    for position, memory in enumerate(memories):
        if position in found or own not in runs(memory):
            continue
        for use in alone.finditer(memory):
            noun = (use["noun"] or "").strip()
            goes_on = noun and not _is_no_noun(noun) and verb_position(memory) != use.start("noun") + 1
            if (goes_on and not use["end"]) or (not use["article"] and (use.start() or kind not in _MADE)):
                continue
            added[position] = f"calls the {kind} {name}"
    return added


_DETERMINED = re.compile(r"(?:\b(?:the|my|our)|'s) $", re.IGNORECASE)
_KIND = re.compile(r" ((?:[a-z-]+ )?[a-z-]+)")
_THE_KIND = re.compile(r",? the ([a-z-]+)")


def without_longer(request: Request, memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """For "the Sunrise plan": the memories found, without those on what a memory calls "the Sunrise Plus plan".

    For "our cat Wilma", without those on Wilma Jansen.
    """
    if len(request.names) == 1 and len(request.names[0].words) == 1:
        kinds = {key(phrase.split()[-1]) for phrase in request.described}
        alone = {position for position in found if tuple(request.names[0].folded) in runs(memories[position])}
        if alone and kinds and kinds <= _MADE:
            longer = {
                position
                for position in found
                if any(_goes_on(request.names[0], run) for run in runs(memories[position]))
            }
            found = {position: why for position, why in found.items() if position in alone or position not in longer}
    asked = _NAMED_KIND.search(request.topic.partition(" , ")[0].strip(" .,!?"))
    if asked is None or len(request.names) != 1:
        return found
    if not any(asked[0] in memory for memory in memories):
        return found
    name, kind = map(re.escape, asked.groups())
    added = {
        more
        for memory in memories
        for more in re.findall(rf"(?<![^\W_]){name} ([^\W\d_a-z]\w*) {kind}(?![^\W_])", memory)
    }
    if not added:
        return found
    own = re.compile(rf"(?<![^\W_]){name}(?! (?:{'|'.join(map(re.escape, sorted(added)))})(?![^\W_]))(?![^\W_])")
    return {position: why for position, why in found.items() if own.search(memories[position])} or found


def without_other_nouns(request: Request, memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """For "the Marigold": the memories found, without those that open with the word before a noun.

    "Marigold seeds are sown" is one; only where all others have the name with an article, too.
    """
    if len(request.names) != 1:
        return found
    name = " ".join(request.names[0].words)
    if not any(f"{article} {name}" in request.topic for article in ("the", "our", "my", "The", "Our", "My")):
        return found
    use = re.compile(rf"(\b(?:[Tt]he|[Oo]ur|[Mm]y) )?(?<![^\W_]){re.escape(name)}(?![^\W_])(?: ([a-z]+))?")
    others = set()
    for position in found:
        opening = use.match(memories[position])
        if not opening or opening[1] or not opening[2] or key(opening[2]) in request.aspect:
            continue
        if not _is_no_noun(opening[2]):
            verb = verb_position(memories[position])
            if verb is not None and verb != opening.start(2):
                others.add(position)
    left = {position: why for position, why in found.items() if position not in others}
    articles = [said[1] for position in left for said in use.finditer(memories[position])]
    return left if articles and all(articles) else found


def _goes_on(name: Name, run: Sequence[str]) -> bool:
    return len(run) > 1 and run[0] == name.folded[0]


_NAMED_KIND = re.compile(r"([^\W\d_a-z][\w-]*(?: [^\W\d_a-z][\w-]*)*) ([a-z-]+)$")


def _is_no_noun(word: str) -> bool:
    return word in FUNCTION_WORDS or word in VERBS
