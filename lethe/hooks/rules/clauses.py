"""Which part of a row a superseding fact is about, and the sentence that the rest makes (paper, `compound_fact`).

A row is cut where English syntax joins two statements: sentences, semicolons, slashes, brackets, relative clauses,
appositions, leading participles, coordinations and lists. The part that shares most with query and new fact goes. What
stays is what says something of its own; reasons, consequences and remarks on the part that goes leave with it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lethe.hooks.rules.syntax import VERBS, is_denial, subject, verb_position
from lethe.hooks.rules.words import FUNCTION_WORDS, alike, clean, words

_DEPENDENT = re.compile(
    r"^(?:because|as (?!well|of|from)|since (?!then)(?!\w+day)|so\b(?! is| does)|thus|hence|"
    r"therefore|thanks to|due to|owing to|on account of|"
    r"for the (?:reason|sake)|being|until|unless|if|lest|though|although|even though|except|which is why|that is|i\.e|"
    r"meaning|just|too|as well|per\b|says\b|according to|at (?:most|least)|rather than|instead of|"
    r"nothing|never|not\b|no\b|"
    r"(?:it|he|she|they|this|that|we|everyone|everybody)\b|ask\b|put\b|label\b|crop\b|use\b|do not\b|"
    r"don't\b|please (?!note)|see\b|"
    r"valid\b|effective\b|starting\b|from\b|in force|hence)",
    re.IGNORECASE,
)
_INTRODUCTION = re.compile(
    r"^(?:and|but|while|whereas|plus|as well as|along with|together with|by the way,?|nb:?|n\.b\.:?|"
    r"note:?|also|in addition,?|"
    r"besides,?|and also|and please note|please note(?: that)?|incidentally,?|furthermore,?|"
    r"moreover,?|ps:?|p\.s\.:?|though|yet|"
    r"meanwhile,?|separately,?|additionally,?|on top of that,?)\s+",
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
            r",?\s+(?=by the way)",
            re.I,
        ),
    ),
    ("and", re.compile(r"\s+(?=(?:and|&)\s)", re.I)),
)
_BRACKET = re.compile(r"\s*\(([^()]{4,})\)")
_RELATIVE = re.compile(r",\s+(who|which|whose|whom|where)\s+([^,;]+(?:,\s+\d[^,;]*)?)(,|(?=[.;]?$)|(?=;))", re.I)
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
    r"\b(Mr|Mrs|Ms|Dr|Prof|St|Nos?|vs|Jr|Sr|approx|dept|ext|tel|Mt|Ave|Rd|Capt|Sgt|Rev|Hon|Inc|Ltd|"
    r"Co|e\.g|i\.e|a\.m|p\.m|dep|arr|min|max)\.(?=\s)",
    re.I,
)
_STOP = "\ue000"
_ADVERBIAL = re.compile(
    r"^(?:every|each|at|in|by|for|after|before|from|until|per|most|once|twice|please|says|as|like|"
    r"however|too|so|if|when|during|since|now|then|again|again and again|of course)\b",
    re.I,
)
_COMMA = re.compile(r",\s+(?=\S)")


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a row.

    Attributes:
        said: its words alone.
        kind: how it hangs on the rest: main, unit, joined, and, bracket, relative, apposed, leading, with, list.
        head: the words before it that it needs to be a sentence: its subject, or subject and verb.
    """

    said: str
    kind: str
    head: str = ""

    def sentence(self) -> str:
        """The piece as a sentence of its own."""
        said = _INTRODUCTION.sub("", self.said.strip(" ,;")).strip(" ,;")
        said = _INTRODUCTION.sub("", said)
        text = (f"{self.head} {said}" if self.head else said).replace(" not only ", " ")
        text = text.strip().rstrip(",;:")
        if not text:
            return ""
        text = text[0].upper() + text[1:]
        return text if text[-1] in ".!?\"'" and text[-1] in ".!?" else text + "."


def split(row: str) -> list[Part]:
    """The pieces of a row, in order, as statements about it; one `main` piece where it is not compound."""
    text = _ABBREVIATION.sub(rf"\1{_STOP}", row.strip())
    parts: list[Part] = []
    pieces = [piece.replace(_STOP, ".") for piece in _cut(text, _CUTS[0][1])]
    first_subject = ""
    for number, piece in enumerate(pieces):
        kind = "main" if number == 0 else "unit"
        inner = _inside(piece, kind)
        if number == 0:
            first_subject = subject(piece)
        elif inner and not _stands_alone(inner[0].said) and first_subject and inner[0].kind == "unit":
            colon = ":" in row.split(first_subject, 1)[-1][:2]
            slash = "/" in row
            inner[0] = Part(
                inner[0].said,
                "unit",
                first_subject + (":" if colon or slash or not verb_position(inner[0].said) else ""),
            )
        parts += inner
    return parts


