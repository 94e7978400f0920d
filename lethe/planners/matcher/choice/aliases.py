"""Memories that call what is asked for by another name ("Room 9 is home to Aurelio", "Aurelio walks with sticks")."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lethe.planners.matcher.names.written_names import CALENDAR, TITLES
from lethe.planners.matcher.text.mentions import runs
from lethe.planners.matcher.text.syntax import verb_position
from lethe.planners.matcher.text.words import Word, all_keys, fold, has, key, keys, without_possessive, words

_NUMBER = re.compile(r"(?<![\w:.,-])(?!(?:19|20)\d\d\b)(?=\w*\d{3})\w+(?![\w-]|[:.,]\d)")
_DEFINITE = re.compile(r"\b(?:the|our|my) ([^\W\d_][\w-]{3,})", re.IGNORECASE)
_TITLE_KEYS = frozenset(TITLES)
_MANY = 3
"""A name in more memories than this is no alias."""


@dataclass(frozen=True, slots=True)
class Alias:
    """What a memory says by another name.

    Attributes:
        source: the position of the memory that has both the name and the request's words for it.
        text: the memory with those words in the place of the name.
        words: the memory with those words before the name.
    """

    source: int
    text: str
    words: str


def aliased(asked: str, fact: str, memories: Sequence[str]) -> dict[int, Alias]:
    """The cleaned memories that mean what query or new fact describes by a name that another memory explains.

    The explaining memory says what the name stands for (`_explains`), not what is asked of it.
    """
    if len(memories) < 2:
        return {}
    anchors = [_anchors(memory) for memory in memories]
    held = [keys(memory) for memory in memories]
    texts = [(text, keys(text)) for text in (asked, fact)]
    found: dict[int, tuple[tuple[bool, int], Alias]] = {}
    for position, memory in enumerate(memories):
        for source in range(len(memories)):
            names = anchors[position] & anchors[source] if source != position else frozenset()
            if not names:
                continue
            own = all_keys(" ".join(sorted(names)))
            if (held[position] & held[source]) - own - _TITLE_KEYS or _is_other(names, memory, memories[source]):
                continue
            if not any(_is_name(name, memories) for name in names) or _is_frequent(names, anchors):
                continue
            for text, said in texts:
                gained = {one for one in said if has(held[source], one) and not has(held[position], one)}
                rest = texts[0][1] - gained - own
                if own & said or not gained or all(has(held[source], one) for one in rest):
                    continue
                if not any(_explains(memories[source], name, gained, rest, texts[0][1]) for name in names):
                    continue
                inside = [word for word in words(text) if word.key in gained]
                telling = (any(word.is_capital or word.text.isdigit() for word in inside), len(gained))
                if position not in found or telling > found[position][0]:
                    found[position] = telling, Alias(source, *_renamed(memory, own, _span(text, inside)))
    return {
        position: alias
        for position, (telling, alias) in found.items()
        if alias.source not in found or found[alias.source][1].source != position or telling >= found[alias.source][0]
    }


def _explains(memory: str, name: str, gained: set[str], rest: frozenset[str], asked: frozenset[str]) -> bool:
    """Whether a memory says that the name stands for what the gained words describe.

    Not where it says anything that the rest asks for.
    """
    at = verb_position(memory)
    verb = next((word for word in words(memory) if word.start == at), None)
    if verb is not None and (has(rest, verb.key) or verb.key in gained):
        return False
    done = _DONE.search(memory)
    if done is not None and has(asked, key(done[1])):
        return False
    if not any(one.isalpha() for one in gained):
        return False
    if re.search(r"\d", name):
        return True
    own = re.search(rf"\b{re.escape(name)}\b", fold(memory)) if name in fold(memory) else None
    told = [word for word in words(memory) if has(frozenset(gained), word.key)]
    if own is None or not told:
        return False
    first, last = own.span()
    before = [word for word in told if word.end <= first]
    behind = [word for word in told if word.start >= last]
    if memory[first].islower():
        is_named = bool(before) and _IS_THE.fullmatch(memory[before[-1].end : first]) is not None
        return is_named or (bool(behind) and _THAT_IS.search(memory[last : behind[-1].start]) is not None)
    run = next((run for run in runs(memory) if name in run and len(run) > 1), ())
    if run and all(any(key(part) == one for part in run) for one in gained):
        return True
    is_verb = bool(behind) and re.search(r"(?:ed|en|ing)$", behind[0].text) is not None
    return (
        (bool(behind) and (_IS if is_verb else _IS_PLAIN).match(memory[last : behind[0].start]) is not None)
        or (bool(before) and _CALLED.search(memory[before[-1].end : first]) is not None)
        or (bool(before) and _CALL.search(memory[: before[0].start]) is not None)
    )


def _is_name(name: str, memories: Sequence[str]) -> bool:
    """Whether the word also stands within a sentence, so that it is more than a sentence's opening word."""
    return any(
        re.search(rf"(?<=[^.] ){re.escape(name)}\b", folded)
        for memory in memories
        if f" {name}" in (folded := fold(memory))
    )


