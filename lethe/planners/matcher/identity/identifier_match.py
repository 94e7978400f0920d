"""Which memories hold the identifiers of a request."""

import ipaddress
import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from lethe.planners.matcher.identity.addresses import TOP_LEVEL, numeric_ips
from lethe.planners.matcher.identity.identifier_finders import WEAK_KINDS, defanged, find
from lethe.planners.matcher.identity.number_labels import ACRONYMS, NUMBER_WORDS
from lethe.planners.matcher.identity.phones import phones
from lethe.planners.matcher.identity.spelled_codes import plain_codes
from lethe.planners.matcher.identity.standalone_words import standalone_evidence
from lethe.planners.matcher.identity.typed_identifier import Identifier
from lethe.planners.matcher.identity.untyped_code import Code
from lethe.planners.matcher.names.written_names import CALENDAR, Name
from lethe.planners.matcher.scope.requests import Request, read_request
from lethe.planners.matcher.text.words import alike, clean, fold, key, words


def by_identifier(request: Request, memories: Sequence[str]) -> dict[int, str]:
    """The positions of the memories that hold the identifiers and codes of a request, each with why."""
    found: dict[int, str] = {}
    strong = [identifier for identifier in request.identifiers if identifier.kind not in WEAK_KINDS]
    typed = strong or request.identifiers
    typed = [*typed, *(_as_address(one) for one in typed if one.kind == "number" and int(min(one.forms)) >= 2**24)]
    local = [] if strong else [number for number in phones(request.text, any_number=True) if _is_local(number)]
    telling = (*sorted(request.codes, key=lambda code: code.start), *_host_codes(request))
    between = request.text[telling[0].end : telling[-1].start] if len(telling) > 1 else "or"
    kinds = {key(code.labels[-1]) for code in telling if code.labels}
    if not re.search(r"\b(?:and|or|both)\b|/", between) and len(kinds) != 1:
        longest = max(telling, key=lambda code: len(code.form))
        if len(kinds) == len(telling) and len(longest.form) < 6:
            both = _with_all(telling, memories)
            if both or "," not in between:
                return both
        elif "," not in between:
            telling = (longest,)
    for position, memory in enumerate(memories):
        for wanted in typed:
            held = [*find(memory)]
            if wanted.kind == "ip":
                held += numeric_ips(memory)
            if wanted.kind == "phone":
                held += phones(memory, any_number=True)
            same = next((one for one in held if wanted.is_same(one)), None)
            if same:
                found[position] = same.shown()
        for number in local:
            same = next((one for one in phones(memory) if number.is_same(one)), None)
            if same:
                found[position] = same.shown()
        for code in telling:
            if position not in found and code.is_in(memory):
                found[position] = f"code {code.form}"
    if not strong and typed and request.codes:
        both = {position: why for position, why in found.items() if _has_each(typed, request.codes, memories[position])}
        found = both or found
    if not strong and len({wanted.kind for wanted in typed}) > 1:
        for position in list(found):
            held = [*find(memories[position])]
            if any(
                any(one.kind == wanted.kind for one in held) and not any(wanted.is_same(one) for one in held)
                for wanted in typed
            ):
                del found[position]
    other_kind = {
        position for position in found if telling and all(code.is_other_kind_in(memories[position]) for code in telling)
    }
    if any(code.is_labelled_in(memories[position]) for position in found for code in telling):
        found = {position: why for position, why in found.items() if position not in other_kind}
    found = _of_place(request, memories, found)
    found = _of_handle(telling, memories, found)
    found = _of_name(request.codes, memories, found)
    if any(code.is_ending for code in request.codes):
        found = _whole_numbers(request, memories, found)
    return found


def _has_each(typed: Sequence[Identifier], codes: Sequence[Code], memory: str) -> bool:
    """Whether a memory has one of the dates, times or amounts of a request, and one of its codes."""
    return any(code.is_in(memory) for code in codes) and any(
        one.is_same(other) for one in typed for other in find(memory)
    )


def _with_all(codes: Sequence[Code], memories: Sequence[str]) -> dict[int, str]:
    """The memories that hold all codes of a request ("bed 3, ward B").

    Each code stands with its label, or two are put together ("B3").
    """
    letters, numbers = ([code for code in codes if code.form.isdigit() == is_number] for is_number in (False, True))
    together = [replace(one, surface=one.surface + other.surface, labels=()) for one in letters for other in numbers]
    if len(codes) > 2:
        together = [replace(codes[0], surface="-".join(code.surface for code in codes), labels=())]
    return {
        position: "all codes"
        for position, memory in enumerate(memories)
        if (all(code.is_in(memory) for code in codes) and _is_in_order(codes, memory))
        or any(code.is_in(memory) for code in together)
    }


def _is_in_order(codes: Sequence[Code], memory: str) -> bool:
    """Whether a memory has the codes in the request's order.

    Only codes of which one has no label of its own ("Op. 27 No. 2") need to be.
    """
    if all(set(map(fold, code.labels)) - NUMBER_WORDS for code in codes):
        return True
    places = [code.place_in(memory) for code in codes]
    return places == sorted(places)