def _cut(text: str, pattern: "re.Pattern[str]") -> list[str]:
    return [piece for piece in pattern.split(text) if piece and piece.strip()]


def _stands_alone(text: str) -> bool:
    plain = _INTRODUCTION.sub("", text.strip())
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
        alone = _stands_alone(bracket[1])
        extra.append(Part(bracket[1], "bracket", "" if alone else f"{about}:"))
    text = _BRACKET.sub("", text)
    while relative := _RELATIVE.search(text):
        about = _INTRODUCTION.sub("", re.split(r"[,;:]\s", text[: relative.start()])[-1])
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
    return [*_coordinated(text, kind), *extra]


def _has_verb_after(text: str) -> bool:
    first = re.match(r"[\w'-]+", text)
    return first is not None and (first[0].lower() in VERBS or bool(re.fullmatch(r"[a-z]+s", first[0])))


def _last_noun(text: str) -> str:
    name = re.search(r"(?:[A-Z][\w'-]+\s?)+$", text)
    if name:
        return name[0]
    found = re.findall(r"(?:(?:the|our|a|an|his|her|their|my)\s)?(?:[\w'-]+\s)?[\w'-]+$", text, re.I)
    return found[0] if found else text


def _coordinated(text: str, kind: str) -> list[Part]:
    colon = re.match(r"^([^:;,]{2,60}):\s+(?=\S)", text)
    label = colon[1] if colon else ""
    pieces = [text]
    for name, pattern in _CUTS[1:]:
        pieces = [part for piece in pieces for part in (_cut(piece, pattern) if name != "and" else _cut_and(piece))]
    about = subject(pieces[0])
    parts = []
    for number, piece in enumerate(pieces):
        for place, section in enumerate(_comma_parts(piece, has_label=bool(label))):
            if number == 0 and place == 0:
                parts.append(Part(section, kind))
                continue
            plain = _INTRODUCTION.sub("", section.strip())
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
        behind = re.sub(r"^(?:and|&)\s+", "", piece[found.end() :])
        if len(words(behind)) >= 2 or _stands_alone(behind):
            cuts.append(piece[start : found.start()])
            start = found.end()
    return [*cuts, piece[start:]]


def _comma_parts(piece: str, *, has_label: bool) -> list[str]:
    sections = [part for cut in _cut(piece, _COMMA) for part in _cut(cut, _WITH)]
    is_labelled = has_label or re.search(r"[\d:]", sections[0]) is not None
    return [piece] if len(sections) > 1 and verb_position(sections[0]) is None and not is_labelled else sections


def _head_for(plain: str, about: str, first: str, label: str) -> str:
    owner = re.match(r"(.+?'s) [\w ]+$", about)
    if owner and re.match(r"[a-z]\w+ (?:is|are|was|were)\b", plain) and plain.split()[0] not in FUNCTION_WORDS:
        return owner[1]
    if _stands_alone(plain):
        return ""
    word = re.match(r"[\w'-]+", plain)
    starts_with_verb = word is not None and (
        word[0].lower() in VERBS or re.fullmatch(r"[a-z]{3,}(?:[^s]s)", word[0]) is not None
    )
    if label:
        return f"{label}:"
    if starts_with_verb and about:
        return about
    if about and word and re.fullmatch(r"\w+(?:ed|en)", word[0]):
        auxiliary = re.match(r"(?:is|are|was|were)\b", first[len(about) :].strip())
        return f"{about} {auxiliary[0]}" if auxiliary else about
    if re.match(r"(?:including|with|featuring|offering)\b", plain, re.I):
        return f"{about}:" if about else ""
    at = verb_position(first)
    if at is not None:
        verb = re.match(r"[\w']+", first[at:])
        return first[: at + (verb.end() if verb else 0)]
    return f"{about}:" if about else ""


@dataclass(frozen=True, slots=True)
class Merge:
    """A row's new text, with what went and what stayed, for the reason."""

    text: str
    gone: str
    kept: str


