"""What is inserted in a sentence and says something of its own: brackets, relative clauses, appositions, openings."""

import re

from lethe.planners.matcher.clauses.part import INTRODUCTION, Part, stands_alone
from lethe.planners.matcher.clauses.phrases import circumstance, contrasted
from lethe.planners.matcher.text.syntax import VERBS, subject, verb_position

_BRACKET = re.compile(r"\s*\(([^()]{4,})\)")
_RELATIVE = re.compile(
    r",\s+(who|which|whose|whom|where)\s+([^,;]+(?:,\s+\d[^,;]*)?)(,|(?=[.;]?$)|(?=;))",
    re.I,
)
_DESCRIBED = re.compile(
    r"(?P<noun>(?P<who>[^,;:]{2,40}?) (?:is|was|are|were) (?:an?|the|our|my|their|his|her) (?:[\w'-]+ ){0,3}?[\w'-]+) "
    r"(?:who (?P<relative>[^,;]+?)|with (?P<with>(?:an?|no|one|two|three|four|several|many|\d+) [^,;]+?)"
    r"|(?P<participle>(?:\w{2,}ing (?:in|at|for|on|as|to|with)|based|born) [^,;]+?))(?=[.,;]| and |$)"
)
"""A description and what it adds: "is a nurse who lives in Lima", "living in Lima", "with three sons"."""
_DEFINED = re.compile(
    r"^(?P<noun>(?:the|our|my|his|her|their|a|an) (?:[\w'-]+ ){0,2}?"
    r"(?!(?:person|one|people|thing|place)\b)[\w'-]+) "
    r"(?P<that>that|which|who) (?P<relative>[^,;:]+?) "
    r"(?=(?:is|are|was|were|has|have|will|can|must|may|should|does|costs|hangs|stands|lies|"
    r"opens|belongs|goes|runs)\b(?! by))",
    re.IGNORECASE,
)
_NO_APPOSITION = re.compile(r"(?:and|or|but|so|which|who|while|whereas|as|because|since|that)\b")
_LEADING = re.compile(
    r"^((?:\w{2,}ing|\w+ed(?! \d)|known|born|paid|held|built|made|kept|apart from|besides|in addition to|"
    r"aside from|along with)\s[^,;:]+),\s+(?=\S)",
    re.I,
)
_ADVERBIAL = re.compile(
    r"^(?:every|each|at|in|by|for|after|before|from|until|per|most|once|twice|please|says|as|like|"
    r"however|too|so|if|when|during|since|now|then|again|again and again|of course)\b",
    re.I,
)


def taken_out(text: str) -> tuple[str, list[Part]]:
    """A masked sentence without what is inserted in it, and the inserted pieces."""
    pieces: list[Part] = []
    for take in (_opening, _brackets, _relatives, _leading, _defining, _apposed, _described):
        text, found = take(text)
        pieces += found
    return text, pieces


def _opening(text: str) -> tuple[str, list[Part]]:
    """Takes out "While A is old," and "With Ana away," before a statement."""
    if contrast := contrasted(text):
        return _capital(contrast[1]), [Part(contrast[0], "leading")]
    if opening := circumstance(text):
        return _capital(opening[2]), [Part(opening[0], "leading", "", opening[1])]
    return text, []


def _brackets(text: str) -> tuple[str, list[Part]]:
    """Takes out what stands in brackets; a word or two at the end, after a value, are a detail of that value."""
    pieces = []
    bare = _BRACKET.sub("", text)
    for bracket in _BRACKET.finditer(text):
        about = subject(bare) or text[: bracket.start()].strip()
        for said in re.split(r",\s+", bracket[1]):
            alone = stands_alone(said)
            is_detail = said == bracket[1] and not alone and not re.search(r"[:=\d]", said)
            is_detail = is_detail and not text[bracket.end() :].strip(" .;!")
            pieces.append(Part(said, "detail" if is_detail else "bracket", "" if alone else f"{about}:"))
    return bare, pieces


def _relatives(text: str) -> tuple[str, list[Part]]:
    """Takes out relative clauses between commas.

    Their kind is "aside" where they describe a thing that the sentence gives as a value.
    """
    pieces = []
    while relative := _RELATIVE.search(text):
        about = INTRODUCTION.sub("", re.split(r"[,;:]\s", text[: relative.start()])[-1])
        pronoun = relative[1].lower()
        kind = "aside" if pronoun in ("which", "where", "whose") and verb_position(about) is not None else "relative"
        if pronoun in ("who", "which"):
            pieces.append(Part(relative[2], kind, _last_noun(about) if verb_position(about) else about))
        else:
            pieces.append(Part(relative[2], kind, f"{about}'s" if pronoun == "whose" else f"{about}:"))
        text = text[: relative.start()] + (" " if relative[3] else "") + text[relative.end() :].lstrip()
    return text, pieces


