"""Memories on an entity without its name: by a description, a number or a kind that only its memories have."""

import functools
import re
from collections.abc import Sequence

from lethe.planners.matcher.identity.identifier_finders import find
from lethe.planners.matcher.identity.typed_identifier import Identifier
from lethe.planners.matcher.names.base_forms import KINDS
from lethe.planners.matcher.names.kind_words import groups
from lethe.planners.matcher.names.written_names import Name, same_script_hit
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
"""The opening of a memory on a house rather than on somebody with a number."""
_LABELLED = re.compile(
    r"\b(bed|seat|locker|badge|file|case|ticket|matter|account|policy|card|claim|invoice|order|contract|booking|"
    r"licence|license|member|chart|dossier|folder|crate|parcel|bib|serial|"
    r"box) (?:no\.? |number |#)?(\d+(?:[-/]\d+)*[a-z]?)\b(?![.,:]\d)",
    re.IGNORECASE,
)
_NOBODY = re.compile(r"\b(?:nobody|no one|never|neither)\b", re.IGNORECASE)
_FIELD = re.compile(r"""["']?(\w+)["']?\s*[:=]\s*["']?(\d+)\b""")
_IDS = re.compile(r"""(?<!\w)["']?(?:\w*_)?id["']?\s*[:=]\s*["']?(\d+)\b""", re.IGNORECASE)
"""The number of a record, which a field of another one may refer to."""
_THE = re.compile(r"(?:The|Our|My) ")
_KINDS = frozenset(map(key, KINDS))
_AGENT = re.compile(r"(?:er|or|ist|ian|eer|ress|ant)$")
_OWNED = re.compile(r"^([^\W\d_]+)(?:, | ?\()(?:the |our )?([^\W\d_]+)(?:'s|s'|') ")


def add_owned(found: dict[int, str], memories: Sequence[str], names: Sequence[Name]) -> None:
    """Add the memories on Rex to those on the Olsens, where one says "Rex, the Olsens' dog"."""
    stems = {part.removesuffix("s") for name in names for part in name.folded}
    for position in list(found):
        owned = _OWNED.match(memories[position])
        if owned and fold(owned[2]).removesuffix("s") in stems:
            for other, memory in enumerate(memories):
                if other not in found and same_script_hit(Name((owned[1],)), memory):
                    found[other] = f"is about {owned[1]}, who belongs to {names[0].shown()}"


def add_described(found: dict[int, str], memories: Sequence[str], own: set[str], described: Sequence[str] = ()) -> None:
    """Add memories that mean the entity by a description, a kind of name or a number that only its memories have.

    Memories that name somebody else, whom no memory on the entity names, are not added.

    Args:
        described: what the request itself calls the entity.
    """
    seeds = [memories[position] for position in found]
    others = [memory for position, memory in enumerate(memories) if position not in found]
    phrases = [phrase[1] for memory in seeds for phrase in DESCRIPTION.finditer(memory)]
    flat = {
        key(part) for phrase in phrases for word in phrase.split() if word not in _VAGUE for part in word.split("-")
    }
    asked = {word for phrase in described for word in content(phrase)} - flat
    flat |= asked
    beside = _beside(seeds, own)
    known = own | {part for memory in seeds for run in runs(memory) for part in run}
    for position, memory in enumerate(memories):
        if position in found:
            continue
        rest = [other for other in others if other is not memory]
        elsewhere = frozenset[str]().union(*map(all_keys, rest))
        is_parallel = _is_parallel(memory, seeds, own)
        why = "" if is_parallel else _description(memory, flat, beside, elsewhere, known, own, asked)
        if not why and not names_another(memory, known):
            why = _shared(memory, seeds, rest, own) or _whole_subject(memory, seeds, rest, described)
        if why:
            found[position] = why


