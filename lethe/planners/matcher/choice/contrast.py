"""Memories about something else of the same kind: "the weekend pass" where "the midweek pass" is asked for."""

import functools
import re

from lethe.planners.matcher.choice.value_kinds import is_number
from lethe.planners.matcher.text.scripts import script
from lethe.planners.matcher.text.syntax import VERBS
from lethe.planners.matcher.text.times import times
from lethe.planners.matcher.text.words import alike, has, keys, words

_SIDE_BY_SIDE = re.compile(r"(?:'s|s')? |-")
_ARTICLE = r"(?: (?:the|a|an|our|my|its|their|his|her|another|no|this|that|each|every))?"
_BEING = re.compile(r" (?:is|are|was|were|has been|have been|will be|gets|get) ")
_OF = re.compile(rf" (?:of|for){_ARTICLE} ")
_AT = re.compile(rf" (?:in|at|on|from|to|by|against|with){_ARTICLE} ")
_HAS = re.compile(rf" (?:has|have|had){_ARTICLE} ")


@functools.lru_cache(maxsize=2048)
def neighbours(text: str) -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    """For each content word, the words that describe it and stand before it or after its "of", and those after it.

    "Price of the six-session pass" describes the price by pass, session and six, "room 9" the room by the 9 after it.
    """
    telling = {word.key for word in words(text) if word.is_capital or is_number(word.text)}
    content = [word for word in words(text) if word.is_content]
    groups: list[list[list[str]]] = []
    joints: list[str] = []
    for number, word in enumerate(content):
        gap = text[content[number - 1].end : word.start] if number else ""
        is_done = _BEING.fullmatch(gap) is not None and re.search(r"(?:ing|ed|en)$", word.text) is not None
        if number and (is_done or _SIDE_BY_SIDE.fullmatch(gap)):
            groups[-1][-1].append(word.key)
        elif number and (joint := _joint(gap)):
            groups[-1].append([word.key])
            joints.append(joint)
        else:
            groups.append([[word.key]])
            joints.append("")
    before: dict[str, set[str]] = {}
    behind: dict[str, set[str]] = {}
    at = 0
    for group in groups:
        own = joints[at : at + len(group)]
        at += len(group)
        for number, phrase in enumerate(group):
            for place, key in enumerate(phrase):
                before.setdefault(key, set()).update(phrase[:place])
                behind.setdefault(key, set()).update(telling.intersection(phrase[place + 1 :]))
                for other, joint in zip(group[number + 1 : number + 2], own[number + 1 : number + 2], strict=True):
                    (before if joint == "of" else behind).setdefault(key, set()).update(other)
                if number and own[number] == "has":
                    before[key].update(group[number - 1])
    return {key: (frozenset(before[key]), frozenset(behind.get(key, ()))) for key in before}


def _joint(gap: str) -> str:
    return next((name for name, form in (("of", _OF), ("at", _AT), ("has", _HAS)) if form.fullmatch(gap)), "")


def is_contrast(asked: str, fact: str, memory: str, written: frozenset[str] = frozenset()) -> bool:
    """Whether the memory has another word in the place of one that query and new fact share, times apart.

    Args:
        written: the keys of the query that wrote the memory; they count as said.
    """
    by_query, by_fact, held = keys(asked), keys(fact), keys(memory) | written
    missing = {key for key in by_query if has(by_fact, key) and not has(held, key)}
    if not missing:
        return False
    spelled = {word.key: word.text for text in (asked, memory) for word in words(text)}
    theirs = neighbours(memory)
    for key, sides in neighbours(asked).items():
        if spelled[key].lower() in VERBS:
            continue
        for other in theirs:
            if not alike(key, other):
                continue
            for mine, their in zip(sides, theirs[other], strict=True):
                lost = mine & missing
                if spelled[key][0].isupper():
                    lost = frozenset(
                        one for one in lost if spelled[one][0].isupper() or _kind(spelled[one]) == "number"
                    )
                foreign = {one for one in their if not has(by_query, one) and not has(by_fact, one)}
                if any(_stands_for(spelled[another], spelled[one]) for one in lost for another in foreign):
                    return True
    return False


def _stands_for(one: str, other: str) -> bool:
    """Whether one word could stand in the place of the other: in the same script, and a number for a number."""
    return _kind(one) == _kind(other) != "time" and script(one) == script(other)


@functools.lru_cache(maxsize=8192)
def _kind(word: str) -> str:
    """The kind of a word (number, time or other); only words of one kind can stand in each other's place."""
    return "number" if is_number(word) else "time" if times(word) or times(word.capitalize()) else "word"
