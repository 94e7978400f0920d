"""Which rows are about one person, firm or thing: its full name, its parts, what it is called besides.

A row counts where it names the entity, or uses a part of the name that no other entity of the rows shares, or a
description that stands beside the name in such a row ("Ana Ruiz, our Basque editor": "the Basque editor").
"""

import re
from collections.abc import Sequence

from lethe.hooks.rules.lists import listed
from lethe.hooks.rules.names import CALENDAR, TITLES, Name, rows_of_name, same_script_hit
from lethe.hooks.rules.syntax import VERBS
from lethe.hooks.rules.words import FUNCTION_WORDS, fold, key, words

_PARTICLES = frozenset(listed("van von de der den di da del della la le ten ter bin ibn al el af zu dos do e y"))
_DESCRIPTION = re.compile(
    r"(?:,|:|\(|-|\b(?:is|was|as))\s*(?:our|a|an|my|their|(?:the )?\w+'s|"
    r"the)\s+((?:[\w-]+\s){0,3}?[\w-]+)(?=[,;.):]|\s(?:joined|is|was|who|of|in|at|on|and|root|images|"
    r"since)\b|$)",
    re.IGNORECASE,
)
_DEFINITE = re.compile(r"\b(?:the|our|that|this|my)\s+((?:[\w-]+\s){0,2}?[\w-]+)(?=(?:'s)?\b)", re.IGNORECASE)
_NO_NAMES = FUNCTION_WORDS | TITLES | CALENDAR
_ALSO_NAMES = frozenset(listed("will may april june august per"))
"""First names among the function words and months: names where a capital follows at the start of a row."""
_VAGUE = frozenset(listed("only one sole new old first second main other former own same"))
_CODE = re.compile(
    r"(?<![\w:.,/-])(?=[\w-]*\d)(?:[A-Za-z]{1,4}-?\d{1,6}[A-Za-z]?|\d{1,3}[A-Za-z]|\d{4,})(?![\w/-]|[.,:]\d)"
)
_NUMBERED = re.compile(r"\b(?:nos?|numbers?|nr|items?)\.? (\d+(?:(?:,| and| to|-) ?\d+)*)", re.IGNORECASE)
_LABELLED = re.compile(
    r"\b(bed|seat|locker|badge|desk|file|case|ticket|matter|account|policy|card|claim|invoice|order|contract|booking|"
    r"licence|license|member|chart|dossier|folder|crate|parcel|flat|apartment|plot|stall|bib|serial|"
    r"box) (?:no\.? |number |#)?(\d+[a-z]?)\b(?![.,:]\d)",
    re.IGNORECASE,
)
_OWNED = re.compile(r"^([^\W\d_]+)(?:, | ?\()(?:the |our )?([^\W\d_]+)(?:'s|s'|') ")


def runs(row: str) -> list[tuple[str, ...]]:
    """The capitalised names of a cleaned row as folded words, titles left out, initials and particles kept."""
    found: list[list[str]] = [[]]
    end = -1
    for number, word in enumerate(words(row)):
        plain = fold(re.sub(r"'s?$", "", word.text))
        gap = row[end : word.start] if end >= 0 else ""
        near = bool(found[-1]) and re.fullmatch(r"[ -]|\. |", gap) is not None and not row[:end].endswith("'s")
        if near and gap == "-" and word.text.islower() and _is_syllable(plain):
            found[-1][-1] += f"-{plain}"
        elif near and plain in _PARTICLES and word.text.islower():
            found[-1].append(plain)
        elif (
            word.is_capital
            and word.text[0].isalpha()
            and (
                plain not in _NO_NAMES
                or (len(plain) == 1 and plain not in "ai")
                or (number == 0 and plain in _ALSO_NAMES and re.match(r" [^\W\d_a-z]", row[word.end :]) is not None)
            )
        ):
            if near:
                if gap == "-":
                    found[-1][-1] += f"-{plain}"
                else:
                    found[-1].append(plain)
            else:
                found.append([plain])
        else:
            found.append([])
        end = word.end
    for run in found:
        while run and run[-1] in _PARTICLES:
            run.pop()
    return [tuple(run) for run in found if run]