def _description(
    memory: str,
    flat: set[str],
    beside: set[str],
    elsewhere: frozenset[str],
    known: set[str],
    own: set[str],
    asked: set[str],
) -> str:
    """Why a definite description in a memory is the entity's, if it is."""
    label = re.match(r"([^\W\d_a-z][^\W\d_]*(?: [^\W_]+){0,2}):", memory)
    if label and not set(next(iter(runs(label[1])), ())) <= known:
        return ""
    for phrase in _DEFINITE.finditer(memory):
        said = [key(word) for word in re.split(r"[\s-]", phrase[1].removesuffix("'s")) if word]
        if _names_other(memory, phrase, known):
            continue
        goes_on = re.match(r" ([a-z]+)", memory[phrase.end() :])
        is_noun = phrase[1].islower() and (goes_on is None or goes_on[1] in FUNCTION_WORDS or goes_on[1] in VERBS)
        if goes_on and not is_noun and said[:1] and said[0] in asked and key(goes_on[1]) not in flat:
            continue
        if (
            said
            and said[0] in flat
            and any(set(said[:size]) <= flat for size in range(len(said), 0, -1))
            and not set(said[:1]) & elsewhere
        ):
            return f"says 'the {phrase[1]}', which only memories on the entity do"
        is_kind = goes_on is not None and len(own) > 1 and (key(goes_on[1]) in _KINDS or bool(groups(goes_on[1])))
        if phrase[1].islower() and set(said) <= set(map(key, own)) and not is_kind:
            continue
        if any(word in beside and word not in elsewhere for word in said):
            return f"says 'the {phrase[1]}', part of what the entity is called"
    return ""


def _names_other(memory: str, phrase: re.Match[str], known: set[str]) -> bool:
    """Whether the name of somebody else belongs to a description ("our neighbour Tom Berg")."""
    at = re.match(r"(?:'s)? (?:of|at|from|for|in|with) (?:the )?", memory[phrase.end() :])
    after = memory[phrase.end() + at.end() :].partition(",")[0] if at else ""
    if after[:1].isupper() and not set(next(iter(runs(after)), ())) <= known:
        return True
    if (
        _IS_CALLED.search(memory[: phrase.start()])
        and not set(next(iter(runs(memory[: phrase.start()])), known)) <= known
    ):
        return True
    described = memory[phrase.start(1) :].partition("'s")[0]
    said = words(described)
    first = next((number for number, word in enumerate(said) if word.is_capital), None)
    if first is None or any(not word.is_content or word.text in VERBS for word in said[:first]):
        return False
    if not re.fullmatch(r"[\w -]*", described[: said[first].start]):
        return False
    run = next(iter(runs(described[said[first].start :])), ())
    return bool(run) and not set(run) <= known


_IS_CALLED = re.compile(r"^[^\W\d_a-z][\w' -]* (?:is|was|are|were)(?: now| still)? $")
"""What stands before a noun that a memory calls its subject."""


def names_another(memory: str, known: set[str]) -> bool:
    """Whether a memory names somebody or something that no memory on the entity does.

    A single capital that opens the memory only counts before a verb or as a possessor.
    """
    for number, run in enumerate(runs(memory)):
        if set(run) <= known:
            continue
        if number or len(run) > 1 or not fold(memory).startswith(run[0]):
            return True
        after = memory[len(run[0]) :]
        if re.match(r"'s ", after) or verb_position(memory) == len(run[0]) + 1:
            return True
    return False


def _shared(memory: str, seeds: Sequence[str], rest: Sequence[str], own: set[str]) -> str:
    """Why a memory shares a number, date or code with the entity's memories alone, if it does."""
    codes = _codes(memory) & {code for seed in seeds for code in _codes(seed)}
    codes -= {code for other in rest for code in _codes(other)}
    if codes and not _quantity(memory, min(codes)) and not _is_parallel(memory, seeds, own):
        return f"has {min(codes)}, which only memories on the entity have"
    pairs = _labelled(memory) & {pair for seed in seeds for pair in _labelled(seed)}
    pairs -= {pair for other in rest for pair in _labelled(other)}
    if pairs and not _starts_with_name(memory, own) and not _is_parallel(memory, seeds, own):
        return f"has {' '.join(min(pairs))}, which only memories on the entity have"
    numbers = {found[1] for found in _NUMBERED.finditer(memory) if not _HOUSE.match(memory)}
    numbers &= {found[1] for seed in seeds for found in _NUMBERED.finditer(seed)}
    if numbers:
        return f"has no. {min(numbers)}, which only memories on the entity have"
    dates = [
        date for date in _dates(subject(memory)) if any(date.is_same(other) for seed in seeds for other in _dates(seed))
    ]
    if dates and not any(date.is_same(other) for date in dates for one in rest for other in _dates(one)):
        return f"speaks of what is on {dates[0].shown()}, as only memories on the entity do"
    records = {number for _, number in _FIELD.findall(memory)} & {
        number for seed in seeds for number in _IDS.findall(seed)
    }
    records -= {number for other in rest for number in _IDS.findall(other)}
    if records:
        return f"has record {min(records)}, which is the entity's"
    return ""


