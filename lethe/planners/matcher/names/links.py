"""Rows that speak of an entity without its name: by a description, a number or a kind that only its rows have."""

import functools
import re
from collections.abc import Sequence

from lethe.planners.matcher.identity.identifier import Identifier
from lethe.planners.matcher.identity.identifiers import find
from lethe.planners.matcher.names.inflected import KINDS
from lethe.planners.matcher.names.kinds import groups
from lethe.planners.matcher.names.names import Name, same_script_hit
from lethe.planners.matcher.text.lists import listed
from lethe.planners.matcher.text.mentions import runs
from lethe.planners.matcher.text.syntax import VERBS, subject, verb_position
from lethe.planners.matcher.text.words import FUNCTION_WORDS, Word, alike, all_keys, bare, content, fold, key, words

DESCRIPTION = re.compile(
    r"(?:,|:|\(|-|\b(?:is|was|as))\s*(?:our|a|an|my|their|(?:the )?\w+'s|"
    r"the)\s+((?:[\w-]+\s){0,3}?[\w-]+)(?=[,;.):]|\s(?:joined|is|was|who|of|in|at|on|and|root|images|"
    r"since)\b|$)",
    re.IGNORECASE,
)
_DEFINITE = re.compile(r"\b(?:the|our|that|this|my)\s+((?:[\w-]+\s){0,2}?[\w-]+)(?=(?:'s)?\b)", re.IGNORECASE)
_VAGUE = frozenset(listed("only one sole new old first second main other former own same"))
_CODE = re.compile(
    r"(?<![\w:.,/-])[A-Z]{1,3} \d{2,5}[A-Z]?(?![\w/-]|[.,:]\d)|"
    r"(?<![\w:.,/-])(?=[\w-]*\d)(?:[A-Za-z]{1,4}-?\d{1,6}[A-Za-z]?|(?<=.)\d{1,3}[A-Za-z]|\d{4,})(?![\w/-]|[.,:]\d)"
)
_NUMBERED = re.compile(r"\b(?:nos?|numbers?|nr|items?)\.? (\d+(?:(?:,| and| to|-) ?\d+)*)", re.IGNORECASE)
_HOUSE = re.compile(r"Number \d")
"""A row on a house rather than on somebody with a number."""
_LABELLED = re.compile(
    r"\b(bed|seat|locker|badge|file|case|ticket|matter|account|policy|card|claim|invoice|order|contract|booking|"
    r"licence|license|member|chart|dossier|folder|crate|parcel|bib|serial|"
    r"box) (?:no\.? |number |#)?(\d+(?:[-/]\d+)*[a-z]?)\b(?![.,:]\d)",
    re.IGNORECASE,
)
_NOBODY = re.compile(r"\b(?:nobody|no one|never|neither)\b", re.IGNORECASE)
_FIELD = re.compile(r"""["']?(\w+)["']?\s*[:=]\s*["']?(\d+)\b""")
_IDS = re.compile(r"""(?<!\w)["']?(?:\w*_)?id["']?\s*[:=]\s*["']?(\d+)\b""", re.IGNORECASE)
"""The number of a record, and a field of another one that may refer to it."""
_THE = re.compile(r"(?:The|Our|My) ")
_KINDS = frozenset(map(key, KINDS))
_AGENT = re.compile(r"(?:er|or|ist|ian|eer|ress|ant)$")
_OWNED = re.compile(r"^([^\W\d_]+)(?:, | ?\()(?:the |our )?([^\W\d_]+)(?:'s|s'|') ")


def add_owned(found: dict[int, str], rows: Sequence[str], names: Sequence[Name]) -> None:
    """ "Rex, the Olsens' dog" makes rows on Rex rows on the Olsens."""
    stems = {part.removesuffix("s") for name in names for part in name.folded}
    for position in list(found):
        owned = _OWNED.match(rows[position])
        if owned and fold(owned[2]).removesuffix("s") in stems:
            for other, row in enumerate(rows):
                if other not in found and same_script_hit(Name((owned[1],)), row):
                    found[other] = f"is about {owned[1]}, who belongs to {names[0].shown()}"


def add_described(found: dict[int, str], rows: Sequence[str], own: set[str], described: Sequence[str] = ()) -> None:
    """Add rows that speak of the entity by a description, a kind of name or a number that only its rows have.

    Rows that name somebody else, whom no row on the entity names, are not added.

    Args:
        described: what the request itself calls the entity.
    """
    seeds = [rows[position] for position in found]
    others = [row for position, row in enumerate(rows) if position not in found]
    phrases = [phrase[1] for row in seeds for phrase in DESCRIPTION.finditer(row)]
    flat = {
        key(part) for phrase in phrases for word in phrase.split() if word not in _VAGUE for part in word.split("-")
    }
    asked = {word for phrase in described for word in content(phrase)} - flat
    flat |= asked
    beside = _beside(seeds, own)
    known = own | {part for row in seeds for run in runs(row) for part in run}
    for position, row in enumerate(rows):
        if position in found:
            continue
        rest = [other for other in others if other is not row]
        elsewhere = frozenset[str]().union(*map(all_keys, rest))
        is_parallel = _is_parallel(row, seeds, own)
        why = "" if is_parallel else _description(row, flat, beside, elsewhere, known, own, asked)
        if not why and not names_another(row, known):
            why = _shared(row, seeds, rest, own) or _whole_subject(row, seeds, rest, described)
        if why:
            found[position] = why


