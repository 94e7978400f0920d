"""Which memories a purge or release means: by identifier, by entity, by topic, as wide as the request is meant."""

import re
from collections.abc import Sequence
from dataclasses import replace

from lethe.planners.matcher.clauses.merging import without
from lethe.planners.matcher.identity.identifier_finders import WEAK_KINDS, defanged
from lethe.planners.matcher.identity.identifier_match import by_identifier, names_beside, with_the_rest
from lethe.planners.matcher.identity.spelled_codes import ordinals, plain_codes
from lethe.planners.matcher.identity.standalone_words import whole_word, without_numbered, without_run_on
from lethe.planners.matcher.identity.untyped_code import is_respelled
from lethe.planners.matcher.names.base_forms import KINDS
from lethe.planners.matcher.names.companions import (
    companions,
    introduced,
    of_speaker,
    with_full_name,
    without_opening,
    without_other_kinds,
    without_owned,
    without_owner,
)
from lethe.planners.matcher.names.entities import entity_described, memories_about
from lethe.planners.matcher.names.links import add_described
from lethe.planners.matcher.names.nicknames import without_other_gender
from lethe.planners.matcher.names.readable import in_words_asked
from lethe.planners.matcher.names.written_names import TITLES, Name, same_script_hit
from lethe.planners.matcher.scope.literal import not_owned_otherwise, without_relatives
from lethe.planners.matcher.scope.polarity import of_polarity
from lethe.planners.matcher.scope.requests import Request, read_request
from lethe.planners.matcher.scope.statements import of_statement
from lethe.planners.matcher.scope.things import without_kind, without_longer, without_other_nouns
from lethe.planners.matcher.scope.topics import by_topic, content_keys, heads_of, is_owned
from lethe.planners.matcher.text.lists import listed
from lethe.planners.matcher.text.scripts import script
from lethe.planners.matcher.text.similarity import Similarity
from lethe.planners.matcher.text.syntax import is_denial, subject
from lethe.planners.matcher.text.words import alike, clean, fold, key, words
from lethe.planners.protocol import Matches, Unsure


def match(
    target: str, candidates: Sequence[str], similarity: Similarity | None, off: frozenset[str], *, purge: bool
) -> Matches | Unsure:
    """The candidates that the `target` of a purge or release means."""
    memories = [_HONORIFIC.sub("", defanged(clean(memory))) for memory in candidates]
    plain = [ordinals(plain_codes(memory)) for memory in memories]
    target = _HONORIFIC.sub("", target)
    request = without_owner(without_opening(read_request(target), memories))
    matched = _match(request, memories, plain, similarity, off, purge=purge)
    if isinstance(matched, Unsure) and request.topic != request.text:
        whole = _match(read_request(target, whole=True), memories, plain, similarity, off, purge=purge)
        return whole if isinstance(whole, Matches) else matched
    return matched


