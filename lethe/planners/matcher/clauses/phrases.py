"""English constructions that leave out a verb or share one, each brought to the form of a full statement."""

import re
from collections.abc import Set as AbstractSet

from lethe.planners.matcher.text.lists import listed
from lethe.planners.matcher.text.syntax import VERBS, verb_of, verb_position
from lethe.planners.matcher.text.words import keys

_CONTRAST = re.compile(
    r"^(?:while|although|though|even though|even if|whereas|much as)\s+([^,;:]+),\s+(?=\S)",
    re.IGNORECASE,
)
_WITH = re.compile(r"^with\s+([^,;:]+),\s+(?=\S)", re.IGNORECASE)
_OWNER = r"(?:the|its|his|her|their|our|my|both|all|one|some|most|half|two|three|[A-Z][\w-]+'s)"
_PARTICIPLE = (
    r"(?:being|\w{2,}(?:ing|ed)|(?:kept|held|sold|paid|sent|built|made|left|lent|set|put|bought|hung|shut)|"
    r"\w+(?:ow|iv|itt|ok|os|id|at|ak)n)"
)
_ABSOLUTE = re.compile(
    rf"^({_OWNER}\s+(?:[\w'-]+\s+){{0,3}}?[\w'-]+)\s+(?:being\s+(.+)|({_PARTICIPLE}\b.*))$",
    re.IGNORECASE,
)
_HAS_OBJECT = re.compile(
    r"\w+ed (?:him|her|them|it|me|us|you|the|a|an|my|our|his|their|everyone|everybody)\b", re.IGNORECASE
)
_STATE = re.compile(
    r"^((?:(?:the|a|an|its|his|her|their|our|my|both|no)\s+)?(?:[\w'-]+\s+){0,3}?[\w'-]+)\s+"
    r"((?:still |again |now |both )?(?:on|in|at|off|out|away|ill|sick|abroad|back|gone|under|behind|from|up|down|"
    r"open|shut|full|\w+ing|\w+ed|broken)\b.*)$",
    re.IGNORECASE,
)
_NOUN = (
    r"(?:(?:the|a|an|his|her|our|my|their|its)(?:\s+[\w'-]+){1,2}?|[a-z]+ (?:\d+\w?|[A-Z])(?= [a-zA-Z])|"
    r"[a-z]+(?= [\d€$£])|(?:[A-Z][\w'.-]*|[\w-]+\d[\w-]*)(?:\s+(?:[A-Z][\w'.-]*|\d\w*))*)"
)
_GAPPED = re.compile(
    rf"^({_NOUN})\s+(?=(?:the|an?|his|her|our|my|their|its|no|two|three|four|five|up to|at|in|on|from|to|by|for|"
    r"with)\s|[\d€$£]|[A-Z][\w-]*'s$)(\S.*)$"
)
_RESPECTIVELY = re.compile(
    r"^(?P<what>(?:[\w-]+\s)*?)(?P<one>[\w'-]+) and (?P<other>[\w'-]+) (?P<verb>[a-z].*?) (?P<first>\S+) and "
    r"(?P<second>\S+),? respectively\b",
)
_NOT_ONLY = re.compile(
    r"^Not only (?P<verb>does|do|did|is|are|was|were|has|have|can|will) "
    r"(?P<who>(?:(?:the|his|her|our|my|their) [\w'-]+|[A-Z][\w'-]*(?: [A-Z][\w'-]*)*|he|she|they|it)) (?P<rest>.+)$"
)
_BOTH = re.compile(r"^(?:both\s+)?(?P<all>.+?(?:\s+and\s+|\s+&\s+).+?)\s*$", re.IGNORECASE)


def contrasted(text: str) -> tuple[str, str] | None:
    """The statement that opens a sentence in contrast to the rest, and the rest ("While A is old, B is new")."""
    found = _CONTRAST.match(text)
    if found is None or verb_position(text[found.end() :]) is None:
        return None
    return found[1], text[found.end() :]


def circumstance(text: str) -> tuple[str, str, str] | None:
    """The opening "With Ana away," of a sentence, the statement that it makes, and the rest."""
    found = _WITH.match(text)
    if found is None or verb_position(text[found.end() :]) is None:
        return None
    state = _STATE.match(found[1])
    if state is None:
        return None
    rest = text[found.end() :]
    owner = rest[: verb_position(rest)].strip()
    is_owned = re.match(r"(?:its|his|her|their)\b", found[1], re.IGNORECASE) is not None
    whole = f"{owner} has {found[1]}" if is_owned else f"{state[1]} {_be(state[1])} {state[2]}"
    return found[0].rstrip(" ,"), whole, rest


def absolute(text: str) -> str | None:
    """The statement made by "its invoices going to Rome", which is attached to another without a finite verb."""
    found = _ABSOLUTE.match(text.strip(" ,."))
    if found is None or verb_position(found[1]) is not None or _HAS_OBJECT.match(found[3] or ""):
        return None
    return f"{found[1]} {_be(found[1])} {found[2] or found[3]}"