def _as_address(number: Identifier) -> Identifier:
    """The network address that a whole number stands for."""
    return replace(number, kind="ip", forms=frozenset({str(ipaddress.IPv4Address(int(min(number.forms)) % 2**32))}))


def _is_local(number: Identifier) -> bool:
    """Whether a number that nothing marks as a telephone number may be one, by its leading zero and its length."""
    return all(re.fullmatch(r"0\d{8,11}", form) for form in number.forms)


def _of_place(request: Request, memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """For "flat 3, Mill House": the memories found, without those that have the number with another name.

    All of them, where no memory has number and name side by side.
    """
    for code in request.codes:
        place = re.match(_PLACE, request.text[code.end :])
        if not place or not code.surface.isdigit() or code.after:
            continue
        number = re.compile(rf"(?<!\d){code.surface}{_PLACE}")
        names = {position: [fold(one[1]) for one in number.finditer(memories[position])] for position in found}
        own = fold(place[1])
        if any(name.startswith(own) for every in names.values() for name in every):
            found = {
                position: why
                for position, why in found.items()
                if not names[position] or any(name.startswith(own) for name in names[position])
            }
    return found


_PLACE = r",? (?:in |at |on )?(?:the )?([A-Z][^\W\d_]+(?:[ '-][A-Z]?[^\W\d_]+)?)"


def _of_handle(codes: Sequence[Code], memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """The memories found, without those that only have another account's handle or only the words of the handle.

    Another handle differs in its signs ("@ana.b" for "@ana_b"); the words of "night_owl" are "a night owl".
    """
    for code in codes:
        if re.fullmatch(r"@?[a-z]+(?:_[a-z]+)+", code.surface):
            first, rest = (own := code.surface.lstrip("@"))[0], own[1:].replace("_", " ")
            said = re.compile(rf"(?<![@#\"'\w])(?i:{first}){rest}(?![\w\"'])")
            plain = {position for position in found if said.search(memories[position])}
            if len(plain) < len(found):
                found = {position: why for position, why in found.items() if position not in plain}
        if not re.fullmatch(r"@\w+|@?[^\W\d]\w*(?:[._-]\w+)+", code.surface):
            continue
        own = code.surface.lstrip("@").casefold()
        handles = {position: {one.casefold() for one in _HANDLE.findall(memories[position])} for position in found}
        if any(own in every for every in handles.values()):
            found = {
                position: why
                for position, why in found.items()
                if own in handles[position] or not any(_letters(one) == _letters(own) for one in handles[position])
            }
    return found


_HANDLE = re.compile(r"(?<![\w.])@(\w+(?:[._-]\w+)*)")


def _letters(handle: str) -> str:
    return re.sub(r"[\W_]", "", handle)


def _of_name(codes: Sequence[Code], memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """The memories found on a numbered name ("Quokka 3"), without those where it only continues ("Quokka 3 Pro").

    All of them, where it never stands alone.
    """
    for code in codes:
        if not code.labels or not code.labels[-1][:1].isupper() or not code.surface.isdigit():
            continue
        use = re.compile(rf"\b({re.escape(code.labels[-1])}) {code.surface}( (?-i:[A-Z])[a-z]\w+)?(?!\w)", re.I)
        uses = {position: list(use.finditer(memories[position])) for position in found}
        every = [one for of_memory in uses.values() for one in of_memory]
        if all(one[1][:1].isupper() for one in every) and any(one.start() for one in every):
            goes_on = {
                position
                for position, of_memory in uses.items()
                if of_memory and all(one[2] and fold(one[2].strip()) not in CALENDAR for one in of_memory)
            }
            if len(goes_on) < len(found):
                found = {position: why for position, why in found.items() if position not in goes_on}
    return found


def with_the_rest(request: Request, memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """Of the memories with an amount, date or time, those that share another name or word with the request, if any."""
    is_exact = any(re.match(r"\d{4}", form) for one in request.identifiers for form in one.forms if one.kind == "date")
    told = {*(() if is_exact else request.aspect), *(key(part) for name in request.names for part in name.words)}
    both = {
        position: why
        for position, why in found.items()
        if any(alike(word, other.key) for word in told for other in words(memories[position]))
    }
    return both or found


def _host_codes(request: Request) -> list[Code]:
    """The codes that a request's bare hosts and hexadecimal addresses may be as well."""
    surfaces = [(one.kind, request.text[one.start : one.end]) for one in request.identifiers]
    ends = [surface.rstrip("/").split("/")[-1].split("=")[-1] for kind, surface in surfaces if kind == "url"]
    codes = [
        Code(end, "", (), 0, len(end))
        for (_, surface), end in zip([pair for pair in surfaces if pair[0] == "url"], ends, strict=True)
        if "/" in surface.split("://")[-1].rstrip("/")
        and re.fullmatch(r"@?(?:\w*_\w+|(?=\w*\d)(?=\w*[A-Za-z])[\w-]{9,})", end)
    ]
    return codes + [
        Code(surface.removeprefix("0x"), "", (), 0, len(surface), is_handle=surface.replace(".", "").isalpha())
        for kind, surface in surfaces
        if (kind == "ip" and surface.startswith("0x"))
        or (kind == "colour" and surface.startswith("#"))
        or (kind == "number" and surface.startswith("0x"))
        or (kind == "mac" and surface.isalnum())
        or (
            kind == "url"
            and re.fullmatch(r"[^\W_][\w-]*(?:\.[^\W_]+)+", surface)
            and (
                (surface.isupper() and re.search(r"\d", surface))
                or (surface.rpartition(".")[2].casefold() not in TOP_LEVEL)
            )
        )
    ]


def _whole_numbers(request: Request, memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """For last digits: the memories found with the whole number that is meant.

    Last digits are not unique; the memories that also have the request's names say which whole number is meant.
    """
    named = {position for position in found if any(_has_name(name, memories[position]) for name in request.names)}
    if not request.names or not named:
        return found
    wholes = {number for position in named for number in _long_numbers(memories[position])}
    ends = tuple(code.form for code in request.codes if code.is_ending)
    wholes = {number for number in wholes if number.endswith(ends)}
    return {
        position: why
        for position, why in found.items()
        if position in named or wholes & _long_numbers(memories[position])
    }


def _long_numbers(memory: str) -> set[str]:
    return {re.sub(r"\D", "", number) for number in re.findall(r"\d(?:[ -]?\d){7,18}", memory)}


def _has_name(name: Name, memory: str) -> bool:
    held = {fold(word.text) for word in words(memory)}
    return set(name.folded) <= held


def names_beside(request: Request, memories: Sequence[str], found: Collection[int]) -> tuple[Name, ...]:
    """The names beside an identifier that are another way to say who is meant ("Ana Ruiz, ana@ruiz.example").

    Names of a place, a label of the identifier and whoever asks are left out. A name that other memories have with
    another number of the kind ("flat 7, Elm Court", "Flat 9, Elm Court") is a place.
    """
    if any(code.after for code in request.codes):
        return ()
    kinds = [key(code.labels[-1]) for code in request.codes if code.labels]
    others = [
        memory
        for position, memory in enumerate(memories)
        if position not in found
        and any(key(kind) in kinds for kind in re.findall(r"([^\W\d_]+)\.? (?:no\.? |#)?\d", memory))
    ]
    labels = {fold(label) for code in request.codes for label in code.labels}
    names = []
    for name in request.names:
        before, _, after = request.text.partition(name.words[0])
        is_place = re.search(r"\b(?:on|at|in|for|of|from|with|by|to)(?: the| our)? $", before) is not None
        asks = not before.strip() and len(name.words) == 1 and re.match(r" [a-z]", after)
        is_place = is_place or any(_has_name(name, memory) for memory in others)
        is_place = is_place or re.search(rf"\b{re.escape(name.words[-1])}(?:'s|s') ", request.text) is not None
        is_label = set(name.folded) <= labels or set(name.words) <= ACRONYMS
        if len("".join(name.words)) > 1 and not (is_place or asks or is_label):
            names.append(name)
    return tuple(names)


def in_one_form(query: str, memories: Sequence[str]) -> list[str]:
    """The memories with the identifiers and codes of a query written as the query writes them."""
    request = read_request(query)
    codes = [code for code in request.codes if re.search(r"\d", code.form) and not code.is_ending]
    strong = [one for one in request.identifiers if one.kind not in WEAK_KINDS]
    written = []
    for memory in memories:
        for code in codes:
            memory = code.rewritten_in(memory) if code.is_in(memory) else memory
        for one in strong:
            same = next((other for other in find(memory) if one.is_same(other)), None)
            memory = memory[: same.start] + request.text[one.start : one.end] + memory[same.end :] if same else memory
        written.append(memory)
    return written


def identifier_evidence(query: str, memories: Sequence[str]) -> dict[int, float]:
    """For memories that have an identifier, code or standalone name of a query as others do not: how much this tells.

    1 or 2, as for `standalone_evidence`.
    """
    memories = [defanged(clean(memory)) for memory in memories]
    request = read_request(query)
    strong = tuple(one for one in request.identifiers if one.kind not in WEAK_KINDS)
    bound = re.compile(r"\b(?:before|after|since|until|till) $", re.IGNORECASE)
    codes = tuple(
        code for code in request.codes if re.search(r"\d", code.form) and not bound.search(request.text[: code.start])
    )
    if strong or codes:
        found = by_identifier(
            replace(request, identifiers=strong, codes=codes), [plain_codes(memory) for memory in memories]
        )
        if found:
            return dict.fromkeys(found, 2.0)
    return standalone_evidence(request.text, memories)
