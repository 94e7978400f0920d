"""The statements that a memory makes, each as a sentence of its own.

A memory is cut where English syntax joins two statements: at sentences, semicolons, slashes, brackets, relative
clauses, appositions, leading participles, coordinations and lists.
"""

import functools
import re

from lethe.planners.matcher.clauses.insertions import taken_out
from lethe.planners.matcher.clauses.part import INTRODUCTION, Part, stands_alone
from lethe.planners.matcher.clauses.phrases import absolute, gapped, unfolded
from lethe.planners.matcher.clauses.units import header, masked, units, unmasked
from lethe.planners.matcher.text.syntax import VERBS, label_of, starts_with_verb, subject, verb_position
from lethe.planners.matcher.text.times import MONTH, NAMED, WEEKDAY
from lethe.planners.matcher.text.words import FUNCTION_WORDS, words

_JOINED = re.compile(
    r",?\s+(?=(?:and also|and please note|as well as|along with|together with|whereas|but|plus|"
    r"while (?:his|her|their|its|my|our))\s)|,\s+(?=while\s)|,\s+(?=(?:and|though|yet)\s)|"
    r",?\s+(?=by the way)|"
    r"\s+(?=(?:though|although) (?:the|an?) |"
    r"(?:though|although|while) (?:(?:his|her|their|its|my|our) |(?-i:[A-Z])))",
    re.I,
)
_ENGLISH = re.compile(
    r"\b(?:the|is|are|was|were|and|of|to|has|have|his|her|with|at|for|by|from|on|but|while|plus|who|my|our|its|not|an)\b",
    re.I,
)
_ABROAD = re.compile(
    r"(?:,\s+(?=(?:e|en|ja|i|a|а|та|і|mais|pero|aber|ma|però|men|maar|ale|no|но|але)\s)|"
    r",?\s+(?=(?:y|und|et|och|og|ve|și|és|и|και)\s))(?=\S+\s\S+\s\S+\s)",
    re.IGNORECASE,
)
"""Where another language than English may join two statements: at its word for "and" or "but"."""
_PREPOSITION = re.compile(r"(?:in|at|on|to|from|for|by|with|under|into|onto|about|of)\b", re.IGNORECASE)
_PHRASAL = re.compile(
    r"[\w']+(?: (?:after|for|to|at|in|on|up|out|over|off|down|into|with|about)"
    r"(?= (?:the|an?|his|her|its|our|my|both)\b))?"
)
"""A verb with the preposition that belongs to it: "looks after"."""
_WITH = re.compile(r",\s+(?=(?:including|with|plus|featuring|and has|offering)\s)", re.I)
_WITH_ONE = re.compile(r",\s+(?:with|including|plus|featuring)\s(?:[\w'-]+\s)?[\w'-]+$", re.IGNORECASE)
"""The first of several things: the "with tea" of "with tea and cakes costing extra"."""
_PARTICIPLE = re.compile(
    r"\w+ed|(?:giv|tak|writt|spok|driv|eat|chos|brok|stol|froz|hidd|ridd|shak|wok|beat|forgott|gott)en"
)
_PLACE = re.compile(r"^[A-Z][a-z][\w'-]*(?:\s(?:[A-Z][\w'-]*|\d{4,}|[A-Z]{1,2}\d\w*))*\.?(?:,|$)")
_PLACED = re.compile(
    rf"(?:\d\w*\s(?:[\w'-]+\s)*|\b(?:in|at|to|from|near)\s(?:[A-Z][\w'-]*\s)*)(?!(?:{MONTH}|{WEEKDAY})\b)[A-Z][a-z][\w'.-]*$"
)
"""A town after the street, or a country after the town: "12 Mill Road, Leeds", "in Porto, Portugal"."""
_NUMBERED = re.compile(r"^[a-z]+ (?:[A-Z]?-?\d+\w?|[A-Z])\.?$")
_IN_NUMBERED = re.compile(r"\b(?:in|on|at|to) [a-z]+ (?:[A-Z]?-?\d+\w?|[A-Z])$")
"""A place within a place: "on level 2, bay 40"."""
_COMMA = re.compile(r",\s+(?=\S)")
_OPENING = re.compile(
    r"^(?:(?:oh|hi|hello|well|and|but|so|also|please|by the way|just so you know),?\s+)?"
    r"(?:as of|since|if|when(?:ever)?|once|after|before|until|till|from|on|in|at|during|for|by|every|each|this|next|"
    r"last|starting|effective|with effect from|oh|hi|well|hello|fyi)\b[^,:]*$",
    re.IGNORECASE,
)


@functools.lru_cache(maxsize=4096)
def split(memory: str) -> tuple[Part, ...]:
    """The pieces of a memory, in order, as statements about it; one `main` piece where it is not compound."""
    parts: list[Part] = []
    pieces = units(memory)
    named = header(pieces, memory)
    if named:
        return (
            Part(named, "header"),
            *(Part(piece, "list", f"{named},") for piece in pieces[1:]),
        )
    first_subject = ""
    for number, piece in enumerate(pieces):
        kind = "main" if number == 0 else "unit"
        inner = _inside(piece, kind)
        if number == 0:
            first_subject = subject(piece)
        elif inner and not stands_alone(inner[0].said) and first_subject and inner[0].kind == "unit":
            inner[0] = Part(inner[0].said, "unit", _head_of_unit(inner[0].said, first_subject, memory))
        parts += inner
    return tuple(parts)


