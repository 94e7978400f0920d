"""What a purge or release asks for: its identifiers, names and topic, without the asking and the reasons given."""

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from lethe.planners.matcher.identity.identifier_finders import defanged, find
from lethe.planners.matcher.identity.request_codes import find_codes, handle_in
from lethe.planners.matcher.identity.spelled_codes import ordinals, plain_codes
from lethe.planners.matcher.identity.typed_identifier import Identifier
from lethe.planners.matcher.identity.untyped_code import Code
from lethe.planners.matcher.names.written_names import TITLES, Name, names_in
from lethe.planners.matcher.text.lists import listed
from lethe.planners.matcher.text.syntax import verb_position
from lethe.planners.matcher.text.words import clean, content, key, words

_VERBS = (
    r"(?:delete|erase|purge|remove|drop|forget|wipe|scrub|clear|strip|expunge|release|discard|lose|get rid of|"
    r"strike|clean up|cut|"
    r"take out|throw out|let go of|dispose of|unlearn|blank|redact|destroy|scrap|stop remembering|disregard|ignore)"
)
_NOUN = re.compile(rf"\b(?:the|an?|our|my|his|her|their|\w+'s) ({_VERBS})\b(?! of\b)", re.IGNORECASE)
"""A verb of forgetting that an article makes a noun ("the strike timetable", "the release notes")."""
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
    again person called data asked ask stored time himself herself itself themselves"""
    )
)
_ARTICLE = re.compile(r"\b(?:the|an?|our|my) ")
_REASON = re.compile(
    r"^(?:(?:and|but|so|as|because|since|now) )?(?:i|we|he|she|they|you)\b(?!'s )|"
    r"\b(?:i|we|you|he|she|it|they|this|that|who)(?:'\w+)? (?:\w+ ){0,2}?(?:is|are|was|were|has|have|"
    r"had|will|would|won't|"
    r"can|may|do|don't|no longer|never|not|\w+ed|left|quit|gone|sold|need|got|serve|buy|went)\b",
    re.IGNORECASE,
)
_ANAPHOR = re.compile(
    r"\b(?:it|him|her|them|this|those|these|their|his|hers|its|that(?! (?:(?:I|you|we|he|she|it|they|there|my|our|the|"
    r"an?|his|her|their|no|nobody|someone|somebody)(?:'\w+)?|(?-i:[A-Z])[\w']*) ))\b",
    re.IGNORECASE,
)
_PERSON = re.compile(r"\b(?:him|her|them|he|she|their|his)\b", re.IGNORECASE)
_WIDE = re.compile(
    r"\b(?:everything|anything|all|every(?! (?:\w*day|week|month|year|morning|evening|night|other|\w+ \w+s)\b)|"
    r"whatever|what (?:we|you|i)|any(?! (?:more|longer)\b)|whole|entire(?:ly)?|(?:our|the|all) notes? (?:on|about|of)|"
    r"wherever|nothing on)\b",
    re.IGNORECASE,
)
_ABBREVIATED = "".join(
    rf"(?<!\b{title})" for title in ("[A-Z]", *listed("Mr Mrs Ms Dr Prof Lt Sgt Capt Col Gen St Rev No"))
)
_SPLIT = re.compile(rf"\s*(?:[;:!]|{_ABBREVIATED}\.)\s+|\s+-\s+|,\s+(?!(?:and|or)\b)")
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
_ARTICLES = frozenset(listed("la le les el los las lo de del du des der das dem il gli het een un una une ein eine"))
"""Articles of other languages, which say nothing beside another word."""
_TIED = re.compile(
    r"\b(?:everything|anything|all|whatever|nothing)(?: that| which| there)?(?: is| are|'s)? ([a-z]+(?:ed|ing)|to do) "
    r"(?:to|with|by|around|about|on|from|of)\b",
    re.IGNORECASE,
)
"""Words of asking between "everything" and its object."""
_BEFORE_NUMBER = re.compile(
    r"\b(?!(?:it|is|us|me|him|her|them|that|this|now|too|so|up|out|gone|left|past)\b)([A-Za-z]{1,4})\. (?=\d)", re.I
)
"""An abbreviation before a number ("no. 7"), which does not end a sentence."""
_STATES = re.compile(r" (?:is|are|was|were|has|have|had|must|may|can|will|needs?)\b")
_HASHES = re.compile(r"\b(?:commit|hash|sha\d*|revision|digest|checksum|changeset)\W+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Request:
    """A purge or release, taken apart.

    Attributes:
        text: cleaned.
        topic: the part that says what is meant, without the asking.
        identifiers: typed identifiers (`identifier_finders.find`).
        codes: other codes.
        names: capitalised or non-Latin names in the topic.
        aspect: content keys of the topic outside of names, identifiers and codes.
        is_wide: asks for everything on something.
        by_person: the topic is a person or thing that a pronoun stands for.
        kept: what the request says may stay.
        handle: the one word that is asked for, where it may be somebody's handle.
        ordinal: "the third desk" as the code "desk 3".
        described: what the request calls its names besides, in brackets too.
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
    ordinal: Code | None = None
    described: tuple[str, ...] = ()


