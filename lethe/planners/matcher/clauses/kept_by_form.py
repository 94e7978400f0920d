"""What stays of a memory when a part of it is outdated: not what explains, limits, repeats or remarks on that part."""

import re
from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from lethe.planners.matcher.clauses.part import INTRODUCTION, Part, is_statement, stands_alone
from lethe.planners.matcher.text.compatible_times import compatibility
from lethe.planners.matcher.text.syntax import is_denial, label_of, subject, verb_position
from lethe.planners.matcher.text.times import Times, times
from lethe.planners.matcher.text.words import FUNCTION_WORDS, alike, all_keys, key, keys, words

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


_HOSTS = ("main", "unit", "joined", "list", "clause", "gapped")
"""Kinds of pieces that another piece may be attached to."""


_PREDICATE = re.compile(r"(?:(?:also|now|still) )?(?:is|was|has|had|\w{2,}(?:[^su]s|ed)) ")
"""A verb that continues with the subject before it."""


def kept_parts(
    parts: Sequence[Part],
    target: int,
    scores: Sequence[float],
    asked: str,
    fact: str,
) -> list[Part]:
    """The parts that stay: statements of their own that do not explain, limit or repeat the outdated one."""
    said = {word.key for text in (asked, fact) for word in words(text) if word.is_content}
    outdated = parts[target]
    has_remark = _has_remark(parts, outdated, fact)
    is_full = _makes_statement(outdated, fact)
    kept: list[Part] = []
    hangs = False
    for number, part in enumerate(parts):
        if number == target:
            hangs = True
            continue
        is_other = _is_about_another(part, outdated, said) or _is_of_another_time(part, outdated, times(asked))
        if part.kind == "detail":
            host = max((place for place in range(number) if parts[place].kind in _HOSTS), default=-1)
            goes = host == target or (host >= 0 and parts[host] not in kept)
        elif part.kind == "aside":
            goes = hangs and outdated.kind in ("main", "unit") and not _is_named(part.head, fact)
        elif (part.kind == "relative" and part.head in outdated.said and target) or (
            hangs and (_is_dependent(part) or (number > target + 1 and _is_fragment(part)))
        ):
            goes = True
        elif part.kind == "list":
            goes = (scores[number] > _REPEATS and not is_other) or (
                number > target
                and ((is_full and not is_statement(part)) or (hangs and has_remark and _is_clause(part)))
            )
        else:
            is_opening = number == 0 and bool(outdated.head or outdated.whole)
            repeats = scores[number] >= max(0.8 * scores[target], 0.7) and not (is_other or is_opening)
            goes = repeats and part.kind not in ("clause", "gapped", "leading")
        hangs = hangs and goes
        if not goes:
            kept.append(part)
    return kept


def _is_named(head: str, fact: str) -> bool:
    """Whether the new fact mentions what an aside describes, so that this is not the outdated value."""
    own = keys(head)
    return bool(own) and own <= all_keys(fact)


_REPEATS = 0.3
"""Score from which a value of a list is outdated, too."""


def _makes_statement(outdated: Part, fact: str) -> bool:
    """Whether the outdated part is a clause, or the value of a label that the new fact has as well."""
    label = label_of(outdated.said)
    if label and label_of(fact) == label:
        return True
    return verb_position(outdated.said[len(label) :].lstrip(": ")) is not None


def _has_remark(parts: Sequence[Part], outdated: Part, fact: str) -> bool:
    """Whether a single clause is joined to the memory by no more than a comma, as a remark on what it says."""
    is_turned = is_denial(outdated.said) != is_denial(fact)
    return sum(map(_is_clause, parts)) == 1 and (is_turned or not label_of(parts[0].said))


def _is_clause(part: Part) -> bool:
    """Whether a part joined by a comma is a statement of its own, which does not continue with the memory's subject."""
    said = part.said.strip()
    return part.kind == "list" and not part.head and stands_alone(said) and not _OF_SUBJECT.match(said)


def _is_fragment(part: Part) -> bool:
    plain = INTRODUCTION.sub("", part.said.strip(" ,;"))
    return part.kind in ("joined", "list") and not (stands_alone(plain) or _PREDICATE.match(plain))


