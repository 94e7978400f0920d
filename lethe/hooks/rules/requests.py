"""What a purge or release asks for: its identifiers, names and topic, apart from the asking and the reasons given."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lethe.hooks.rules.codes import Code, find_codes, handle_in
from lethe.hooks.rules.identifiers import Identifier, defanged, find
from lethe.hooks.rules.lists import listed
from lethe.hooks.rules.names import Name, names_in
from lethe.hooks.rules.spelled import plain_codes
from lethe.hooks.rules.words import clean, content, key, words

_VERBS = (
    r"(?:delete|erase|purge|remove|drop|forget|wipe|scrub|clear|strip|expunge|release|discard|lose|get rid of|"
    r"strike|clean up|cut|"
    r"take out|throw out|let go of|dispose of|unlearn|blank|redact|destroy|scrap|stop remembering|disregard|ignore)"
)
_ASKING = frozenset(
    key(word)
    for word in listed(
        """delete deleted deletion erase erased erasure purge remove removed removal drop forget forgotten wipe scrub
    clear strip expunge release discard lose rid dispose unlearn destroy scrap disregard ignore remember
    everything anything all thing things stuff detail details data info information record records entry entries
    note notes noted knowledge hold holds held have know known keep kept store stored say said log logged
    mention mentioned write wrote written file filed tell told recall wherever whatever turn turns concerning
    regarding related relating relate about request gdpr court order right subject objected client memory
    memories away altogether ever want wanted need needed do don't please kindly longer anymore over finished
    settled done matter bit bits part quit left retired resigned died dead gone sold ended expired graduated
    transferred withdrew withdrawn decommissioned cancelled trace traces mention mentions clean strike system see
    again person called data asked ask stored time"""
    )
)
_REASON = re.compile(
    r"\b(?:i|we|you|he|she|it|they|this|that|who)(?:'\w+)? (?:\w+ ){0,2}?(?:is|are|was|were|has|have|"
    r"had|will|would|won't|"
    r"can|may|do|don't|no longer|never|not|\w+ed|left|quit|gone|sold|need|got|serve|buy|went)\b",
    re.IGNORECASE,
)
_ANAPHOR = re.compile(r"\b(?:it|him|her|them|that|this|those|these|their|his|hers)\b", re.IGNORECASE)
_PERSON = re.compile(r"\b(?:him|her|them|he|she|their|his)\b", re.IGNORECASE)
_WIDE = re.compile(
    r"\b(?:everything|anything|all|every|whatever|what (?:we|you|i)|any|whole|entire(?:ly)?|(?:our|"
    r"the|all) notes? (?:on|about|of)|wherever|nothing on)\b",
    re.IGNORECASE,
)
_SPLIT = re.compile(r"\s*[;:.!]\s+|\s+-\s+|,\s+(?!(?:and|or)\b)")
_EXCEPT = re.compile(
    r"(?:,|\bbut|;)\s+(?:but\s+)?(?:not|leave|keep)\s+(?!on\b|going\b)|,?\s+(?:except(?: for)?|"
    r"excluding|other than|apart from)\s+",
    re.I,
)
_ASIDE = re.compile(
    r"\s*\((?:the|our|my|a|an|gdpr|art|article|ccpa|dsgvo|request|as requested|see)\b[^()]*\)", re.IGNORECASE
)
_LAW = re.compile(
    r"\s*\b(?:(?:under|per|by|according to|pursuant to|see) )?(?:the )?"
    r"(?:(?:art(?:icle|\.)?|§|section) ?\d+(?:\(\d\))?,? ?(?:of the )?(?:UK )?(?:GDPR|DSGVO|CCPA)"
    r"|(?:GDPR|DSGVO|CCPA),? ?(?:art(?:icle|\.)?|§|section) ?\d+(?:\(\d\))?)",
    re.IGNORECASE,
)
_HASHES = re.compile(r"\b(?:commit|hash|sha\d*|revision|digest|checksum|changeset)\W+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Request:
    """A purge or release, taken apart.

    Attributes:
        text: cleaned.
        topic: the part that says what is meant, without the asking.
        identifiers: typed identifiers (`identifiers.find`).
        codes: other codes.
        names: capitalised or non-Latin names in the topic.
        aspect: content keys of the topic outside of names, identifiers and codes.
        is_wide: asks for all there is on something.
        by_person: the topic is a person or thing that a pronoun stands for.
        kept: what the request says may stay.
        handle: the one word that is asked for, where it may be somebody's handle.
    """

    text: str
    topic: str
    identifiers: tuple[Identifier, ...]
    codes: tuple[Code, ...]
    names: tuple[Name, ...]
    aspect: tuple[str, ...]
    is_wide: bool
    by_person: bool
    kept: tuple[str, ...]
    handle: Code | None = None


def read_request(target: str) -> Request:
    """Take a purge's or release's target apart."""
    text = _LAW.sub("", _ASIDE.sub("", plain_codes(defanged(clean(target)).strip())))
    main, *exceptions = _EXCEPT.split(text, maxsplit=1)
    identifiers = tuple(
        found for found in find(main) if not (found.kind == "mac" and _HASHES.search(text[: found.start]))
    )
    codes = find_codes(main, [(found.start, found.end) for found in identifiers])
    topic, by_person = _topic(main)
    rest = [word for word in content(_without(topic, identifiers, main, codes)) if word not in _ASKING]
    codes = [code for code in codes if not _is_plain_word(code) or not rest or set(rest) <= set(map(key, code.labels))]
    plain = _without(topic, identifiers, main, codes)
    names = tuple(name for name, start, _ in names_in(plain) if not _only_starts(plain, name, start))
    of_names = {folded for name in names for folded in map(key, name.words)}
    aspect = tuple(word for word in content(plain) if word not in _ASKING and word not in of_names)
    if not (aspect or names or identifiers or codes) and len(words(topic)) < 4:
        aspect = content(topic)
    wide = bool(_WIDE.search(text)) or by_person or not aspect
    handle = None if identifiers or codes else handle_in(plain, rest)
    return Request(
        text, topic, identifiers, tuple(codes), names, aspect, wide, by_person, content(" ".join(exceptions)), handle
    )


def _without(topic: str, identifiers: Sequence[Identifier], text: str, codes: Sequence[Code]) -> str:
    """The topic without its identifiers and codes."""
    for span in [*(text[found.start : found.end] for found in identifiers), *(code.surface for code in codes)]:
        topic = topic.replace(span, " ")
    return topic


def _is_plain_word(code: Code) -> bool:
    """A hyphenated word rather than a code: no digit, sigil, underscore, slash or ampersand."""
    return not re.search(r"[\d@#_/&]", code.surface)


def _only_starts(text: str, name: Name, start: int) -> bool:
    """Is the name nothing but the capital that a sentence starts with?"""
    first = not text[:start].strip(" '\"(")
    if not first or len(name.words) > 1:
        return False
    return key(name.words[0]) in _ASKING or (
        len(words(text)) > 6 and text[start:].split()[0].lower() in ("request", "patient")
    )


def _topic(text: str) -> tuple[str, bool]:
    """The part of the request that names its object, and whether a pronoun in the asking part points to it."""
    segments = [part for part in _SPLIT.split(text) if part and part.strip()]
    if len(segments) < 2:
        return text, False
    asking = [
        part
        for part in segments
        if re.search(rf"\b{_VERBS}\b|\b(?:may|can|could|should|must) (?:go|be \w+ed)\b", part, re.IGNORECASE)
        or _WIDE.search(part)
    ]
    says = {part: [word for word in content(part) if word not in _ASKING] for part in segments}
    for part in asking:
        if _ANAPHOR.search(part) and not names_beyond_start(part):
            others = [other for other in segments if other is not part]
            possessive = re.search(r"\b(?:their|his|her)\s+\w+", part, re.IGNORECASE)
            joined = " ".join(others)
            noun = re.search(r"\b(?:that|this)\s+(\w+)", part, re.IGNORECASE)
            if possessive and says[part]:
                return joined + " , " + part, True
            return joined, bool(_PERSON.search(part)) or (noun is not None and not _is_event(noun[1]))
        if says[part]:
            rest = [other for other in segments if other is not part and not _REASON.search(other) and says[other]]
            return " , ".join([part, *rest]) if text.index(part) == 0 else part, False
    kept = [part for part in segments if not _REASON.search(part)]
    return (" , ".join(kept) if kept else text), False


def names_beyond_start(part: str) -> bool:
    """Does a segment hold a name that is more than a sentence's first capital?"""
    return any(start > 0 for _, start, _ in names_in(part))


def _is_event(noun: str) -> bool:
    return key(noun) in {
        key(word) for word in listed("episode event story trip plan idea affair business matter topic issue thing")
    }