def _dates(text: str) -> list[Identifier]:
    return [found for found in find(text) if found.kind == "date"]


@functools.lru_cache(maxsize=4096)
def _codes(memory: str) -> frozenset[str]:
    return frozenset(re.sub(r"\s", "", code[0]).casefold() for code in _CODE.finditer(memory))


def _whole_subject(memory: str, seeds: Sequence[str], rest: Sequence[str], described: Sequence[str]) -> str:
    """Why the description that a memory begins with is the entity's, if one of its memories alone says all of that.

    "The host of the breakfast show" is who "hosts the breakfast show", "The clarinettist" who "plays the clarinet".
    """
    phrase = _THE.match(memory)
    if not phrase:
        return ""
    about = subject(memory)
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


def _says_all(said: Sequence[Word], memory: str) -> bool:
    held = all_keys(memory)
    return all(any(alike(word.key, other) for other in held) for word in said)


def is_doer(agent: Word, word: Word) -> bool:
    """Whether a word is what somebody so called does or has to do with ("painter" and "paints")."""
    one, other = fold(agent.text), fold(word.text)
    same = next(
        (at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), min(len(one), len(other))
    )
    return one != other and same >= 4 and len(one) - same <= 4 and len(other) - same <= 3 and word.is_content


def _starts_with_name(memory: str, own: set[str]) -> bool:
    """Whether a memory begins with the full name of somebody else."""
    first = next(iter(runs(memory)), ())
    return len(first) > 1 and memory.casefold().startswith(first[0][:3]) and not set(first) & own


def _is_parallel(memory: str, seeds: Sequence[str], own: set[str]) -> bool:
    """Whether a memory says of somebody else what a memory on the entity says of it.

    After "Ana uses card 4471" and "So does Nils" both share the card: a number in it does not lead from one to the
    other.
    """
    names = {part for run in runs(memory) for part in run}
    if not names - own:
        return False
    said = _statement(memory)
    return any(2 * len(said & other) >= len(said | other) for other in map(_statement, seeds))


@functools.lru_cache(maxsize=4096)
def _statement(memory: str) -> frozenset[str]:
    """The keys of what a memory says, without its names."""
    names = {part for run in runs(memory) for part in run}
    return frozenset(word.key for word in words(memory) if word.is_content and bare(word.text) not in names)


@functools.lru_cache(maxsize=4096)
def _labelled(memory: str) -> frozenset[tuple[str, str]]:
    """The numbered belongings that a memory gives to somebody: ("badge", "3391")."""
    return frozenset(
        (key(found[1]), found[2].casefold())
        for found in _LABELLED.finditer(memory)
        if not _NOBODY.search(memory, 0, found.start())
    )


def _quantity(memory: str, code: str) -> bool:
    return bool(re.search(r"\b(?:19|20)\d\d$", code)) or bool(
        re.search(rf"{re.escape(code)} ?(?:%|euros?|dollars?|pounds?|kg|km)", memory, re.I)
    )


def _beside(seeds: Sequence[str], own: set[str]) -> set[str]:
    """The keys of what stands before the entity's name in its memories, up to the verb, and of the name's own words."""
    near: set[str] = {key(part) for part in own}
    for memory in seeds:
        memory_words = words(memory)
        verb = verb_position(memory)
        for position, word in enumerate(memory_words):
            if bare(word.text) not in own or ":" in memory[: word.start]:
                continue
            for other in reversed(memory_words[max(0, position - 3) : position]):
                if other.text in ("at", "in", "of", "is", "was"):
                    continue
                if other.start == verb or not other.is_content:
                    break
                near.add(other.key)
    return near