def is_restated(part: Part, about: AbstractSet[str], fact: str, *, wholly: bool = True) -> bool:
    """Whether the new fact says all that the part says or, if not `wholly`, one word of it."""
    theirs = _said(fact)
    own = _said(part.said if part.head.endswith((",", ":")) else part.sentence())
    known = Counter(one for one in about if one in theirs)
    own, theirs = own - known, theirs - known
    tells = own.total() > wholly or any(letter.isdigit() for one in own for letter in one)
    return tells and all(
        theirs[one] >= count or (any(alike(one, other) for other in theirs) and one.isalpha())
        for one, count in own.items()
    )


def _said(text: str) -> "Counter[str]":
    """The words of a text that carry meaning, by their stem; numbers, codes and addresses as they stand."""
    tokens = (token.strip(".,;:!?()\"'") for token in re.sub(r"'s\b", " ", text).split())
    return Counter(
        key(token) if token.isalpha() else token.lower()
        for token in tokens
        if token and token.lower() not in FUNCTION_WORDS
    )


def is_overridden(part: Part, fact: str) -> bool:
    """Whether the new fact gives another number for the very thing that the part gives a number for ("5 GB")."""
    label = label_of(part.said)
    about = label or subject(part.said)
    if not label and not all_keys(about) <= all_keys(fact) | FUNCTION_WORDS:
        return False
    value = part.said[len(about) :]
    numbers = set(re.findall(r"\d+(?:[.,:]\d+)*", value))
    own = [word.key for word in words(value) if word.text.isalpha() and word.is_content]
    theirs = all_keys(fact)
    is_other = bool(numbers) and not numbers & set(re.findall(r"\d+(?:[.,:]\d+)*", fact))
    return is_other and bool(own) and all(any(alike(one, other) for other in theirs) for one in own)


def _is_of_another_time(part: Part, target: Part, asked_times: Times) -> bool:
    """Whether the part contradicts the time that the query asks for, and the outdated part does not."""
    return is_statement(part) and compatibility(times(part.said), asked_times) < 0 <= compatibility(
        times(target.said), asked_times
    )


def _is_about_another(part: Part, target: Part, said: AbstractSet[str]) -> bool:
    """Whether the part is a statement on something that neither the outdated part nor the request mentions."""
    own = {word.key for word in words(subject(part.sentence())) if word.is_content}
    theirs = keys(target.sentence()) | said
    return bool(own) and not any(alike(one, other) for one in own for other in theirs)


_EVENT = re.compile(
    r"^(?!.*\b(?:is|are|was|were|be|been|being|has|have|had)\b)(?:[\w&'-]+ ){1,4}?"
    r"(?:\w+ed|fell|broke|left|quit|died|came|went|froze|burst|rang|stood|gave)"
    r"(?: (?:out|down|up|off|away|over|in|back|through|early|late|again|today|yesterday))?$"
)
"""A clause that merely says that something happened ("the sponsor pulled out"): why something else has changed."""
_OF_SUBJECT = re.compile(r"(?:he|she|his|her|hers|its|I|my|you|your|user(?:'s)?)\b|[^:]{2,40}: ", re.IGNORECASE)


def _is_dependent(part: Part) -> bool:
    """Whether the part is a reason, a consequence, a limit or a remark that falls with the statement it belongs to."""
    plain = INTRODUCTION.sub("", part.said.strip(" ,;"))
    if part.kind in ("main", "relative", "leading", "apposed"):
        return False
    if _EVENT.match(plain.rstrip(".")):
        return True
    if part.kind == "list":
        refers = re.search(r"\b(?:it|them)\b", plain) is not None and not stands_alone(plain)
        return (
            refers
            or bool(_DEPENDENT.match(plain) and not re.match(r"\w+ also\b", plain))
            or bool(re.search(r"\bincluded$|\bonly$", plain.rstrip(".")))
        )
    if re.match(
        r"(?:so|because|as (?!well)|since (?!then)|thanks to|due to|on account of|until|if|though|hence|thus)\b",
        plain,
        re.I,
    ):
        return True
    if re.search(r"\b(?:did|does|made|makes|caused|does|do) (?:it|that|this|so)\b", plain, re.I):
        return True
    imperative = re.match(
        r"(?:leave|put|crop|ask|use|do|don't|label|see|tell|keep|send|give|bring|call|ring)\b",
        plain,
        re.I,
    )
    refers = part.kind != "unit" or re.search(r"\b(?:it|them|that|there|this)\b", plain, re.I) is not None
    return imperative is not None and refers