def _is_family(form: str, own: set[str], row: str) -> bool:
    """Is a plural a family's ("the Olsens"), and not any plural that opens a sentence?"""
    return form.removesuffix("s") not in own or re.search(rf"\bthe {re.escape(form)}\b", fold(row)) is not None


def _is_syllable(part: str) -> bool:
    """May the small word behind a hyphen be the rest of a name ("Soo-jin"), not an ending ("Leeds-based")?"""
    return len(part) <= 5 and not re.search(r"(?:ed|ing|free|wide|like|style|only)$", part)


def rows_about(
    names: Sequence[Name], rows: Sequence[str], *, wide: bool, links: bool = True, strict: bool = False
) -> dict[int, str]:
    """The positions of the cleaned rows that are about the entity of `names`, each with why.

    Args:
        wide: everything on the entity is meant, so that its descriptions count besides its names.
        links: take descriptions and numbers of the entity into account.
        strict: a name that goes on is another name, where it also stands alone ("Alpha" and "Alpha Two").
    """
    found = rows_of_name(names, rows)
    whole: set[str] = set()
    for name in names:
        if name.script != "latin":
            continue
        own, rivals = _written_out(set(name.folded), rows), set()
        fuller = {run for row in rows for run in runs(row) if own < set(run) and len(own) == 1}
        alone = any(own == set(run) for row in rows for run in runs(row))
        if len(own) == 1 and fuller:
            if strict and alone and len({frozenset(run) for run in fuller}) > 1:
                found = {
                    position: why
                    for position, why in found.items()
                    if any(own == set(run) for run in runs(rows[position]))
                    or not any(own < set(run) for run in runs(rows[position]))
                }
            elif len({frozenset(run) for run in fuller}) == 1 or not strict:
                firsts = [run for run in fuller if len({frozenset(other) for other in fuller}) == 1]
                for run in firsts:
                    own |= set(run)
        if strict and len(own) > 1:
            longer = {position for position in found if _is_longer(rows[position], own)}
            if longer and set(found) - longer:
                found = {position: why for position, why in found.items() if position not in longer}
        for row in rows:
            for run in (_without_order(run, name, row) for run in runs(row)):
                parts = _parts(run, own)
                if parts & own and not own <= parts and not _fits(parts, own) and len(parts) > 1:
                    rivals |= parts & own
        rival_initials = {
            part[0]
            for row in rows
            for run in (_without_order(run, name, row) for run in runs(row))
            for part in _parts(run, own) - own
            if _parts(run, own) & own and not own <= _parts(run, own) and len(part) > 1
        }
        for position, row in enumerate(rows):
            if position in found:
                continue
            for run in (_without_order(run, name, row) for run in runs(row)):
                parts = _parts(run, own)
                initials = {part for part in parts if len(part) == 1}
                if initials and len(parts) > 1 and _fits(parts, own) and not initials & rival_initials and parts & own:
                    found[position] = f"calls {name.shown()} {' '.join(run)}"
                    break
                telling = {part for part in parts & own if len(part) > 1}
                if telling and _fits(parts, own) and (telling - rivals or len(telling) > 1):
                    found[position] = f"calls {name.shown()} {' '.join(run)}"
                elif own == parts and not rivals:
                    found[position] = f"names {name.shown()}"
        for alias in _aliases([rows[position] for position in found], own):
            for position, row in enumerate(rows):
                if position not in found and any(
                    fold(word.text) == fold(alias) and word.is_capital for word in words(row)
                ):
                    found[position] = f"calls {name.shown()} {alias}"
        whole |= own - rivals
        plural = {f"{part}s" for part in own} | {part.removesuffix("s") for part in own if len(part) > 4}
        for position, row in enumerate(rows):
            if (
                position not in found
                and len(own) == 1
                and any(set(run) & plural and len(run) == 1 and _is_family(run[0], own, row) for run in runs(row))
            ):
                found[position] = f"names {name.shown()}"
    if wide and links and found:
        _add_owned(found, rows, names)
        add_described(found, rows, whole)
    common = {position for position in found if all(_is_common_noun(name, rows[position]) for name in names)}
    if len(common) < len(found):
        found = {position: why for position, why in found.items() if position not in common}
    others = {position for position in found if all(_is_numbered(name, rows[position]) for name in names)}
    return {position: why for position, why in found.items() if position not in others or len(others) == len(found)}