def merge(memory: str, query: str, new_fact: str) -> Merge | str:
    """The row with its outdated part replaced by `new_fact`; a text that says why, where the whole row is outdated."""
    parts = split(clean(memory))
    if len(parts) < 2:
        return "the row makes one statement"
    said = {word.key for text in (query, new_fact) for word in words(clean(text)) if word.is_content}
    about = {word.key for word in words(subject(parts[0].said)) if word.is_content}
    scores = _scores(parts, about, clean(query), clean(new_fact))
    options = [number for number, part in enumerate(parts) if scores[number] > 0 and not _is_label(part, about)]
    if not options:
        return "no part shares more with the request than another"
    target = max(options, key=lambda number: (scores[number], parts[number].kind == "main", -number))
    if not _knows_subject(about, said) and parts[target].kind == "main":
        return "what the row is about is itself outdated"
    if is_denial(parts[target].said) != is_denial(new_fact):
        return "the new fact takes back what the row says or denies, and the rest with it"
    kept = _kept(parts, target, scores, said)
    if not kept:
        return "the rest only explains the part that is outdated"
    sentences = [sentence for part in kept if (sentence := part.sentence())]
    opening = new_fact.strip()
    opening = opening if opening[-1:] in ".!?" else opening + "."
    return Merge(
        " ".join([opening, *sentences]), parts[target].said.strip(), " ".join(part.said.strip() for part in kept)
    )


def without(row: str, asked: Sequence[str]) -> str | None:
    """What a row of several "ATTRIBUTE is VALUE" statements says without the one whose attribute is `asked`, as keys.

    None where the row is not of this form, or not exactly one statement has the attribute.
    """
    parts = split(clean(row))
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


def _attribute(part: Part) -> set[str]:
    """The keys of what a statement gives the value of: the words before "is" or a colon."""
    found = re.match(r"(.{2,40}?)(?: is | are |: )", part.sentence())
    return {word.key for word in words(found[1]) if word.is_content} if found else set()


def _is_label(part: Part, about: set[str]) -> bool:
    """Is the part nothing but what the row is about?"""
    return {word.key for word in words(part.said) if word.is_content} <= about


def _knows_subject(about: set[str], said: set[str]) -> bool:
    return not about or any(alike(one, other) for one in about for other in said)


def _scores(parts: Sequence[Part], about: set[str], asked: str, fact: str) -> list[float]:
    """How much each part shares with query and new fact, by words other than those that say what the row is about."""
    wanted = [
        ({word.key for word in words(text) if word.is_content}, weight) for text, weight in ((asked, 1.0), (fact, 0.7))
    ]
    scores = []
    for part in parts:
        own = {word.key for word in words(part.said) if word.is_content}
        score = 0.0
        for said, weight in wanted:
            for word in said:
                if any(alike(word, other) for other in own):
                    score += weight * (0.1 if word in about else 1.0)
        if score and re.search(r"\d", fact) and re.search(r"\d", part.said):
            score += 0.2
        scores.append(score)
    return scores


def _kept(parts: Sequence[Part], target: int, scores: Sequence[float], said: set[str]) -> list[Part]:
    """The parts that stay: statements of their own, not those that explain, limit or repeat the outdated one."""
    best = scores[target]
    has_verb = verb_position(parts[target].said) is not None and not re.match(r"[^:;,]{2,60}: ", parts[0].said)
    own = {word.key for word in words(parts[target].said) if word.is_content}
    is_empty = all(any(alike(word, other) for other in said) for word in own)
    kept: list[Part] = []
    went_with = False
    for number, part in enumerate(parts):
        if number == target:
            went_with = False
            continue
        plain = _INTRODUCTION.sub("", part.said.strip(" ,;"))
        goes = _is_dependent(part, plain) or (
            went_with and part.kind in ("joined", "list") and not _stands_alone(plain)
        )
        if part.kind == "list":
            same_sentence = target < number
            goes = (
                goes
                or scores[number] > 0.3
                or (same_sentence and has_verb)
                or (same_sentence and is_empty and number == target + 1)
            )
            goes = goes or len(words(plain)) < 2
        elif part.kind != "main" or scores[number] > 0.3:
            goes = goes or (scores[number] >= 0.6 * best and scores[number] > 0.6)
        went_with = goes
        if not goes:
            kept.append(part)
    return kept


def _is_dependent(part: Part, plain: str) -> bool:
    """Does the part give a reason, a consequence, a limit or a remark that falls with the statement it hangs on?"""
    if part.kind in ("main", "relative", "leading", "apposed"):
        return False
    if part.kind == "list":
        return bool(_DEPENDENT.match(plain)) or bool(re.search(r"\bincluded$|\bonly$", plain.rstrip(".")))
    if re.match(
        r"(?:so|because|as (?!well)|since (?!then)|thanks to|due to|on account of|until|if|though|hence|thus)\b",
        plain,
        re.I,
    ):
        return True
    if re.search(r"\b(?:did|does|made|makes|caused|does|do) (?:it|that|this|so)\b", plain, re.I):
        return True
    imperative = re.match(
        r"(?:leave|put|crop|ask|use|do|don't|label|see|tell|keep|send|give|bring|call|ring)\b", plain, re.I
    )
    return bool(imperative) and part.kind != "main"