def _is_other(names: frozenset[str], one: str, other: str) -> bool:
    """Whether the names are parts of two different longer names."""
    longer = [{run for run in runs(memory) if names & set(run) and len(run) > 1} for memory in (one, other)]
    return bool(longer[0] and longer[1]) and not longer[0] & longer[1]


def _is_frequent(names: frozenset[str], anchors: Sequence[frozenset[str]]) -> bool:
    return all(sum(name in other for other in anchors) > _MANY for name in names)


_IS_THE = re.compile(r"(?: [A-Z][\w'-]+)* (?:is|was|are|were) (?:the|our|my) ")
_DONE = re.compile(r"\b(?:is|are|was|were|been) (\w+(?:ed|en))\b")
_THAT_IS = re.compile(r"\b(?:that's|that is|it's|it is|this is|which is)\b")
_A = r"(?:the|our|my|an?|their|his|her|[^\W\d_]+(?:'s|s'))"
_RUN = r"(?: [^\W\d_a-z][\w'-]+)*\s*"
_IS = re.compile(rf"{_RUN}(?:,|\(|:|-|\b(?:is|was|are|were)) {_A} (?:[\w'-]+ ){{0,4}}$")
_IS_PLAIN = re.compile(rf"{_RUN}(?:(?:,|\(|:|-) {_A}|\b(?:is|was|are|were)(?: {_A})?) (?:[\w'-]+ ){{0,4}}$")
_CALLED = re.compile(
    r"(?:\b(?:called|named|nicknamed|known as|names? of|dubbed|home to|by|as|is|are|was|were|means)|^(?:,|\(|=|:))"
    r"(?: the| our)?(?: [A-Z]\w*\.?)* ?$"
)
_CALL = re.compile(r"\bcall(?:s|ed)?\b[^,;.]*$")


def _anchors(memory: str) -> frozenset[str]:
    """What a memory calls things by: its names, numbers and definite nouns, folded."""
    named = {part for run in runs(memory) for part in run if len(part) > 2 and part not in CALENDAR}
    for pattern in (_NUMBER, _DEFINITE):
        named |= {fold(match[match.lastindex or 0]) for match in pattern.finditer(memory)}
    return frozenset(named)


def _span(text: str, inside: Sequence[Word]) -> str:
    return without_possessive(text[inside[0].start : inside[-1].end])


def _renamed(memory: str, name: frozenset[str], described: str) -> tuple[str, str]:
    """The memory with `described` in the place of the name, and before it."""
    named = [word for word in words(memory) if word.key in name]
    start, end = named[0].start, named[0].end
    for word in named[1:]:
        if memory[end : word.start] in (" ", "-"):
            end = word.end
    return f"{memory[:start]}{described}{memory[end:]}", f"{memory[:start]}{described} {memory[start:]}"
