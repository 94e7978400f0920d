"""The statements that a row makes, each as a sentence of its own.

A row is cut where English syntax joins two statements: sentences, semicolons, slashes, brackets, relative clauses,
appositions, leading participles, coordinations and lists.
"""

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from lethe.hooks.rules.syntax import VERBS, label_of, starts_with_verb, subject, verb_position
from lethe.hooks.rules.words import FUNCTION_WORDS, words

INTRODUCTION = re.compile(
    r"^(?:and|but|while|whereas|plus|as well as|along with|together with|by the way,?|nb:?|n\.b\.:?|"
    r"note:?|also|in addition,?|"
    r"besides,?|and also|and please note|please note(?: that)?|incidentally,?|furthermore,?|"
    r"moreover,?|ps:?|p\.s\.:?|though|yet|"
    r"that|meanwhile,?|separately,?|additionally,?|on top of that,?)\s+",
    re.IGNORECASE,
)
_CUTS: tuple[tuple[str, "re.Pattern[str]"], ...] = (
    (
        "unit",
        re.compile(
            r"(?<=[^\W\d_][^\W\d_])[.!?]\s+(?=[\W]?[^\W\d_a-z])|(?<=[\d)%])\.\s+(?=[A-Z])|\s*;\s+|\s+/\s+|"
            r"\s+\|\s+|\s+-\s+(?=\w)|\s+•\s+"
        ),
    ),
    (
        "joined",
        re.compile(
            r",?\s+(?=(?:and also|and please note|as well as|along with|together with|whereas|but|plus|"
            r"while (?:his|her|their|its|my|our))\s)|,\s+(?=while\s)|,\s+(?=(?:and|though|yet)\s)|"
            r",?\s+(?=by the way)|"
            r"\s+(?=(?:though|although) (?:the|an?) |"
            r"(?:though|although|while) (?:(?:his|her|their|its|my|our) |(?-i:[A-Z])))",
            re.I,
        ),
    ),
    ("and", re.compile(r"\s+(?=(?:and|&)\s)", re.I)),
)
_BRACKET = re.compile(r"\s*\(([^()]{4,})\)")
_RELATIVE = re.compile(r",\s+(who|which|whose|whom|where)\s+([^,;]+(?:,\s+\d[^,;]*)?)(,|(?=[.;]?$)|(?=;))", re.I)
_DESCRIBED = re.compile(
    r"(?P<noun>(?P<who>[^,;:]{2,40}?) (?:is|was|are|were) (?:an?|the|our|my|their|his|her) (?:[\w'-]+ ){0,3}?[\w'-]+) "
    r"(?:who (?P<relative>[^,;]+?)|with (?P<with>(?:an?|no|one|two|three|four|several|many|\d+) [^,;]+?)"
    r"|(?P<participle>(?:\w{2,}ing (?:in|at|for|on|as|to|with)|based|born) [^,;]+?))(?=[.,;]| and |$)"
)
"""A description and what it says besides: "is a nurse who lives in Lima", "living in Lima", "with three sons"."""
_APPOSED = re.compile(
    r"^([^,;:]+?),\s+((?!(?:and|or|but|so|which|who|while|whereas|as|because|since|that)\b)[^,;:]+),\s+(?=\S)"
)
_LEADING = re.compile(
    r"^((?:\w+ing|\w+ed|known|born|paid|held|built|made|kept|apart from|besides|in addition to|"
    r"aside from|along with)\s[^,;:]+),\s+(?=\S)",
    re.I,
)
_WITH = re.compile(r",\s+(?=(?:including|with|plus|featuring|and has|offering)\s)", re.I)
_ABBREVIATION = re.compile(
    r"^(?-i:([A-Z]\w{0,2})\.(?=\s[A-Z]))|\b(Mr|Mrs|Ms|Dr|Prof|St|Nos?|vs|Jr|Sr|approx|dept|ext|tel|Mt|Ave|Rd|Capt|Sgt|Rev|Hon|"
    r"Inc|Ltd|Co|e\.g|i\.e|a\.m|p\.m|dep|arr|min|max)\.(?=\s)",
    re.I,
)
_STOP = "\ue000"
_ADVERBIAL = re.compile(
    r"^(?:every|each|at|in|by|for|after|before|from|until|per|most|once|twice|please|says|as|like|"
    r"however|too|so|if|when|during|since|now|then|again|again and again|of course)\b",
    re.I,
)
_PARTICIPLE = re.compile(
    r"\w+ed|(?:giv|tak|writt|spok|driv|eat|chos|brok|stol|froz|hidd|ridd|shak|wok|beat|forgott|gott)en"
)
_COMMA = re.compile(r",\s+(?=\S)")
_OPENING = re.compile(
    r"^(?:(?:oh|hi|hello|well|and|but|so|also|please|by the way|just so you know),?\s+)?"
    r"(?:as of|since|if|when(?:ever)?|once|after|before|until|till|from|on|in|at|during|for|by|every|each|this|next|"
    r"last|starting|effective|with effect from|oh|hi|well|hello|fyi)\b[^,:]*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a row.

    Attributes:
        said: its words alone.
        kind: how it hangs on the rest: main, unit, joined, and, bracket, detail, relative, apposed, leading, with,
            list; header for the words that only name what the other pieces are about.
        head: the words before it that it needs to be a sentence: its subject, or subject and verb.
    """

    said: str
    kind: str
    head: str = ""

    def sentence(self) -> str:
        """The piece as a sentence of its own."""
        said = INTRODUCTION.sub("", self.said.strip(" ,;")).strip(" ,;")
        said = INTRODUCTION.sub("", said)
        if self.kind == "leading" and self.head.endswith(" is"):
            said = said[:1].lower() + said[1:]
        text = (f"{self.head} {said}" if self.head else said).replace(" not only ", " ")
        text = text.strip().rstrip(",;:")
        if not text:
            return ""
        text = text[0].upper() + text[1:]
        return text if text[-1] in ".!?\"'" and text[-1] in ".!?" else text + "."


@functools.lru_cache(maxsize=4096)
def split(row: str) -> tuple[Part, ...]:
    """The pieces of a row, in order, as statements about it; one `main` piece where it is not compound."""
    text = _ABBREVIATION.sub(lambda found: (found[1] or found[2]) + _STOP, row.strip())
    parts: list[Part] = []
    pieces = [piece.replace(_STOP, ".") for piece in _cut(text, _CUTS[0][1])]
    header = _header(pieces, row)
    if header:
        return (Part(header, "header"), *(Part(piece, "list", f"{header},") for piece in pieces[1:]))
    first_subject = ""
    for number, piece in enumerate(pieces):
        kind = "main" if number == 0 else "unit"
        inner = _inside(piece, kind)
        if number == 0:
            first_subject = subject(piece)
        elif inner and not stands_alone(inner[0].said) and first_subject and inner[0].kind == "unit":
            colon = ":" in row.split(first_subject, 1)[-1][:2]
            slash = "/" in row
            inner[0] = Part(
                inner[0].said,
                "unit",
                first_subject + (":" if colon or slash or not verb_position(inner[0].said) else ""),
            )
        parts += inner
    return tuple(parts)


def _header(pieces: Sequence[str], row: str) -> str:
    """The first field of a row of fields, where it only names what the others are about ("Bike 12 | brakes: discs")."""
    if len(pieces) < 2 or not re.search(r"\s[|/•]\s", row):
        return ""
    first = pieces[0].strip()
    return "" if re.search(r"[:=]\s", first) or verb_position(first) is not None else first


def _cut(text: str, pattern: "re.Pattern[str]") -> list[str]:
    return [piece for piece in pattern.split(text) if piece and piece.strip()]


def stands_alone(text: str) -> bool:
    plain = INTRODUCTION.sub("", text.strip())
    at = verb_position(plain)
    return (
        (at is not None and at > 0)
        or bool(re.match(r"(?:I|we|you|he|she|they|it)\b", plain, re.I))
        or bool(re.match(r"[^:]{2,40}: ", plain))
    )


def _inside(text: str, kind: str) -> list[Part]:
    """The pieces of one sentence or unit."""
    extra: list[Part] = []
    for bracket in _BRACKET.finditer(text):
        about = subject(_BRACKET.sub("", text)) or text[: bracket.start()].strip()
        alone = stands_alone(bracket[1])
        is_detail = not alone and not re.search(r"[:=]", bracket[1]) and not text[bracket.end() :].strip(" .;!")
        extra.append(Part(bracket[1], "detail" if is_detail else "bracket", "" if alone else f"{about}:"))
    text = _BRACKET.sub("", text)
    while relative := _RELATIVE.search(text):
        about = INTRODUCTION.sub("", re.split(r"[,;:]\s", text[: relative.start()])[-1])
        pronoun = relative[1].lower()
        if pronoun in ("who", "which"):
            if verb_position(about):
                about = _last_noun(about)
            extra.append(Part(relative[2], "relative", about))
        elif pronoun == "whose":
            extra.append(Part(relative[2], "relative", f"{about}'s"))
        else:
            extra.append(Part(relative[2], "relative", f"{about}:"))
        text = text[: relative.start()] + (" " if relative[3] else "") + text[relative.end() :].lstrip()
    leading = _LEADING.match(text)
    if leading and len(text) - leading.end() > 6:
        rest = text[leading.end() :]
        about = subject(rest)
        opening = leading[1]
        also = re.match(r"(?:apart from|besides|in addition to|aside from|along with)\s+(.+)", opening, re.I)
        at = verb_position(rest)
        if also and at:
            verb_end = re.match(r"\w+(?:\s(?:after|for|to|at|in|on|up|out|over))?", rest[at:])
            head = rest[:at] + (verb_end[0] if verb_end else "")
            head = f"{about} is" if re.match(r"\w+ing\b", also[1]) else head
            extra.append(Part(also[1], "leading", head))
        else:
            extra.append(
                Part(
                    opening,
                    "leading",
                    f"{about} is"
                    if about and re.match(r"\w+(?:ing|ed)\b|known|born|paid|held|built|made|kept", opening, re.I)
                    else about,
                )
            )
        text = rest[:1].upper() + rest[1:]
    apposed = _APPOSED.match(text)
    if (
        apposed
        and verb_position(apposed[1]) is None
        and not _ADVERBIAL.match(apposed[2])
        and _has_verb_after(text[apposed.end() :])
    ):
        extra.append(Part(apposed[2], "apposed", f"{apposed[1]} is"))
        text = f"{apposed[1]} {text[apposed.end() :]}"
    described = _DESCRIBED.match(text)
    if described:
        head = f"{described['who']} has" if described["with"] else described["who"]
        head = f"{described['who']} is" if described["participle"] else head
        said = described["with"] or described["participle"] or described["relative"]
        extra.append(Part(said, "relative", head))
        text = text[: described.end("noun")] + text[described.end() :]
    return [*_coordinated(text, kind), *extra]


def _has_verb_after(text: str) -> bool:
    first = re.match(r"(?:(?:now|also|currently|still|usually|always) )?([\w'-]+)", text)
    return first is not None and (first[1].lower() in VERBS or bool(re.fullmatch(r"[a-z]+s", first[1])))


def _last_noun(text: str) -> str:
    name = re.search(r"(?:[A-Z][\w'-]+\s?)+$", text)
    if name:
        return name[0]
    found = re.findall(r"(?:(?:the|our|a|an|his|her|their|my)\s)?(?:[\w'-]+\s)?[\w'-]+$", text, re.I)
    return found[0] if found else text


def _coordinated(text: str, kind: str) -> list[Part]:
    label = label_of(text)
    pieces = [text]
    for name, pattern in _CUTS[1:]:
        pieces = [part for piece in pieces for part in (_cut(piece, pattern) if name != "and" else _cut_and(piece))]
    about = subject(pieces[0])
    parts = []
    for number, piece in enumerate(pieces):
        for place, section in enumerate(_comma_parts(piece, has_label=bool(label), label=label if number == 0 else "")):
            if number == 0 and place == 0:
                parts.append(Part(section, kind))
                continue
            plain = INTRODUCTION.sub("", section.strip())
            name = (
                "with"
                if re.match(r"(?:including|with|featuring|offering)\b", plain, re.I)
                else ("list" if place else "joined")
            )
            parts.append(Part(section, name, _head_for(plain, about, pieces[0], label)))
    return parts


def _cut_and(piece: str) -> list[str]:
    """Cut at "and" where it joins two statements rather than two words: words of its own stand behind it."""
    cuts = []
    start = 0
    for found in re.finditer(r"\s+(?=(?:and|&)\s)", piece, re.I):
        before = piece[start : found.start()]
        behind = re.sub(r"^(?:and|&)\s+", "", piece[found.end() :])
        if not _states_something(before):
            continue
        if len(words(behind)) >= 2 or stands_alone(behind):
            cuts.append(piece[start : found.start()])
            start = found.end()
    return [*cuts, piece[start:]]


def _states_something(text: str) -> bool:
    """Has a piece a verb, a value behind a sign, or a conjunction that says it goes on from another?"""
    plain = INTRODUCTION.sub("", text.strip(" ,"))
    first = words(plain)[:1]
    return (
        verb_position(plain) is not None
        or re.search(r"[:=]", plain) is not None
        or plain != text.strip(" ,")
        or (bool(first) and (first[0].text.lower() in VERBS or first[0].text.endswith("ing")))
    )


def _comma_parts(piece: str, *, has_label: bool, label: str = "") -> list[str]:
    """A piece cut at its commas; an opening that only says when, or on which condition, stays with the rest."""
    behind = len(label)
    sections = [part for cut in _cut(piece[behind:], _COMMA) for part in _cut(cut, _WITH)]
    sections[0] = piece[:behind] + sections[0]
    if len(sections) > 1 and _OPENING.match(sections[0]):
        sections[:2] = [f"{sections[0]}, {sections[1]}"]
    is_labelled = has_label or re.search(r"[\d:]", sections[0]) is not None
    return [piece] if len(sections) > 1 and verb_position(sections[0]) is None and not is_labelled else sections


def _head_for(plain: str, about: str, first: str, label: str) -> str:
    owner = re.match(r"(.+?'s) [\w ]+$", about)
    if owner and re.match(r"[a-z]\w+ (?:is|are|was|were)\b", plain) and plain.split()[0] not in FUNCTION_WORDS:
        return owner[1]
    if stands_alone(plain):
        return ""
    word = re.match(r"[\w'-]+", plain)
    if label:
        return f"{label}:"
    if starts_with_verb(plain) and about:
        return about
    if about and word and _PARTICIPLE.fullmatch(word[0]):
        auxiliary = re.match(r"(?:is|are|was|were)\b", first[len(about) :].strip())
        return f"{about} {auxiliary[0]}" if auxiliary else about
    if re.match(r"(?:including|with|featuring|offering)\b", plain, re.I):
        return f"{about}:" if about else ""
    at = verb_position(first)
    if at is not None:
        verb = re.match(r"[\w']+", first[at:])
        return first[: at + (verb.end() if verb else 0)]
    return f"{about}:" if about else ""
