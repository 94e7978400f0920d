"""Which rows a purge or release means: by identifier, by entity, by topic, as wide as the request is meant."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from lethe.hooks.planner import Matches, Unsure
from lethe.hooks.rules.clauses import without
from lethe.hooks.rules.codes import Code, is_respelled
from lethe.hooks.rules.entities import add_described, entity_described, rows_about, runs
from lethe.hooks.rules.identifiers import TOP_LEVEL, WEAK_KINDS, defanged, find, numeric_ips, phones
from lethe.hooks.rules.lists import listed
from lethe.hooks.rules.literal import not_owned_otherwise, one_of_a_kind
from lethe.hooks.rules.names import Name
from lethe.hooks.rules.requests import Request, read_request
from lethe.hooks.rules.spelled import plain_codes
from lethe.hooks.rules.statements import of_statement
from lethe.hooks.rules.syntax import is_denial
from lethe.hooks.rules.words import alike, clean, fold, key, words

Similarity = Callable[[str, Sequence[str]], list[float]]
"""(text, other texts) to their cosine similarities."""


def match(
    target: str, candidates: Sequence[str], similarity: Similarity | None, off: frozenset[str], *, purge: bool
) -> Matches | Unsure:
    """The candidates that a purge's or release's `target` means."""
    rows = [defanged(clean(row)) for row in candidates]
    plain = [plain_codes(row) for row in rows]
    request = read_request(target)
    found: dict[int, str] = {}
    rule = ""
    if "identity" not in off and (request.identifiers or request.codes):
        found = _by_identifier(request, plain)
        rule = "identity"
    if request.handle and "identity" not in off:
        handle = request.handle
        held = [position for position, row in enumerate(plain) if handle.is_in(row)]
        if any(is_respelled(handle, plain[position]) for position in held):
            found, rule = dict.fromkeys(held, f"handle {handle.form}"), "identity"
    weak = bool(request.identifiers) and not request.codes and all(o.kind in WEAK_KINDS for o in request.identifiers)
    if found and weak:
        found = _with_the_rest(request, rows, found)
    elif found and any(len("".join(name.words)) > 1 for name in request.names) and not _is_qualifier(request):
        found |= _by_name(request, rows, off, purge=purge)
    if found and not purge and _only_where(request):
        heads = _heads(request)
        both = {
            position: why
            for position, why in found.items()
            if any(alike(head, word.key) for head in heads for word in words(rows[position]))
        }
        found, rule = (both, "scope") if both else (found, rule)
    sure = any(re.search(r"\d", code.form) for code in request.codes) or (request.identifiers and not weak)
    if not found and rule and sure and purge:
        return Unsure(f"identity: no row holds {_asked(request)}")
    if not found and "links" not in off and not request.names and (described := entity_described(request.topic, rows)):
        request = replace(request, names=(described,), aspect=(), is_wide=True)
    if not found and "identity" not in off and not request.codes:
        found, rule = one_of_a_kind(request.aspect, request.topic, rows), "identity"
    named = "names" not in off and request.names and not (request.codes and _needs_code(request))
    if not found and named and ("scope" in off or not _has_aspect(request, purge=purge)):
        found, rule = _by_name(request, rows, off, purge=purge), "names"
        found = _of_attribute(request, rows, found) if purge else found
    if not found and "scope" not in off:
        found, rule = by_topic(request, rows, similarity, off, purge=purge), "scope"
        found = not_owned_otherwise(request.topic, rows, found)
    if rule in ("identity", "names") and "scope" not in off and not request.identifiers:
        found = of_statement(request, rows, found)
    if found and request.kept:
        found = _without_kept(request, rows, found)
    if not found:
        return Unsure(f"no row is surely meant by {request.topic!r}")
    edits = _edits(request, rows, found) if purge and "clauses" not in off else {}
    reasons = "; ".join(f"{position}: {why}" for position, why in sorted(found.items()))
    whole = tuple(sorted(found.keys() - edits.keys()))
    return Matches(whole, f"{rule}: {reasons}", tuple(sorted(edits.items())))


def _edits(request: Request, rows: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """Rows that give several attributes of the named one, of which the request asks for one: what stays of them."""
    if not request.names or not request.aspect or request.is_wide or request.codes or request.identifiers:
        return {}
    left = {position: without(rows[position], request.aspect) for position in found}
    return {position: text for position, text in left.items() if text}


def _only_where(request: Request) -> bool:
    """Does the code only say where or of what something is ("the lamp in room 3")?"""
    if not request.codes:
        return False
    before = request.text[: min(code.start for code in request.codes)]
    place = re.search(
        r"\b(?:in|on|at|for|of|outside|inside|near|to|from|by|behind|under|over)\b(?: the)?((?: \w+){0,2}) $", before
    )
    return place is not None and bool(set(request.aspect) - set(_content_keys(place[1])))


def _asked(request: Request) -> str:
    return ", ".join([*(code.form for code in request.codes), *(one.shown() for one in request.identifiers)])


def _needs_code(request: Request) -> bool:
    """Is the name no more than the label of a code ("Room 21B")?"""
    labels = {fold(label) for code in request.codes for label in code.labels}
    return all(set(name.folded) <= labels for name in request.names)


def _is_qualifier(request: Request) -> bool:
    """Do the names of a request with identifiers only narrow it ("on the X account") or label it?"""
    if any(code.after for code in request.codes):
        return True
    for name in request.names:
        before = request.text[: request.text.find(name.words[0])]
        if re.search(r"\b(?:on|at|in|for|of|from|with|by|to)(?: the| our)? $", before):
            return True
    return _needs_code(request)


def _by_identifier(request: Request, rows: Sequence[str]) -> dict[int, str]:
    found: dict[int, str] = {}
    strong = [identifier for identifier in request.identifiers if identifier.kind not in WEAK_KINDS]
    typed = strong or request.identifiers
    telling = (*request.codes, *_host_codes(request))
    if len(telling) > 1 and not re.search(r"\b(?:and|or|both)\b|,|/", request.text[telling[0].end : telling[-1].start]):
        longest = max(telling, key=lambda code: len(code.form))
        if len(longest.form) >= 6 or any(not code.labels for code in telling):
            telling = (longest,)
        else:
            return {
                position: "all codes" for position, row in enumerate(rows) if all(code.is_in(row) for code in telling)
            }
    for position, row in enumerate(rows):
        for wanted in typed:
            held = [*find(row)]
            if wanted.kind == "ip":
                held += numeric_ips(row)
            if wanted.kind == "phone":
                held += phones(row, any_number=True)
            same = next((one for one in held if wanted.is_same(one)), None)
            if same:
                found[position] = same.shown()
        for code in telling:
            if position not in found and code.is_in(row):
                found[position] = f"code {code.form}"
    if not strong and len({wanted.kind for wanted in typed}) > 1:
        for position in list(found):
            held = [*find(rows[position])]
            if any(
                any(one.kind == wanted.kind for one in held) and not any(wanted.is_same(one) for one in held)
                for wanted in typed
            ):
                del found[position]
    if any(code.is_ending for code in request.codes):
        found = _whole_numbers(request, rows, found)
    return found


def _with_the_rest(request: Request, rows: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """Of the rows with an amount, date or time those that also have a name or word of the request, if there are any."""
    is_exact = any(re.match(r"\d{4}", form) for one in request.identifiers for form in one.forms if one.kind == "date")
    told = {*(() if is_exact else request.aspect), *(key(part) for name in request.names for part in name.words)}
    both = {
        position: why
        for position, why in found.items()
        if any(alike(word, other.key) for word in told for other in words(rows[position]))
    }
    return both or found


def _host_codes(request: Request) -> list[Code]:
    """What looks like a bare host or a hexadecimal address may be a code."""
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
        or (kind == "mac" and surface.isalnum())
        or (
            kind == "url"
            and re.fullmatch(r"[^\W_]+(?:\.[^\W_]+)+", surface)
            and (
                (surface.isupper() and re.search(r"\d", surface))
                or (surface.rpartition(".")[2].casefold() not in TOP_LEVEL)
            )
        )
    ]


def _whole_numbers(request: Request, rows: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """Last digits are not unique: the rows that also have the request's names say which whole number is meant."""
    named = {position for position in found if any(_has_name(name, rows[position]) for name in request.names)}
    if not request.names or not named:
        return found
    wholes = {number for position in named for number in _long_numbers(rows[position])}
    ends = tuple(code.form for code in request.codes if code.is_ending)
    wholes = {number for number in wholes if number.endswith(ends)}
    return {
        position: why for position, why in found.items() if position in named or wholes & _long_numbers(rows[position])
    }