def _match(
    request: Request,
    memories: Sequence[str],
    plain: Sequence[str],
    similarity: Similarity | None,
    off: frozenset[str],
    *,
    purge: bool,
) -> Matches | Unsure:
    """The memories that a request means; `plain` are the memories with spelled-out codes written plainly."""
    found: dict[int, str] = {}
    evidence = ""
    is_told = False
    foreign = any(script(text) != "latin" for text in (request.topic, *memories))
    if "identity" not in off and (request.identifiers or request.codes):
        found = by_identifier(request, plain)
        evidence = "identity"
    if request.handle and "identity" not in off:
        handle = request.handle
        held = [position for position, memory in enumerate(plain) if handle.is_in(memory)]
        if any(is_respelled(handle, plain[position]) for position in held):
            found, evidence = dict.fromkeys(held, f"handle {handle.form}"), "identity"
    if request.ordinal and not found and "identity" not in off:
        held = [position for position, memory in enumerate(plain) if request.ordinal.is_in(memory)]
        found, evidence = dict.fromkeys(held, f"number {request.ordinal.form}"), "identity"
    weak = bool(request.identifiers) and not request.codes and all(o.kind in WEAK_KINDS for o in request.identifiers)
    if found and weak:
        found = with_the_rest(request, memories, found)
    elif found and (
        beside := request.names
        if request.by_person and not _needs_code(request)
        else names_beside(request, memories, found)
    ):
        found |= _by_name(replace(request, names=beside), memories, off, purge=purge)
    if found and request.names and request.codes and not _needs_code(request) and _is_named_first(request):
        by_name = _by_name(request, memories, off, purge=purge)
        found, evidence = (by_name, "names") if by_name.keys() & found.keys() else (found, evidence)
    if found and _only_where(request, purge=purge):
        heads = heads_of(request)
        both = {
            position: why
            for position, why in found.items()
            if any(alike(head, word.key) for head in heads for word in words(memories[position]))
        }
        found, evidence = (both, "scope") if both else (found, evidence)
    sure = any(re.search(r"\d", code.form) for code in request.codes) or (request.identifiers and not weak)
    if not found and evidence and sure and purge:
        return Unsure(f"identity: no memory holds {_asked(request)}")
    if (
        not found
        and "links" not in off
        and _may_describe(request)
        and (described := entity_described(request.topic, memories))
    ):
        request = replace(request, names=(described,), aspect=(), is_wide=True)
    is_word = not request.codes and len(request.names) < 2 and not (foreign and request.names)
    if not found and "identity" not in off and is_word:
        found, evidence = whole_word(request, memories), "identity"
        if found and request.names and request.is_wide and "links" not in off:
            own = {part for name in request.names for part in name.folded}
            others = {
                position
                for position, memory in enumerate(memories)
                if own & {fold(word.text) for word in words(memory)}
            }
            others -= found.keys()
            add_described(found, memories, own, request.described)
            found = {position: why for position, why in found.items() if position not in others}
    named = "names" not in off and request.names and not (request.codes and _needs_code(request))
    if not found and named and ("scope" in off or not _has_aspect(request, purge=purge)):
        found, evidence = _by_name(request, memories, off, purge=purge), "names"
        found = _of_attribute(request, memories, found) if purge else found
        if found and "links" not in off:
            own = {part for name in _without_places(request).names for part in name.folded}
            add_described(found, memories, own, request.described)
            found |= companions(request, memories, found)
        found |= without_kind(request, memories, found)
        found = without_other_kinds(request, memories, found)
        found = without_other_gender(without_owned(request, memories, found), memories, request.topic, request.names)
    if not found and "scope" not in off:
        readable = memories
        if foreign and "names" not in off:
            is_aspect = is_owned(request) or _ASPECT.match(request.topic) is not None
            readable = in_words_asked(request.topic, memories, is_aspect=is_aspect)
        found, evidence = by_topic(request, readable, similarity, off), "scope"
        found = without_other_gender(found, memories, request.topic, request.names)
        found = of_speaker(request, memories, not_owned_otherwise(request.topic, memories, found))
        if found and request.is_wide and request.names and "names" not in off:
            found |= _as_subject(request, memories, found)
        if "names" not in off:
            found |= without_kind(request, memories, found)
    if evidence in ("identity", "names") and "scope" not in off and not request.identifiers:
        before = len(found)
        found = of_statement(request, memories, found)
        is_told = is_told or len(found) < before
    if found and evidence != "identity" and "names" not in off:
        found = without_run_on(request.topic, memories, without_numbered(request.names, memories, found))
        found = without_other_nouns(request, memories, without_longer(request, memories, found))
    if "scope" not in off:
        found = without_relatives(request, memories, found) if is_told or evidence == "scope" else found
        found = of_polarity(request, memories, found)
    if found and evidence == "scope" and "links" not in off:
        found |= introduced(request, memories, found)
    if found and request.kept:
        found = _without_kept(request, memories, found)
    if not found:
        return Unsure(f"no memory is surely meant by {request.topic!r}")
    edits = _edits(request, memories, found) if purge and "clauses" not in off else {}
    reasons = "; ".join(f"{position}: {why}" for position, why in sorted(found.items()))
    whole = tuple(sorted(found.keys() - edits.keys()))
    return Matches(whole, f"{evidence}: {reasons}", tuple(sorted(edits.items())))