@functools.lru_cache(maxsize=256)
def read_request(target: str, *, whole: bool = False) -> Request:
    """Take the target of a purge or release apart; with `whole`, reasons given also say what is meant."""
    text = _LAW.sub("", _ASIDE.sub("", _BEFORE_NUMBER.sub(r"\1 ", plain_codes(defanged(clean(target)).strip()))))
    main, *exceptions = _EXCEPT.split(text, maxsplit=1)
    identifiers = tuple(
        found for found in find(main) if not (found.kind == "mac" and _HASHES.search(text[: found.start]))
    )
    codes = find_codes(main, [(found.start, found.end) for found in identifiers])
    topic, by_person = (main, False) if whole else _topic(main)
    codes = [code for code in codes if len(code.form) > 1 or main[code.start : code.end] in topic]
    rest = [word for word in content(_without(topic, identifiers, main, codes)) if word not in _ASKING]
    numbered = any(re.search(r"\d", code.form) for code in codes)
    codes = [
        code
        for code in codes
        if not _is_plain_word(code)
        or not rest
        or (len(code.surface) == 1 and (numbered or (len(codes) == 1 and not _STATES.match(main[code.end :]))))
        or set(rest) <= set(map(key, code.labels))
    ]
    plain = _without(topic, identifiers, main, codes)
    names = tuple(name for name, start, _ in names_in(plain) if not _only_starts(plain, name, start))
    if names:
        names += tuple(name for name, _, _ in names_in(main) if name.script != "latin" and name not in names)
    of_names = {folded for name in names for folded in map(key, name.words)}
    nouns = {key(found[1]) for found in _NOUN.finditer(plain)}
    aspect = tuple(word for word in content(plain) if (word not in _ASKING or word in nouns) and word not in of_names)
    aspect = tuple(word for word in aspect if word not in _ARTICLES) or aspect
    tied = {key(found[1]) for found in _TIED.finditer(plain)}
    tied |= {word.key for word in words(plain) if names and word.is_capital and word.text.lower() in TITLES}
    aspect = tuple(word for word in aspect if word not in tied)
    described = tuple(_described(clean(target), names))
    if not (aspect or names or identifiers or codes) and len(words(topic)) < 4:
        aspect = content(topic)
    wide = bool(_WIDE.search(text)) or by_person or not aspect
    handle = None if identifiers or codes else handle_in(plain, rest)
    in_order = re.fullmatch(r"(?:the )?([a-z]{3,}) (\d+)", ordinals(topic.strip(" .")))
    ordinal = Code(in_order[2], "", (in_order[1],), 0, 0) if in_order and not codes and not identifiers else None
    kept = content(" ".join(exceptions))
    return Request(
        text, topic, identifiers, tuple(codes), names, aspect, wide, by_person, kept, handle, ordinal, described
    )


_CALLED_BEFORE = re.compile(r"\b(?:the|our|my|an?) ((?:[a-z-]+ ){0,2}[a-z-]+),? (?:[A-Z]\w*\.? )?$")
_CALLED_BEHIND = re.compile(r"(?:,| ?\(|) ?(?:the|our|my) ([a-z][a-z -]*?)(?=[,;.)]|$| who| that| which)")


def _described(text: str, names: Sequence[Name]) -> list[str]:
    """What a request calls its names besides: "our neighbour Jordan", "Farouk, the night porter", "Sonja (the vet)"."""
    if not _ARTICLE.search(text):
        return []
    found: list[str] = []
    for name in names:
        at = text.find(name.words[0])
        last = text.find(name.words[-1], at)
        if min(at, last) < 0:
            continue
        sides = _CALLED_BEFORE.search(text[:at]), _CALLED_BEHIND.match(text, last + len(name.words[-1]))
        found += [said[1] for said in sides if said]
    return [said for said in found if not any(word in _ASKING for word in content(said))]


def is_asking(word: str) -> bool:
    """Whether the key of a word is one of those that ask to forget, not of what is asked for."""
    return word in _ASKING


def _without(topic: str, identifiers: Sequence[Identifier], text: str, codes: Sequence[Code]) -> str:
    """The topic without its identifiers and codes."""
    for span in [*(text[found.start : found.end] for found in identifiers), *(code.surface for code in codes)]:
        topic = topic.replace(span, " ")
    return topic


def _is_plain_word(code: Code) -> bool:
    """Whether a code is rather a hyphenated word: without digit, sigil, underscore, slash or ampersand."""
    return not code.is_exact and not re.search(r"[\d@#_/&]", code.surface)


def _only_starts(text: str, name: Name, start: int) -> bool:
    """Whether the name is only the capital that a sentence starts with."""
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
            possessives = re.findall(r"\b(?:their|his|her|its)\s+\w+", part, re.IGNORECASE)
            joined = " ".join(others)
            noun = re.search(r"\b(?:that|this)\s+(\w+)", part, re.IGNORECASE)
            if possessives and says[part]:
                return joined + " , " + part, len(possessives) > 1
            is_person = bool(_PERSON.search(part)) or (noun is not None and not _is_event(noun[1]))
            return f"{joined} , {noun[1]}" if noun and not _is_event(noun[1]) else joined, is_person
        if says[part]:
            others = [other for other in segments if other is not part and says[other]]
            rest = [other for other in others if not _REASON.search(other) and verb_position(other) is None]
            return " , ".join([part, *rest]) if text.index(part) == 0 else part, False
    kept = [part for part in segments if not _REASON.search(part)]
    return (" , ".join(kept) if kept else text), False


def names_beyond_start(part: str) -> bool:
    """Whether a segment holds a name that is more than a sentence's first capital."""
    return any(start > 0 for _, start, _ in names_in(part))


def _is_event(noun: str) -> bool:
    return key(noun) in {
        key(word) for word in listed("episode event story trip plan idea affair business matter topic issue thing")
    }