def _long_numbers(row: str) -> set[str]:
    return {re.sub(r"\D", "", number) for number in re.findall(r"\d(?:[ -]?\d){7,18}", row)}


def _has_name(name: Name, row: str) -> bool:
    held = {fold(word.text) for word in words(row)}
    return set(name.folded) <= held


def _by_name(request: Request, rows: Sequence[str], off: frozenset[str], *, purge: bool) -> dict[int, str]:
    request = _without_places(request)
    if re.search(r"\b(?:and|&)\b", request.topic) and len(request.names) > 1:
        found: dict[int, str] = {}
        for name in request.names:
            found |= rows_about([name], rows, wide=True, links="links" not in off, strict=purge)
        return found
    names = request.names
    joined = re.fullmatch(r"([^\W\d_][\w' -]*), ([^\W\d_][\w' -]*)", request.topic)
    if joined and len(names) == 2 and names[0].script == names[1].script:
        names = (Name((*names[1].words, *names[0].words)),)
    elif len(names) > 1 and len({name.script for name in names}) == 1:
        by_name = [rows_about([name], rows, wide=True, links="links" not in off, strict=purge) for name in names]
        by_name = [found for found in by_name if found]
        both = [position for position in (by_name[0] if by_name else ()) if all(position in other for other in by_name)]
        aka = re.search(r"\b(?:also|aka|a\.k\.a\.?|alias|formerly|n[ée]e|or)\b|\(", request.topic)
        if aka:
            return {position: why for found in by_name for position, why in found.items()}
        return {position: by_name[0][position] for position in both} if both else (by_name[0] if by_name else {})
    return rows_about(names, rows, wide=True, links="links" not in off, strict=purge)


