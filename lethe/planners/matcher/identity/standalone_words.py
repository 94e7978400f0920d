"""Words and names that stand by themselves in a memory, apart from longer ones that hold them ("mail" and "mail2")."""

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lethe.planners.matcher.identity.values import QUANTITY
from lethe.planners.matcher.names.written_names import CALENDAR, Name
from lethe.planners.matcher.scope.requests import Request, is_asking
from lethe.planners.matcher.text.lists import listed
from lethe.planners.matcher.text.scripts import script
from lethe.planners.matcher.text.syntax import VERBS
from lethe.planners.matcher.text.words import (
    FUNCTION_WORDS,
    Word,
    alike,
    all_keys,
    fold,
    key,
    without_possessive,
    words,
)

_KINDS = frozenset(
    key(word)
    for word in listed(
        """project team operation server host system app application service product model network branch table database
    campaign group boat ship room file folder plan program programme course hotel tool brand label channel repo
    repository queue cluster workspace site station venture initiative song book film movie album game play poem novel
    series show band podcast newsletter recipe pub"""
    )
)
"""Kinds of things, not persons, that are written before a name and may be left out."""
_ACCOUNTS = frozenset(map(key, listed("user account handle login customer client member player")))
"""Words before what somebody is called in a system, which may be left out, too."""
_COUNTED = rf" (?!(?:{'|'.join(sorted(VERBS))})\b)[a-z]{{3,}}s\b"
"""Pattern of a plural after the number that counts it."""
_PLACES = frozenset(
    map(
        key,
        listed(
            """street road lane avenue square court close drive way alley hill mount mountain peak lake river bay beach
            island isle cape valley forest park garden bridge gate tower castle church chapel hall house lodge cottage
            farm mill hotel inn school college library museum station port"""
        ),
    )
)
"""Words that make another place's name of a place's name."""
_NUMERAL = re.compile(r"[IVX]+|\d{1,2}")


def whole_word(request: Request, memories: Sequence[str]) -> dict[int, str]:
    """For "project ion" or 'the server called "mail"': the memories with the word standing by itself.

    Only where memories also have an "ionosphere" or "mail2".
    """
    if re.fullmatch(r"[A-Z][a-z]+", request.topic) and request.topic.lower() in FUNCTION_WORDS | CALENDAR:
        return _first_name(request.topic, memories)
    named = _word_asked(request)
    if named is None:
        return {}
    own, kinds, is_quoted = named
    is_name = own[:1].isupper()
    if (is_name and not kinds and not is_quoted) or script(own) != "latin":
        return {}
    is_marked = re.search(rf"[\"']{re.escape(own)}[\"']", request.topic) is not None
    alone, longer = _standing(own, memories, is_thing=is_marked or bool(kinds & _KINDS))
    rest = [memory for position, memory in enumerate(memories) if position not in alone]
    if not alone or not (longer or any(_has_longer(memory, own) for memory in rest)):
        return {}
    described = {position for position in alone if kinds & all_keys(memories[position])}
    if own.islower() and all(memories[position].startswith(own) for position in alone - described):
        described = alone
    if described and described != alone and not kinds & (_KINDS | _ACCOUNTS):
        return {}
    if not is_name and not is_quoted and any(_is_common(memories[position], own, kinds) for position in alone):
        return {}
    return dict.fromkeys(sorted(alone), f"has {own} by itself")


def _first_name(own: str, memories: Sequence[str]) -> dict[int, str]:
    """The memories where "May" or "Will" is somebody, not a month or a verb."""
    use = re.compile(
        rf"(?<!\w)(?<!\d[ .-])(?<!\d(?:st|nd|rd|th) ){own}(?!\w|[ ,-]+\d)"
        r"(?! (?:I|you|he|she|it|we|they|the|that|this)\b)"
    )
    since = re.compile(
        r"\b(?:in|of|on|since|until|till|by|last|next|this|early|late|mid|from|to|every|before|after|during)[ -]$", re.I
    )
    return {
        position: f"names {own}"
        for position, memory in enumerate(memories)
        if any(not since.search(memory[: one.start()]) for one in use.finditer(memory))
    }