def _is_common_noun(name: Name, row: str) -> bool:
    """Does a row have the name only as a noun in small letters with an article ("the bill")?"""
    written = re.escape(" ".join(name.words).lower())
    if not name.words[0][:1].isupper() or re.search(rf"(?<![^\W_]){re.escape(' '.join(name.words))}(?![^\W_])", row):
        return False
    return re.search(rf"\b(?:[Tt]he|[Aa]n?|[Oo]ur|[Mm]y|[Tt]his) {written}(?![^\W_])", row) is not None


def _is_numbered(name: Name, row: str) -> bool:
    """Does a row speak of the name with a number or letter of its own only ("Apollo-2", "HomeNet5G")?"""
    written, row = "[-_ ]?".join(map(re.escape, name.folded)), fold(row)
    numbered = re.search(rf"(?<![^\W_]){written}[-_.]?\d", row)
    return numbered is not None and not re.search(rf"(?<![^\W_]){written}(?![-_.]?\d|[^\W_])", row)


def _without_order(run: tuple[str, ...], name: Name, row: str) -> tuple[str, ...]:
    """A run without the verb that opens its row, before a first name: "Ring Ana before nine", not "Eva Ana has"."""
    own = name.folded
    if len(own) < 2 or len(run) < 2 or run[0] in own or run[1] != own[0]:
        return run
    after = re.match(rf"{re.escape(run[0])} {re.escape(' '.join(run[1:]))} ([^\W\d_]+)", fold(row))
    return run[1:] if after and after[1] in FUNCTION_WORDS - VERBS else run


def _written_out(own: set[str], rows: Sequence[str]) -> set[str]:
    """A name with its initial replaced by the one name of the rows that it stands for."""
    initials = {part for part in own if len(part) == 1}
    rest = own - initials
    if len(initials) != 1 or not rest:
        return own
    initial = min(initials)
    full = {frozenset(run) for row in rows for run in runs(row) if rest < set(run) and len(run) == len(own)}
    full = {run for run in full if all(part.startswith(initial) for part in run - rest)}
    return own | set(min(full, key=sorted)) if len(full) == 1 else own


def entity_described(topic: str, rows: Sequence[str]) -> Name | None:
    """The one name of the rows that the topic, a description without a name, stands beside."""
    wanted = {word.key for word in words(topic) if word.is_content}
    named: set[tuple[str, ...]] = set()
    for row in rows:
        first = next(iter(runs(row)), ())
        for phrase in _DESCRIPTION.finditer(row):
            said = {key(part) for part in re.split(r"[\s-]", phrase[1])}
            if (
                first
                and row[:1].isupper()
                and wanted
                and said
                and said <= wanted
                and len(wanted - said) <= 1
                and len(said) > 1
            ):
                named.add(first)
    return Name(min(named)) if len(named) == 1 else None


def _aliases(seeds: Sequence[str], own: set[str]) -> set[str]:
    """A nickname in quotes within the name, and the abbreviation in brackets behind it."""
    aliases: set[str] = set()
    for row in seeds:
        for found in re.finditer(r"([^\W\d_]+) [\"']([^\W\d_]{2,})[\"'] [^\W\d_]+", row):
            if fold(found[1]) in own:
                aliases.add(found[2])
        for found in re.finditer(r"([^\W\d_]+) \(([A-Z]{2,6})\)", row):
            if fold(found[1]) in own:
                aliases.add(found[2])
    return aliases


def _parts(run: Sequence[str], own: set[str]) -> set[str]:
    """The words of a run; a hyphenated one counts as its parts where all are the entity's own."""
    parts: set[str] = set()
    for word in run:
        pieces = set(word.split("-"))
        parts |= pieces if pieces <= own else {word}
    return parts - _PARTICLES


def _is_longer(row: str, own: set[str]) -> bool:
    """Does the name go on with another capitalised word or a number ("Alpha Two", "Alpha 2")?"""
    return any(own < set(run) and run[-1] not in own and set(run[: len(own)]) == own for run in runs(row))


def _fits(parts: set[str], own: set[str]) -> bool:
    """Are all words of a name the entity's own, or their initials?"""
    return all(part in own or (len(part) == 1 and any(name.startswith(part) for name in own)) for part in parts)