def _leading(text: str) -> tuple[str, list[Part]]:
    """Takes out "Born in Rome," and "Besides the bar," before a statement."""
    leading = _LEADING.match(text)
    if leading is None or len(text) - leading.end() <= 6 or _is_subject_with_verb(leading[1]):
        return text, []
    rest, opening = text[leading.end() :], leading[1]
    about, at = subject(rest), verb_position(rest)
    if re.match(r"having\b", opening, re.IGNORECASE):
        return _capital(rest), [Part(opening[len("having ") :], "leading", f"{about} has")]
    also = re.match(r"(?:apart from|besides|in addition to|aside from|along with)\s+(.+)", opening, re.IGNORECASE)
    if also and at:
        verb = re.match(r"\w+(?:\s(?:after|for|to|at|in|on|up|out|over))?", rest[at:])
        head = f"{about} is" if re.match(r"\w+ing\b", also[1]) else rest[:at] + (verb[0] if verb else "")
        return _capital(rest), [Part(also[1], "leading", head)]
    is_state = about and re.match(r"\w+(?:ing|ed)\b|known|born|paid|held|built|made|kept", opening, re.IGNORECASE)
    return _capital(rest), [Part(opening, "leading", f"{about} is" if is_state else about)]


def _is_subject_with_verb(opening: str) -> bool:
    """Whether an opening is a subject with its verb ("Swimming lessons start") rather than a participle."""
    found = re.match(r"\w+(?:ing|ed) [a-z'-]+s ([a-z]+)\b", opening)
    return found is not None and found[1] in VERBS


def _defining(text: str) -> tuple[str, list[Part]]:
    """Takes out of "The mural that Ana painted is ..." the clause that says which one it is."""
    found = _DEFINED.match(text)
    if found is None:
        return text, []
    piece = Part(found["relative"], "relative", f"{found['noun']} is the one {found['that']}")
    return f"{found['noun']} {text[found.end() :]}", [piece]


_SAYING = re.compile(
    r"\b(?:said|says|say|report(?:s|ed)|tells|told|claim(?:s|ed)|think(?:s)?|thought|write(?:s)?|wrote)\b"
)


def _apposed(text: str) -> tuple[str, list[Part]]:
    """Takes out appositions between a subject and its verb: "Kofi, a cook, born in Accra, edits ..."."""
    about, *sections = re.split(r",\s+(?=\S)", text)
    if re.search(r"[;:]", about) or _ADVERBIAL.match(about) or verb_position(about) is not None:
        return text, []
    for number, section in enumerate(sections):
        if number and _has_verb_after(section):
            rest = ", ".join(sections[number:])
            named = [said for said in sections[:number] if not _SAYING.search(said)]
            return f"{about} {rest}", [Part(said, "apposed", f"{about} is") for said in named]
        if _NO_APPOSITION.match(section) or _ADVERBIAL.match(section) or re.search(r"[;:]", section):
            break
    return text, []


def _described(text: str) -> tuple[str, list[Part]]:
    """Takes out of "Ana is a nurse with three sons" the sons."""
    found = _DESCRIBED.match(text)
    if found is None:
        return text, []
    head = f"{found['who']} has" if found["with"] else found["who"]
    head = f"{found['who']} is" if found["participle"] else head
    said = found["with"] or found["participle"] or found["relative"]
    return text[: found.end("noun")] + text[found.end() :], [Part(said, "relative", head)]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _has_verb_after(text: str) -> bool:
    first = re.match(r"(?:(?:now|also|currently|still|usually|always) )?([\w'-]+)", text)
    return first is not None and (first[1].lower() in VERBS or bool(re.fullmatch(r"[a-z]+s", first[1])))


def _last_noun(text: str) -> str:
    name = re.search(r"(?:[A-Z][\w'-]+\s?)+$", text)
    if name:
        return name[0]
    found = re.findall(r"(?:(?:the|our|a|an|his|her|their|my)\s)?(?:[\w'-]+\s)?[\w'-]+$", text, re.I)
    return found[0] if found else text