def _edits(request: Request, memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """Of the memories on a name that give several attributes, what stays of each without the one asked for."""
    if not request.names or not request.aspect or request.is_wide or request.codes or request.identifiers:
        return {}
    named = [position for position in found if any(same_script_hit(name, memories[position]) for name in request.names)]
    left = {position: without(memories[position], request.aspect) for position in named}
    return {position: text for position, text in left.items() if text}


def _may_describe(request: Request) -> bool:
    return not request.names and not is_denial(request.topic)


_ASPECT = re.compile(r"(?i:wh\w+|how)\b|(?:the |our )?(?:[a-z]+ ){1,3}(?:of|for) [A-Z]")
"""How a request for one thing about a name begins."""
_HONORIFIC = re.compile(r"(?<=[^\W\d_])-(?:san|sama|sensei|senpai|ssi)\b")
"""What other languages put after a name to address its owner."""
_PLACE = re.compile(
    r"\b(?:in|on|at|for|of|outside|inside|near|to|from|by|behind|under|over|about|concerning|regarding)\b(?: the)?"
    r"((?: \w+){0,2}) $"
)


def _only_where(request: Request, *, purge: bool) -> bool:
    """Whether the code only gives a place or owner ("room 3's lamp"; for a release "the lamp in room 3")."""
    if not request.codes:
        return False
    if re.match(r"'s? [a-z]", request.text[max(code.end for code in request.codes) :]):
        return bool(heads_of(request))
    if purge:
        return False
    before = request.text[: min(code.start for code in request.codes)]
    place = _PLACE.search(before)
    if place is not None and not place[1].strip() and re.search(r"\b(?:under|by)(?: the)? $", before):
        return False
    return place is not None and bool(set(request.aspect) - set(content_keys(place[1])))


_SHORT = 3
"""Longest code, in letters and digits, that numbers rooms and the like, of which many things have the same."""


def _is_named_first(request: Request) -> bool:
    """Whether a name stands before the code, which only says where it belongs ("Mr Lee from apartment 5")."""
    if not request.codes:
        return False
    code = min(request.codes, key=lambda code: code.start)
    place = re.search(r"\b(?:in|on|at|from|of)\b(?: the)?((?: \w+){0,2}) $", request.text[: code.start])
    if place is None or len(code.form) > _SHORT or not set(request.aspect) <= {key(label) for label in code.labels}:
        return False
    return 0 <= request.text.find(request.names[0].words[0]) < place.start()


def _as_subject(request: Request, memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """The memories whose subject is just the name.

    Where everything is asked for about the name with a noun ("the Lisbon depot").
    """
    name = request.names[0]
    behind = re.search(rf"{re.escape(' '.join(name.words))} ([a-z]+)", request.topic)
    if behind is None or key(behind[1]) not in request.aspect:
        return {}
    own = [word.casefold() for word in name.words]
    subjects = {
        position: [word.text.casefold() for word in words(subject(memory))] for position, memory in enumerate(memories)
    }
    return {
        position: f"is about {name.shown()}"
        for position, said in subjects.items()
        if position not in found and [word for word in said if word not in ("the", "our")] == own
    }


def _asked(request: Request) -> str:
    return ", ".join([*(code.form for code in request.codes), *(one.shown() for one in request.identifiers)])


def _needs_code(request: Request) -> bool:
    """Whether the name is only the label of a code ("Room 21B")."""
    return all(
        any(set(name.folded) <= set(map(fold, code.labels[-len(name.words) - 1 :])) for code in request.codes)
        for name in request.names
    )


def _by_name(request: Request, memories: Sequence[str], off: frozenset[str], *, purge: bool) -> dict[int, str]:
    request = with_full_name(_without_places(request), memories)
    if re.search(r"\b(?:and|&)\b", request.topic) and len(request.names) > 1:
        found: dict[int, str] = {}
        for name in request.names:
            found |= memories_about([name], memories, wide=True, links="links" not in off, strict=purge)
        return found
    names = request.names
    joined = re.fullmatch(r"([^\W\d_][\w' -]*), ([^\W\d_][\w' -]*)", request.topic)
    if joined and len(names) == 2 and names[0].script == names[1].script:
        names = (Name((*names[1].words, *names[0].words)),)
    elif len(names) > 1 and len({name.script for name in names}) == 1:
        by_name = [
            memories_about([name], memories, wide=True, links="links" not in off, strict=purge) for name in names
        ]
        by_name = [found for found in by_name if found]
        both = [position for position in (by_name[0] if by_name else ()) if all(position in other for other in by_name)]
        aka = re.search(r"\b(?:also|aka|a\.k\.a\.?|alias|formerly|n[ée]e|or)\b|\(", request.topic)
        if aka:
            return {position: why for found in by_name for position, why in found.items()}
        return {position: by_name[0][position] for position in both} if both else (by_name[0] if by_name else {})
    return memories_about(names, memories, wide=True, links="links" not in off, strict=purge)


def _of_attribute(request: Request, memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """Of an entity's memories, those with the attribute that a request names right after it ("Henry phone")."""
    if not request.names or request.is_wide:
        return found
    after = request.topic[request.topic.find(request.names[0].words[-1]) + len(request.names[0].words[-1]) :]
    nouns = [word for word in content_keys(after) if word in request.aspect]
    if (
        not re.match(r"(?:'s)? (?!(?:from|on|at|in|of|with|who|is|has|was|by|and|for|the|our|my)\b)[a-z]", after)
        or not nouns
        or nouns[-1] in _KINDS
    ):
        return found
    held = {position: [word.key for word in words(memories[position])] for position in found}
    left = {position: why for position, why in found.items() if any(alike(nouns[-1], word) for word in held[position])}
    return left or found


def _without_places(request: Request) -> Request:
    """The request without names that only say where the first one belongs ("Ana from the Lisbon desk")."""
    kept = [
        name
        for number, name in enumerate(request.names)
        if not number
        or not re.search(
            r"\b(?:from|on|at|in|of|with|by)(?: the| our)? $", request.topic[: request.topic.find(name.words[0])]
        )
    ]
    return replace(request, names=tuple(kept))


_TITLE = re.compile(rf"\b(?:{'|'.join(sorted(TITLES))})\.? $", re.IGNORECASE)


_NOUN_BEHIND = re.compile(
    r"\s+(?!(?:from|on|at|in|of|with|who|has|is|was|wants|will|can|may|and|the|our|my|a|an)\b)[a-z]"
)


def _has_aspect(request: Request, *, purge: bool) -> bool:
    """Whether the request means a part of what is known of its names ("her move"), not all of it."""
    if not request.aspect:
        return False
    if request.by_person:
        return False
    first = request.names[0]
    at = request.topic.find(first.words[0])
    before, after = request.topic[:at], request.topic[at + len(" ".join(first.words)) :]
    before = _TITLE.sub("", before)
    if re.match(r"(?:'s|')\s+\w", request.topic[at + len(first.words[0]) :]) or re.search(r"^[\w -]*?'s\s+\w", after):
        return True
    if request.is_wide and re.search(
        r"\b(?:about|on|of|concerning|regarding|for|with)(?: the| our| that)?(?: \w+)? $", before
    ):
        noun = re.match(r"\s+([a-z]\w+)", after)
        return (
            noun is not None
            and key(noun[1]) in request.aspect
            and key(noun[1]) not in _KINDS
            and not re.match(r"\s+(?:on|in|at|from)\b", after)
        )
    if re.fullmatch(r"(?:the|our|my) ", before, re.IGNORECASE) and key(after.strip(" .,!")) in _KINDS:
        return False
    asked = [word for word in content_keys(before) if word in request.aspect]
    if asked and re.match(r"(?:wh\w+|how) ", before, re.IGNORECASE):
        return True
    asks = re.fullmatch(
        r"(?:(?:what|where|when|how)|(?:the|an?|our|my) .*\b(?:that|which|where)) ", before, re.IGNORECASE
    )
    if asks and set(content_keys(after)) & set(request.aspect):
        return True
    place = re.search(r"\b(?:for|of|in|at|on|from|about|to|with)(?: the| our)?(?: [a-z]+)? $", before)
    if place and any(word in asked for word in content_keys(before[: place.start()])):
        return True
    if (
        not purge
        and re.match(r"\s+(?:and|&) (?!(?:all|every|any|his|her|their)\b)[a-z]", after)
        and not request.is_wide
    ):
        return True
    return not purge and bool(request.aspect) and not asked and not request.is_wide and bool(_NOUN_BEHIND.match(after))


_KINDS = frozenset(
    key(word)
    for word in listed(
        """shop store hotel cafe company firm team person customer client patient guest passenger boat ship family
    group supplier account school club house restaurant server machine dog cat loan"""
    )
) | frozenset(map(key, KINDS))


def _without_kept(request: Request, memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """The memories found, without those that hold what the request says may stay.

    Of memories found by an identifier, only those that hold a name that may stay are left out.
    """
    named = {key(part) for name in request.names for part in name.words}
    kept = [word for word in request.kept if word not in named]
    if request.identifiers or request.codes:
        kept = [word for word in kept if any(other.key == word and other.is_capital for other in words(request.text))]
    left = {
        position: why
        for position, why in found.items()
        if not any(alike(word, other.key) for word in kept for other in words(memories[position]))
    }
    return left or found