def _of_attribute(request: Request, rows: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """Of an entity's rows those with the attribute that a request names right behind it ("Henry phone")."""
    if not request.names or request.is_wide:
        return found
    after = request.topic[request.topic.find(request.names[0].words[-1]) + len(request.names[0].words[-1]) :]
    nouns = [word for word in _content_keys(after) if word in request.aspect]
    if (
        not re.match(r"(?:'s)? (?!(?:from|on|at|in|of|with|who|is|has|was|by|and|for)\b)[a-z]", after)
        or not nouns
        or nouns[-1] in _KINDS
    ):
        return found
    held = {position: [word.key for word in words(rows[position])] for position in found}
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


def _has_aspect(request: Request, *, purge: bool) -> bool:
    """Does the request mean a part of what is known of its names ("her move"), not all of it?"""
    if not request.aspect:
        return False
    if request.by_person:
        return False
    first = request.names[0]
    at = request.topic.find(first.words[0])
    before, after = request.topic[:at], request.topic[at + len(" ".join(first.words)) :]
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
    asked = [word for word in _content_keys(before) if word in request.aspect]
    return (
        bool(asked) and re.search(r"\b(?:for|of|in|at|on|from|about|to|with)(?: the| our)? $", before) is not None
    ) or (
        not purge
        and bool(request.aspect)
        and not asked
        and not request.is_wide
        and bool(re.match(r"\s+(?!(?:from|on|at|in|of|with|who|has|is|was|wants|will|can|may|and)\b)[a-z]", after))
    )


_KINDS = frozenset(
    key(word)
    for word in listed(
        """shop store hotel cafe company firm team person customer client patient guest passenger boat ship family
    group supplier account school club house restaurant server machine dog cat loan"""
    )
)


def _content_keys(text: str) -> list[str]:
    return [word.key for word in words(text) if word.is_content]


def by_topic(
    request: Request, rows: Sequence[str], similarity: Similarity | None, off: frozenset[str], *, purge: bool
) -> dict[int, str]:
    """The rows that hold the most telling words of the topic; similarity breaks ties and stands in for other words."""
    named: dict[int, str] = {}
    shares_of_names = [0.0] * len(rows)
    if request.names and "names" not in off:
        named = rows_about(request.names, rows, wide=False, links=False)
        if len({name.script for name in request.names}) == 1 < len(request.names):
            each = [rows_about([name], rows, wide=False, links=False) for name in request.names]
            shares_of_names = [sum(position in one for one in each) / len(each) for position in range(len(rows))]
        else:
            shares_of_names = [float(position in named) for position in range(len(rows))]
    wanted = list(dict.fromkeys([*request.aspect, *(code.form for code in request.codes)]))
    held = [{word.key for word in words(row)} for row in rows]
    count = {word: sum(any(alike(word, other) for other in row) for row in held) for word in wanted}
    weight = {word: math.log(1 + len(rows) / count[word]) for word in wanted if count[word]}
    similar = similarity(request.topic, rows) if similarity else [0.0] * len(rows)
    total = sum(weight.values()) or 1.0
    denied, denies = is_denial(request.topic, states=True), [is_denial(row, states=True) for row in rows]
    scores = []
    for position in range(len(rows)):
        share = sum(weight[word] for word in weight if any(alike(word, other) for other in held[position])) / total
        sides = 0.15 if denies[position] == denied else 0.0
        scores.append(share + 0.6 * shares_of_names[position] + 0.5 * similar[position] + sides)
    heads = _heads(request)
    pool = [
        position
        for position in range(len(rows))
        if not named
        or position in named
        or (heads and _is_definite(rows[position], heads) and not _other_name(rows[position], request))
    ]
    if not pool or (not weight and not named):
        return {}
    best = max(scores[position] for position in pool)
    floor = best - (0.3 if request.is_wide else 0.22)
    found = {
        position: f"scores {scores[position]:.2f} of {best:.2f} for {', '.join(weight) or 'the topic'}"
        for position in pool
        if (scores[position] >= floor and scores[position] > 0.25)
        or (
            (request.is_wide or _is_owned(request))
            and (_has_all(held[position], heads) or (position in named and _has_own(held, position, named, heads)))
            and denies[position] == denied
        )
    }
    is_entry = len(weight) == 1 and any(re.match(rf"{re.escape(min(weight))}\w*: ", row, re.IGNORECASE) for row in rows)
    if (request.is_wide or is_entry) and not request.names and len(weight) == 1 and "links" not in off:
        add_described(found, rows, set(weight))
    return found


def _has_own(held: Sequence[set[str]], position: int, named: dict[int, str], heads: Sequence[str]) -> bool:
    """Has a row on the entity a word of what is asked for that no row on anything else has?"""
    others = [row for other, row in enumerate(held) if other not in named]
    return any(
        any(alike(head, word) for word in held[position])
        and not any(alike(head, word) for row in others for word in row)
        for head in heads
    )


def _is_owned(request: Request) -> bool:
    """Is something of somebody's asked for ("Ana's move")?"""
    return re.search(r"'s \w|s' \w", request.topic) is not None


def _heads(request: Request) -> tuple[str, ...]:
    """The keys of what is asked for: behind a possessive, or before the first preposition."""
    owned = re.search(r"(?:'s|s'|\b(?:his|her|their|its))\s+((?:[\w-]+\s?){1,3})", request.topic)
    phrase = (
        owned[1]
        if owned
        else re.split(r"\b(?:for|of|in|at|on|from|about|with|that|which|outside|by)\b", request.topic, maxsplit=1)[0]
    )
    return tuple(word for word in _content_keys(phrase) if word in request.aspect)


def _has_all(row: set[str], heads: Sequence[str]) -> bool:
    return bool(heads) and all(any(alike(head, other) for other in row) for head in heads)


def _is_definite(row: str, heads: Sequence[str]) -> bool:
    """Does a row speak of "the" thing that is asked for?"""
    return any(key(found[1]) == heads[-1] for found in re.finditer(r"\b[Tt]he (?:[\w-]+ ){0,1}?([\w-]+)", row))


def _other_name(row: str, request: Request) -> bool:
    own = {part for name in request.names for part in name.folded}
    return any(not set(run) & own for run in runs(row) if not row.lower().startswith(run[0]))


def _without_kept(request: Request, rows: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """Take out rows that hold what the request says may stay and that were not found by an identifier."""
    if request.identifiers or request.codes:
        return found
    named = {key(part) for name in request.names for part in name.words}
    kept = [word for word in request.kept if word not in named]
    left = {
        position: why
        for position, why in found.items()
        if not any(alike(word, other.key) for word in kept for other in words(rows[position]))
    }
    return left or found