def standalone_evidence(query: str, memories: Sequence[str]) -> dict[int, float]:
    """The memories where a word of a query stands by itself that others only have as a part of something longer.

    2 where it continues there with a sign or another name ("mail-out"), 1 where it lies in a word ("ham" in "Graham").
    """
    found: dict[int, float] = {}
    said = words(query)
    affirmed = words(re.sub(r"\b(?:not|without|except|excluding) (?:for )?(?:the )?\w+", " ", query))
    within = {word for pair in itertools.pairwise(said) for word in pair if _is_one_name(query, *pair)}
    own = {
        without_possessive(word.text) for word in said if word not in within and word.is_content and len(word.text) > 2
    }
    own |= {found[0] for found in re.finditer(r"(?<![\w.-])[^\W\d_]\w*(?:[-_]\w+)+(?![\w-])", query)}
    for word in sorted(own):
        alone, longer = _standing(word, memories, is_thing=True)
        rest = [memory for position, memory in enumerate(memories) if position not in alone]
        if any(_goes_on_with(memories[position], word, affirmed) for position in longer):
            continue
        if alone and (longer or any(_has_longer(memory, word) for memory in rest)):
            for position in alone:
                found[position] = max(found.get(position, 0.0), 2.0 if longer else 1.0)
    return found


def _goes_on_with(memory: str, own: str, said: Sequence[Word]) -> bool:
    """Whether a word continues in a memory with another word of the query.

    So it does in "Heron Pumps" for "how many pumps Heron sold".
    """
    behind = re.search(rf"(?<![^\W_]){re.escape(own)} ([^\W_]+)", memory, re.IGNORECASE)
    return behind is not None and any(key(behind[1]) == word.key for word in said if word.is_content)


def _is_one_name(text: str, one: Word, other: Word) -> bool:
    """Whether two words of a text make one name or code ("Heron II", "mail-out")."""
    between = text[one.end : other.start]
    return between in "-_./" or (between == " " and one.is_capital and (other.is_capital or other.text.isdigit()))