def _description(
    row: str,
    flat: set[str],
    beside: set[str],
    elsewhere: frozenset[str],
    known: set[str],
    own: set[str],
    asked: set[str],
) -> str:
    """Why a definite description of a row is the entity's, if it is."""
    label = re.match(r"([^\W\d_a-z][^\W\d_]*(?: [^\W_]+){0,2}):", row)
    if label and not set(next(iter(runs(label[1])), ())) <= known:
        return ""
    for phrase in _DEFINITE.finditer(row):
        said = [key(word) for word in re.split(r"[\s-]", phrase[1].removesuffix("'s")) if word]
        if _names_other(row, phrase, known):
            continue
        goes_on = re.match(r" ([a-z]+)", row[phrase.end() :])
        is_noun = phrase[1].islower() and (goes_on is None or goes_on[1] in FUNCTION_WORDS or goes_on[1] in VERBS)
        if goes_on and not is_noun and said[:1] and said[0] in asked and key(goes_on[1]) not in flat:
            continue
        if (
            said
            and said[0] in flat
            and any(set(said[:size]) <= flat for size in range(len(said), 0, -1))
            and not set(said[:1]) & elsewhere
        ):
            return f"says 'the {phrase[1]}', which only rows on the entity do"
        is_kind = goes_on is not None and len(own) > 1 and (key(goes_on[1]) in _KINDS or bool(groups(goes_on[1])))
        if phrase[1].islower() and set(said) <= set(map(key, own)) and not is_kind:
            continue
        if any(word in beside and word not in elsewhere for word in said):
            return f"says 'the {phrase[1]}', part of what the entity is called"
    return ""


def _names_other(row: str, phrase: re.Match[str], known: set[str]) -> bool:
    """Does the name of somebody else go with a description ("our neighbour Tom Berg")?"""
    at = re.match(r"(?:'s)? (?:of|at|from|for|in|with) (?:the )?", row[phrase.end() :])
    after = row[phrase.end() + at.end() :].partition(",")[0] if at else ""
    if after[:1].isupper() and not set(next(iter(runs(after)), ())) <= known:
        return True
    if _IS_CALLED.search(row[: phrase.start()]) and not set(next(iter(runs(row[: phrase.start()])), known)) <= known:
        return True
    described = row[phrase.start(1) :].partition("'s")[0]
    said = words(described)
    first = next((number for number, word in enumerate(said) if word.is_capital), None)
    if first is None or any(not word.is_content or word.text in VERBS for word in said[:first]):
        return False
    if not re.fullmatch(r"[\w -]*", described[: said[first].start]):
        return False
    run = next(iter(runs(described[said[first].start :])), ())
    return bool(run) and not set(run) <= known


_IS_CALLED = re.compile(r"^[^\W\d_a-z][\w' -]* (?:is|was|are|were)(?: now| still)? $")
"""What stands before a noun that a row calls its subject."""


def names_another(row: str, known: set[str]) -> bool:
    """Does a row name somebody or something that no row on the entity does?

    A single capital that opens the row counts only before a verb or as a possessor.
    """
    for number, run in enumerate(runs(row)):
        if set(run) <= known:
            continue
        if number or len(run) > 1 or not fold(row).startswith(run[0]):
            return True
        after = row[len(run[0]) :]
        if re.match(r"'s ", after) or verb_position(row) == len(run[0]) + 1:
            return True
    return False


def _shared(row: str, seeds: Sequence[str], rest: Sequence[str], own: set[str]) -> str:
    """Why a number, code or date of a row leads to the entity, if only its rows and this one have it."""
    codes = _codes(row) & {code for seed in seeds for code in _codes(seed)}
    codes -= {code for other in rest for code in _codes(other)}
    if codes and not _quantity(row, min(codes)) and not _is_parallel(row, seeds, own):
        return f"has {min(codes)}, which only rows on the entity have"
    pairs = _labelled(row) & {pair for seed in seeds for pair in _labelled(seed)}
    pairs -= {pair for other in rest for pair in _labelled(other)}
    if pairs and not _starts_with_name(row, own) and not _is_parallel(row, seeds, own):
        return f"has {' '.join(min(pairs))}, which only rows on the entity have"
    numbers = {found[1] for found in _NUMBERED.finditer(row) if not _HOUSE.match(row)}
    numbers &= {found[1] for seed in seeds for found in _NUMBERED.finditer(seed)}
    if numbers:
        return f"has no. {min(numbers)}, which only rows on the entity have"
    dates = [
        date for date in _dates(subject(row)) if any(date.is_same(other) for seed in seeds for other in _dates(seed))
    ]
    if dates and not any(date.is_same(other) for date in dates for one in rest for other in _dates(one)):
        return f"speaks of what is on {dates[0].shown()}, as only rows on the entity do"
    records = {number for _, number in _FIELD.findall(row)} & {
        number for seed in seeds for number in _IDS.findall(seed)
    }
    records -= {number for other in rest for number in _IDS.findall(other)}
    if records:
        return f"has record {min(records)}, which is the entity's"
    return ""