def _head_of_unit(said: str, about: str, memory: str) -> str:
    """What a unit without a subject needs to be a sentence: the memory's subject, with its verb for a mere time."""
    at = verb_position(memory)
    verb = re.match(r"[\w']+", memory[at:]) if at else None
    if at and verb and not label_of(memory) and re.match(rf"(?:{NAMED}|in|on|at|from|for|with)\b", said, re.IGNORECASE):
        return memory[: at + verb.end()]
    has_sign = ":" in memory.split(about, 1)[-1][:2] or "/" in memory
    return about + (":" if has_sign or not verb_position(said) else "")


def _cut(text: str, pattern: "re.Pattern[str]") -> list[str]:
    return [piece for piece in pattern.split(text) if piece and piece.strip()]


def _inside(text: str, kind: str) -> list[Part]:
    """The pieces of one sentence or unit."""
    text, inserted = taken_out(masked(unfolded(text)))
    parts = [*_coordinated(text, kind), *inserted]
    return [Part(unmasked(part.said), part.kind, unmasked(part.head), unmasked(part.whole)) for part in parts]


def _coordinated(text: str, kind: str) -> list[Part]:
    label = label_of(text)
    if not _ENGLISH.search(text) and len(abroad := _cut(text, _ABROAD)) > 1:
        return [Part(piece, "joined" if number else kind) for number, piece in enumerate(abroad)]
    pieces = [part for piece in _cut(text, _JOINED) for part in _cut_and(piece)]
    about = subject(pieces[0])
    parts = []
    for number, piece in enumerate(pieces):
        for place, section in enumerate(_comma_parts(piece, has_label=bool(label), label=label if number == 0 else "")):
            if number == 0 and place == 0:
                parts.append(Part(section, kind))
                continue
            said = INTRODUCTION.sub("", section.strip())
            shared = None if label else gapped(said, pieces[0])
            whole = shared or (None if label else absolute(said))
            if whole:
                parts.append(Part(section, "gapped" if shared else "clause", "", whole))
                continue
            name = (
                "with"
                if re.match(r"(?:including|with|featuring|offering)\b", said, re.I)
                else ("list" if place else "joined")
            )
            parts.append(Part(section, name, _head_for(said, about, pieces[0], label)))
    return parts


def _cut_and(piece: str) -> list[str]:
    """The pieces of a text cut at each "and" that joins two statements rather than two words."""
    cuts = []
    start = 0
    for found in re.finditer(r"\s+(?=and\s)", piece, re.I):
        before = piece[start : found.start()]
        behind = re.split(r",\s", re.sub(r"^and\s+", "", piece[found.end() :]))[0]
        if not _states_something(before) or _WITH_ONE.search(before):
            continue
        if len(words(behind)) >= 2 or stands_alone(behind):
            cuts.append(piece[start : found.start()])
            start = found.end()
    return [*cuts, piece[start:]]


def _states_something(text: str) -> bool:
    """Whether a piece has a verb, a value after a sign, or a conjunction that continues another piece."""
    bare = INTRODUCTION.sub("", text.strip(" ,"))
    first = words(bare)[:1]
    return (
        verb_position(bare) is not None
        or re.search(r"[:=]", bare) is not None
        or bare != text.strip(" ,")
        or (bool(first) and (first[0].text.lower() in VERBS or first[0].text.endswith("ing")))
    )


def _comma_parts(piece: str, *, has_label: bool, label: str = "") -> list[str]:
    """A piece cut at its commas; an opening that only gives a time or a condition stays with the rest."""
    behind = len(label)
    sections = [part for cut in _cut(piece[behind:], _COMMA) for part in _cut(cut, _WITH)] or [piece[behind:]]
    sections[0] = piece[:behind] + sections[0]
    for place in range(len(sections) - 1, 0, -1):
        is_town = _PLACE.match(sections[place]) and _PLACED.search(sections[place - 1])
        if is_town or (_NUMBERED.match(sections[place]) and _IN_NUMBERED.search(sections[place - 1])):
            sections[place - 1 : place + 1] = [f"{sections[place - 1]}, {sections[place]}"]
    if len(sections) > 1 and _OPENING.match(sections[0]):
        sections[:2] = [f"{sections[0]}, {sections[1]}"]
    is_labelled = has_label or re.search(r"[\d:]", sections[0]) is not None
    return [piece] if len(sections) > 1 and verb_position(sections[0]) is None and not is_labelled else sections


def _head_for(said: str, about: str, first: str, label: str) -> str:
    owner = re.match(r"(.+?'s) [\w ]+$", about)
    if owner and re.match(r"[a-z]\w+ (?:is|are|was|were)\b", said) and said.split()[0] not in FUNCTION_WORDS:
        return owner[1]
    if stands_alone(said):
        return ""
    word = re.match(r"[\w'-]+", said)
    if label:
        return f"{label}:"
    if starts_with_verb(said) and about:
        return about
    if about and word and _PARTICIPLE.fullmatch(word[0]):
        auxiliary = re.match(r"(?:is|are|was|were)\b", first[len(about) :].strip())
        return f"{about} {auxiliary[0]}" if auxiliary else about
    if re.match(r"(?:including|with|featuring|offering)\b", said, re.I):
        return f"{about}:" if about else ""
    at = verb_position(first)
    if at is not None:
        verb = _PHRASAL.match(first[at:]) if not _PREPOSITION.match(said) else re.match(r"[\w']+", first[at:])
        return first[: at + (verb.end() if verb else 0)]
    return f"{about}:" if about else ""