def _add_owned(found: dict[int, str], rows: Sequence[str], names: Sequence[Name]) -> None:
    """ "Rex, the Olsens' dog" makes rows on Rex rows on the Olsens."""
    stems = {part.removesuffix("s") for name in names for part in name.folded}
    for position in list(found):
        owned = _OWNED.match(rows[position])
        if owned and fold(owned[2]).removesuffix("s") in stems:
            for other, row in enumerate(rows):
                if other not in found and same_script_hit(Name((owned[1],)), row):
                    found[other] = f"is about {owned[1]}, who belongs to {names[0].shown()}"


def add_described(found: dict[int, str], rows: Sequence[str], own: set[str]) -> None:
    """Add rows that speak of the entity by a description, a kind of name or a number that only its rows have."""
    seeds = [rows[position] for position in found]
    others = [row for position, row in enumerate(rows) if position not in found]
    described = [
        {key(word) for word in phrase[1].split()} - {key(word) for word in _VAGUE}
        for row in seeds
        for phrase in _DESCRIPTION.finditer(row)
    ]
    described = [phrase for phrase in described if phrase]
    beside = _beside(seeds, own)
    codes = {code[0].casefold() for row in seeds for code in _CODE.finditer(row)}
    numbered = {number[1] for row in seeds for number in _NUMBERED.finditer(row)}
    for position, row in enumerate(rows):
        if position in found:
            continue
        rest = [other for other in others if other is not row]
        elsewhere = {word.key for other in rest for word in words(other)}
        for phrase in _DEFINITE.finditer(row):
            said = [key(word) for word in re.split(r"[\s-]", phrase[1].removesuffix("'s")) if word]
            flat = {part for words_of in described for word in words_of for part in map(key, word.split("-"))}
            if (
                said
                and said[0] in flat
                and any(set(said[:size]) <= flat for size in range(len(said), 0, -1))
                and not set(said[:1]) & elsewhere
            ):
                found[position] = f"says 'the {phrase[1]}', which only rows on the entity do"
            elif any(word in beside and word not in elsewhere for word in said):
                found[position] = f"says 'the {phrase[1]}', part of what the entity is called"
        shared = {code[0].casefold() for code in _CODE.finditer(row)} & codes
        shared -= {code[0].casefold() for other in rest for code in _CODE.finditer(other)}
        if position not in found and shared and not _quantity(row, min(shared)) and not _is_parallel(row, seeds, own):
            found[position] = f"has {min(shared)}, which only rows on the entity have"
        pairs = _labelled(row) & {pair for seed in seeds for pair in _labelled(seed)}
        pairs -= {pair for other in rest for pair in _labelled(other)}
        if position not in found and pairs and not _starts_with_name(row, own) and not _is_parallel(row, seeds, own):
            found[position] = f"has {' '.join(min(pairs))}, which only rows on the entity have"
        numbers = {number[1] for number in _NUMBERED.finditer(row)} & numbered
        if position not in found and numbers:
            found[position] = f"has no. {min(numbers)}, which only rows on the entity have"


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
    return any(2 * len(said & other) > len(said | other) for other in map(_statement, seeds))


def _statement(row: str) -> set[str]:
    """The keys of what a row says, without its names."""
    names = {part for run in runs(row) for part in run}
    return {word.key for word in words(row) if word.is_content and fold(re.sub(r"'s?$", "", word.text)) not in names}


def _labelled(row: str) -> set[tuple[str, str]]:
    """The numbered belongings that a row speaks of: ("badge", "3391")."""
    return {(key(found[1]), found[2].casefold()) for found in _LABELLED.finditer(row)}


def _quantity(row: str, code: str) -> bool:
    return bool(re.search(r"\b(?:19|20)\d\d$", code)) or bool(
        re.search(rf"{re.escape(code)} ?(?:%|euros?|dollars?|pounds?|kg|km)", row, re.I)
    )


def _beside(seeds: Sequence[str], own: set[str]) -> set[str]:
    """The keys of words within three words of the entity's name in its rows, and of the name's own words."""
    near: set[str] = {key(part) for part in own}
    for row in seeds:
        row_words = words(row)
        for position, word in enumerate(row_words):
            if fold(re.sub(r"'s?$", "", word.text)) in own:
                before = row_words[max(0, position - 3) : position]
                near |= {other.key for other in before if other.is_content and row[: word.start].count(":") == 0}
    return near