def without_numbered(names: Sequence[Name], memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """The memories found, without those where a name of the request only continues with a number or as a place name.

    "Polaris II" and "Stratford-upon-Avon" are such; all are kept where the name never stands alone.
    """
    for name in names:
        if name.script != "latin" or not name.words[-1][:1].isupper():
            continue
        use = re.compile(rf"(?<![^\W_]){'[ -]'.join(map(re.escape, name.words))}")
        uses = {
            position: [
                behind[1]
                for one in use.finditer(memories[position])
                if (behind := _GOES_ON.match(memories[position], one.end())) is not None
            ]
            for position in found
        }
        numbered = {position for position, every in uses.items() if every and "" not in every}
        if numbered and any("" in every for every in uses.values()):
            found = {position: why for position, why in found.items() if position not in numbered}
    return found


_GOES_ON = re.compile(
    rf"([ -](?:[IVX]{{2,}}|\d{{1,2}}(?!{_COUNTED}|{QUANTITY}))(?!\w|[:.,]\d|%)|-[a-z]+-[A-Z]\w+|)(?!\w)"
)


def without_run_on(topic: str, memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """The memories found, without those where what the request says only continues within a word or is part of a name.

    "Port of Bar" continues in "Port of Barcelona"; a part of a double name is "Lena" for "Anna-Lena", "Ivy" for "Ivy
    Lane". All are kept where it never stands by itself.
    """
    own = re.sub(r"^(?:the|our|my) ", "", topic.strip(" .,!?\"'"), flags=re.IGNORECASE)
    if len(own) < 3 or not any(own.lower() in memories[position].lower() for position in found):
        return found
    use = re.compile(rf"(?<![^\W_]){re.escape(own)}([^\W_]*)", re.IGNORECASE)
    uses = {position: use.findall(memories[position]) for position in found}
    if not any("" in every for every in uses.values()):
        return found
    last = re.split(r"[\W_]", own)[-1]
    parts = set(own.split("-")) if re.fullmatch(r"[A-Z][^\W\d_]+-[A-Z][^\W\d_]+", own) else set()
    if re.fullmatch(r"[A-Z][^\W\d_]+ [A-Z][^\W\d_]+", own) and any(key(part) in _PLACES for part in own.split()):
        parts = set(own.split())
    held = {position: {word.text.removesuffix("'s") for word in words(memories[position])} for position in uses}
    others = {
        position
        for position, every in uses.items()
        if (every and not any(alike(key(last), key(last + end)) for end in every))
        or (not every and parts & held[position] and not parts <= held[position])
    }
    return {position: why for position, why in found.items() if position not in others}


class _Use(NamedTuple):
    """A word where a memory has it, with what it continues from and into."""

    text: str
    start: int
    end: int


_GOES_ON_FROM = re.compile(r"[\w-]*\w[-_./@+]$")
_GOES_ON_INTO = re.compile(r"(?:'s)?(?![^\W_])(?:[-_@+/.]\w)?")


def _uses(own: str, memory: str) -> Iterator[_Use]:
    """Where a memory has a word in any capitals, whole or as a part of "kai-admin" or "mail.ru"."""
    lowered, wanted = memory.lower(), own.lower()
    done = 0
    while (at := lowered.find(wanted, done)) >= 0:
        before = _GOES_ON_FROM.search(memory, done, at)
        behind = _GOES_ON_INTO.match(memory, at + len(own))
        if behind is not None and (before is not None or not memory[at - 1 : at].isalnum()):
            start, done = at if before is None else before.start(), behind.end()
            yield _Use(memory[start:done], start, done)
        else:
            done = at + 1


def _is_in_quoted_name(memory: str, own: str, use: _Use) -> bool:
    """Whether a word opens a longer name in quotes ("Blue Sky" for "blue")."""
    return (
        memory[use.start - 1 : use.start] in ("'", '"') and _QUOTED_ON.match(memory, use.start + len(own)) is not None
    )


_QUOTED_ON = re.compile(r" [^\"']*[\"'](?!\w)")


def _standing(own: str, memories: Sequence[str], *, is_thing: bool) -> tuple[set[int], set[int]]:
    """The memories where a word stands by itself, and those where it only continues ("kai-admin", "Heron II").

    A capitalised name that continues with just one other name may be the same person's; that of a thing is not.
    """
    if not any(own.lower() in memory.lower() for memory in memories):
        return set(), set()
    plain = {fold(own), f"{fold(own)}'s"}
    uses = {position: list(_uses(own, memory)) for position, memory in enumerate(memories)}
    uses = {position: every for position, every in uses.items() if every}
    alone = {
        position: [
            one for one in every if fold(one.text) in plain and not _is_in_quoted_name(memories[position], own, one)
        ]
        for position, every in uses.items()
    }
    alone = {position: every for position, every in alone.items() if every}
    if own[:1].isupper():
        if any(one.text[:1].isupper() for every in alone.values() for one in every):
            alone = {at: every for at, every in alone.items() if any(one.text[:1].isupper() for one in every)}
        ends = {position: {_goes_on(memories[position], one) for one in every} for position, every in alone.items()}
        others = {end for of_memory in ends.values() for end in of_memory} - {""}
        if is_thing or len(others) > 1 or any(_NUMERAL.fullmatch(end) for end in others):
            alone = {position: every for position, every in alone.items() if "" in ends[position]}
    return set(alone), uses.keys() - alone.keys()


def _word_asked(request: Request) -> tuple[str, set[str], bool] | None:
    """The word that a request names a thing by, the words for its kind before it, and whether it is quoted."""
    head = re.split(
        r",\s|;\s|\s-\s|\s\(|\s(?:is|was|are|were|has|have|had|will|no longer)\b", request.topic.strip(" .,!?")
    )[0]
    if quoted := re.search(r"(?<!\w)[\"']([^\"']+)[\"'](?!\w)", head):
        return quoted[1], set(), True
    if called := re.search(r"\b(?:called|named|titled|labelled) ([^\s\"']+)$", head):
        return called[1], set(), True
    said = [word for word in words(head) if word.is_content]
    while said and is_asking(said[0].key) and len(said) > 1:
        said.pop(0)
    if not 1 <= len(said) <= 3 or "'" in head or words(head)[-1] != said[-1]:
        return None
    between = [head[one.end : other.start] for one, other in itertools.pairwise(said)]
    if head[said[-1].start - 1 : said[-1].start] == "-" or set(between) - {" ", "-"}:
        return None
    kinds = said[:-1]
    if any(
        word.text.istitle() and word.key not in _KINDS and "-" not in head[max(0, word.start - 1) : word.end + 1]
        for word in kinds
    ):
        return None
    return said[-1].text, {word.key for word in kinds}, False


_NAME_BEHIND = re.compile(rf" ([A-Z][\w-]*|\d+(?!{_COUNTED}|{QUANTITY}))(?!\w|:\d)")


def _goes_on(memory: str, use: _Use) -> str:
    """The capitalised word or number that a name continues with ("Heron II"), or nothing."""
    after = _NAME_BEHIND.match(memory, use.end)
    return after[1] if after and fold(after[1]) not in CALENDAR and not use.text.endswith("'s") else ""


def _has_longer(memory: str, own: str) -> bool:
    """Whether a memory has the word as a part of another one, or continuing with more."""
    return fold(own) in fold(memory) and (
        any(fold(own) in fold(word.text) and word.key != key(own) for word in words(memory))
        or re.search(rf"{re.escape(own)}(?:[-_@+/.]\w| [A-Z\d])|\w[-_@+/.]{re.escape(own)}", memory, re.IGNORECASE)
        is not None
    )


def _is_common(memory: str, own: str, kinds: set[str]) -> bool:
    """Whether the word is used as a common noun, with an article or the like, not before its kind ("the api node")."""
    article = r"\b(?:the|an?|my|our|your|his|her|their|no|this|that|each|every|some)"
    behind = re.findall(rf"{article} {re.escape(own)}(?!\w)(?: (\w+))?", memory, re.IGNORECASE)
    return any(key(noun) not in kinds for noun in behind)
