"""A clause of which only one adjunct is outdated: "meets on Tuesday in room 4", of which the room has changed."""

import itertools
import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from lethe.planners.matcher.text.syntax import is_denial, verb_position
from lethe.planners.matcher.text.times import times
from lethe.planners.matcher.text.words import alike, keys

_OPENS = re.compile(
    r"\s+(?=(?:in|on|at|from|by|with|for|under|via|through|as|until|till|to|near|behind|every|each|daily|weekly|twice|once|"
    r"next to|opposite|since|during|before|after|between|against|without)\b)|"
    r"(?<!\bon)(?<!\bevery)(?<!\band)(?<!\bto)(?<!\beach)(?<!\bby)\s+(?=(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b)",
    re.IGNORECASE,
)
_VERBS = re.compile(
    r"(?:(?:is|are|was|were|has been|have been|will be|can be|must be)(?: (?:now|currently|still|always|usually|only))*"
    r"(?: (?:[a-z]+ed|put|set|cut|let|[a-z]{2,}(?:en|wn|ld|pt|nt|id|ght|de|ung|ut))\b(?! of))?|"
    r"(?:has|have|will|can|must|should) [a-z]+|[a-z]+)"
)


_CLOCK = re.compile(
    r"(?:at|from|until|till|by|around|before|after) "
    r"(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
    r"(?: ?[ap]\.?m\b\.?| sharp| o'clock)?$"
)


_BE_OR_MOVE = re.compile(
    r"(?:is|are|will be|(?:is|are|was|were|has been|have been|will be) (?:now )?(?:moved|shifted|brought|put|postponed|"
    r"delayed|changed|switched|rescheduled|pushed)|(?:has|have) (?:moved|shifted|changed|switched|gone)|moved|moves|"
    r"shifted|changed|changes|switched|switches)(?: now)?"
)
_WEEKDAY = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)
_PARTICLE = re.compile(r"^ (?:off|forward|back|on|up|out|again)(?= )")


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A phrase of a predicate: its words, the word that opens it (if any), and whether it is an expression of time."""

    said: str
    opens: str
    is_time: bool

    def keys(self) -> frozenset[str]:
        return keys(self.said)


def rest_of(sentence: str, asked: str, fact: str) -> str | None:
    """What a clause says besides the phrases that the new fact changes; None for nothing, or where this is not
    clear."""
    at, other = verb_position(sentence), verb_position(fact)
    if at is None or other is None or is_denial(sentence) != is_denial(fact):
        return None
    verb = _VERBS.match(sentence[at:])
    changed = _VERBS.match(fact[other:])
    if verb is None or changed is None or re.search(r"(?:ed|ght|went|came|took|left|got)$", verb[0].split()[0]):
        return None
    about = keys(sentence[:at])
    theirs = keys(fact[:other])
    if not any(alike(one, key) for one in about for key in theirs):
        return None
    is_past = re.match(r"(?:was|were|had)\b", verb[0]) is not None
    is_same_verb = keys(verb[0]) == keys(changed[0]) and bool(theirs <= about or about <= theirs)
    own = _phrases(sentence[at + verb.end() :])
    new = [_aligned(one, own) for one in _phrases(_PARTICLE.sub("", fact[other + changed.end() :]))]
    if _BE_OR_MOVE.fullmatch(changed[0]) and own and own[0].opens and all(one.opens for one in new):
        is_same_verb = bool(theirs <= about or about <= theirs)
    if not is_same_verb and (is_past or not theirs - about):
        return None
    attribute = (theirs | keys(asked)) - about - keys(verb[0])
    told = keys(fact)
    out = [phrase for phrase in own if _is_changed(phrase, new, attribute, told, is_same_verb)]
    out += [phrase for before, phrase in itertools.pairwise(own) if before in out and _is_within(phrase, before)]
    left = [phrase for phrase in own if phrase not in out]
    if (
        not out
        or all(_has_all(told, phrase.keys()) and (phrase.keys() or not phrase.is_time) for phrase in left)
        or (not own[0].opens and own[0] not in out and not _has_all(told, own[0].keys()))
    ):
        return None
    if not all(_is_explained(phrase, own, out, is_same_verb) for phrase in new):
        return None
    return sentence[: at + verb.end()] + " " + " ".join(phrase.said for phrase in left)


def _phrases(text: str) -> list[_Phrase]:
    phrases: list[_Phrase] = []
    for piece in _OPENS.split(text.strip(" .;,")):
        if not piece:
            continue
        if phrases and phrases[-1].said.endswith(("'s", "s'")) and _WEEKDAY.match(piece):
            piece = f"{phrases.pop().said} {piece}"
        opens = re.match(r"[A-Za-z]+", piece)
        is_opened = _OPENS.match(f" {piece}") is not None
        phrases.append(
            _Phrase(
                piece,
                opens[0].lower() if opens and is_opened else "",
                bool(times(piece)) or _CLOCK.match(piece) is not None,
            )
        )
    return phrases


def _is_changed(
    phrase: _Phrase,
    new: list[_Phrase],
    attribute: AbstractSet[str],
    told: AbstractSet[str],
    is_same_verb: bool,
) -> bool:
    """Whether the new fact gives another value for what the phrase says."""
    keys = phrase.keys()
    if (not keys and not phrase.is_time) or (keys and _has_all(told, keys)):
        return False
    if phrase.is_time:
        return any(other.is_time for other in new)
    if any(_has_all(attribute, {key}) for key in keys if not key.isdigit()):
        return True
    return is_same_verb and any(not other.is_time and other.opens == phrase.opens for other in new)


def _is_within(phrase: _Phrase, before: _Phrase) -> bool:
    """Whether the phrase gives the place of the thing that the phrase before it names ("dock 14 at Pelham Cross")."""
    return (
        not phrase.is_time
        and not before.is_time
        and phrase.opens in _PLACES
        and before.opens not in ("by", "with", "as")
    )


_PLACES = ("in", "on", "at", "to", "near", "behind", "under", "opposite", "next", "between")


def _aligned(phrase: _Phrase, own: list[_Phrase]) -> _Phrase:
    """The phrase of place with the opening word of the memory's own one, where no phrase there opens alike."""
    places = [other.opens for other in own if other.opens in _PLACES and not other.is_time]
    if phrase.is_time or phrase.opens not in _PLACES or phrase.opens in places or not places:
        return phrase
    return replace(phrase, opens=places[-1])


def _is_explained(phrase: _Phrase, own: list[_Phrase], out: list[_Phrase], is_same_verb: bool) -> bool:
    """Whether a phrase of the new fact is the new value of an outdated one, or already said in the memory."""
    held = set().union(*(other.keys() for other in own))
    if not phrase.keys() or _has_all(held, phrase.keys()):
        return True
    if phrase.is_time:
        return any(other.is_time for other in out)
    return any(not other.is_time and (other.opens == phrase.opens or not is_same_verb) for other in out)


def _has_all(held: AbstractSet[str], keys: AbstractSet[str]) -> bool:
    """Whether each of the keys is among those held, in this or another form."""
    return all(any(alike(key, other) for other in held) for key in keys)