def _dates(text: str) -> list[Identifier]:
    return [found for found in find(text) if found.kind == "date"]


@functools.lru_cache(maxsize=4096)
def _codes(row: str) -> frozenset[str]:
    return frozenset(re.sub(r"\s", "", code[0]).casefold() for code in _CODE.finditer(row))


def _whole_subject(row: str, seeds: Sequence[str], rest: Sequence[str], described: Sequence[str]) -> str:
    """Why the description that a row begins with is the entity's: one of its rows says all of that, no other row does.

    "The host of the breakfast show" is who "hosts the breakfast show", "The clarinettist" who "plays the clarinet".
    """
    phrase = _THE.match(row)
    if not phrase:
        return ""
    about = subject(row)
    said = [word for word in words(about if about else phrase[0]) if word.is_content]
    if not said or not about:
        return ""
    if len(said) > 1 and any(_head(about) == _head(phrase) for phrase in described):
        left = [word for word in said if all(word.key not in content(phrase) for phrase in described)]
        if not left or any(_says_all(left, seed) for seed in seeds):
            return f"says '{about}', as the request calls the entity"
    agent = said[0]
    does = [seed for seed in seeds if any(is_doer(agent, word) for word in words(seed))]
    others = [other for other in rest if any(is_doer(agent, word) for word in words(other))]
    if len(said) > 1:
        does = [seed for seed in does if _says_all(said[1:], seed)]
        others = [other for other in others if _says_all(said[1:], other)]
    elif not _AGENT.search(agent.text):
        return ""
    return f"says '{about}', which the entity is" if does and not others else ""


def _head(phrase: str) -> str:
    """The key of the noun that a noun phrase is about: the last word before a preposition."""
    return key(_PREPOSITION.split(phrase.strip(), maxsplit=1)[0].split()[-1])


_PREPOSITION = re.compile(r" (?:of|in|at|on|from|for|with|who|that) ")


def _says_all(said: Sequence[Word], row: str) -> bool:
    held = all_keys(row)
    return all(any(alike(word.key, other) for other in held) for word in said)


def is_doer(agent: Word, word: Word) -> bool:
    """Is a word what somebody so called does or has to do with ("painter" and "paints")?"""
    one, other = fold(agent.text), fold(word.text)
    same = next(
        (at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), min(len(one), len(other))
    )
    return one != other and same >= 4 and len(one) - same <= 4 and len(other) - same <= 3 and word.is_content


def _starts_with_name(row: str, own: set[str]) -> bool:
    """Does a row begin with the full name of somebody else?"""
    first = next(iter(runs(row)), ())
    return len(first) > 1 and row.casefold().startswith(first[0][:3]) and not set(first) & own


def _is_parallel(row: str, seeds: Sequence[str], own: set[str]) -> bool:
    """Does a row say of somebody else what a row on the entity says of it ("Ana uses card 4471", "So does Nils")?

    Then both share what it is; a number in it does not lead from one to the other.
    """
    names = {part for run in runs(row) for part in run}
    if not names - own:
        return False
    said = _statement(row)
    return any(2 * len(said & other) >= len(said | other) for other in map(_statement, seeds))


@functools.lru_cache(maxsize=4096)
def _statement(row: str) -> frozenset[str]:
    """The keys of what a row says, without its names."""
    names = {part for run in runs(row) for part in run}
    return frozenset(word.key for word in words(row) if word.is_content and bare(word.text) not in names)


@functools.lru_cache(maxsize=4096)
def _labelled(row: str) -> frozenset[tuple[str, str]]:
    """The numbered belongings that a row speaks of, and not as nobody's: ("badge", "3391")."""
    return frozenset(
        (key(found[1]), found[2].casefold())
        for found in _LABELLED.finditer(row)
        if not _NOBODY.search(row, 0, found.start())
    )


def _quantity(row: str, code: str) -> bool:
    return bool(re.search(r"\b(?:19|20)\d\d$", code)) or bool(
        re.search(rf"{re.escape(code)} ?(?:%|euros?|dollars?|pounds?|kg|km)", row, re.I)
    )


def _beside(seeds: Sequence[str], own: set[str]) -> set[str]:
    """The keys of what stands before the entity's name in its rows, up to the verb, and of the name's own words."""
    near: set[str] = {key(part) for part in own}
    for row in seeds:
        row_words = words(row)
        verb = verb_position(row)
        for position, word in enumerate(row_words):
            if bare(word.text) not in own or ":" in row[: word.start]:
                continue
            for other in reversed(row_words[max(0, position - 3) : position]):
                if other.text in ("at", "in", "of", "is", "was"):
                    continue
                if other.start == verb or not other.is_content:
                    break
                near.add(other.key)
    return near