def gapped(text: str, first: str) -> str | None:
    """The statement made by "Roos the lorry" after "Piet drives the van"."""
    at = verb_position(first)
    found = _GAPPED.match(text.strip(" ,."))
    if at is None or found is None or verb_position(text) is not None:
        return None
    verb, rest = re.match(
        r"((?:is|are|was|were|has|have)\s+\w+(?:ed|en)\b|[\w'-]+)\s*(.*)",
        first[at:],
        re.DOTALL,
    ).groups()  # type: ignore[union-attr]
    opens = re.match(r"[\w€$£]+", found[2])
    if not rest or opens is None:
        return None
    if found[1].islower() and " " not in found[1] and (found[1] in _NUMBERS or _kind(rest.split()[0]) != "number"):
        return None
    kinds = {_kind(opens[0]), _kind(rest.split()[0])}
    if len(kinds) > 1 and kinds & _PREPOSITIONS:
        return None
    return f"{found[1]} {verb} {found[2]}"


def unfolded(text: str) -> str:
    """Writes "A and B are x and y respectively" as two statements, and "Not only is A x" as a plain one."""
    only = _NOT_ONLY.match(text)
    if only:
        return (
            only["who"]
            + " "
            + (
                _singular(only["rest"])
                if only["verb"] == "does"
                else f"{only['verb']} {only['rest']}".removeprefix("do ")
            )
        )
    found = _RESPECTIVELY.match(text)
    if found is None:
        return text
    what = re.sub(r"s $", " ", found["what"])
    verb = re.sub(
        r"^are\b",
        "is",
        re.sub(r"^were\b", "was", re.sub(r"^have\b", "has", found["verb"])),
    )
    ones = (f"{what}{found[one]} {verb} {found[value]}" for one, value in (("one", "first"), ("other", "second")))
    return ", and ".join(ones) + text[found.end() :]


def without_member(text: str, gone: AbstractSet[str]) -> str | None:
    """What a statement on several ("Tom and Ana live in Leeds") says without the one whose keys are `gone`."""
    at = verb_position(text)
    found = _BOTH.match(text[:at]) if at else None
    if at is None or found is None:
        return None
    if re.match(r"(?:is|was|has|does|isn't|wasn't|hasn't|doesn't)\b|\w*[^s]s\b", text[at:]):
        return None
    members = [member for member in re.split(r",\s+(?:and\s+)?|\s+and\s+|\s+&\s+", found["all"]) if member]
    left = [member for member in members if not keys(member) & gone]
    if any(verb_of(member) for member in members):
        return None
    if not left or len(left) == len(members) or not all(member[:1].isupper() or " " in member for member in members):
        return None
    rest = re.sub(r"^(?:both|all)\s+", "", text[at:])
    return f"{_listed(left)} {rest if len(left) > 1 else _singular(rest)}"


def _listed(members: "list[str]") -> str:
    return members[0] if len(members) == 1 else f"{', '.join(members[:-1])} and {members[-1]}"


def _singular(predicate: str) -> str:
    """The predicate of several as that of one: "live in Leeds" to "lives in Leeds"."""
    verb, _, rest = predicate.partition(" ")
    one = {
        "are": "is",
        "were": "was",
        "have": "has",
        "do": "does",
        "go": "goes",
        "don't": "doesn't",
        "aren't": "isn't",
    }.get(verb)
    if one is None:
        is_base = f"{verb}s" in VERBS or (verb not in _SAME and not re.search(r"(?:s|ed)$", verb))
        one = (
            re.sub(r"(?<=[^aeiou])y$", "ie", verb) + ("es" if re.search(r"(?:sh|ch|x|z|ss)$", verb) else "s")
            if is_base
            else verb
        )
    return f"{one} {rest}".strip()


_SAME = frozenset(
    listed(
        """had did could will would may might must can shall should took went came ran kept held drove ate drank spoke
        taught gave sat stood hung slept wrote bought sold paid rode wore led met sent flew grew spent chose began swam
        sang won lost built found told fell said saw put got made left"""
    )
)


def _be(noun: str) -> str:
    return "are" if re.search(r"(?:[^s]s|people|children)$", noun) and not noun.split()[-1][:1].isupper() else "is"


_NUMBERS = frozenset(("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "some", "about"))
_PREPOSITIONS = frozenset(("up", "at", "in", "on", "from", "to", "by", "for", "with"))


def _kind(word: str) -> str:
    """The kind of word that opens an object: a determiner, a number, a preposition."""
    lowered = word.lower()
    if lowered in ("the", "a", "an", "his", "her", "our", "my", "their", "its", "no"):
        return "noun"
    if word[:1].isdigit() or word[:1] in "€$£" or lowered in ("two", "three", "four", "five", "six"):
        return "number"
    return lowered
