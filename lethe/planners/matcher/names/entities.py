"""Which memories are about one person, firm or thing: by its full name, its parts, what it is called besides.

A memory counts where it names the entity, uses a part of the name that no other entity of the memories shares, or uses
a description that stands beside the name in such a memory ("Ana Ruiz, our Basque editor": "the Basque editor").
"""

import re
from collections.abc import Sequence

from lethe.planners.matcher.names.links import DESCRIPTION, add_described, add_owned
from lethe.planners.matcher.names.name_forms import resolve
from lethe.planners.matcher.names.nicknames import add_called, add_native_parts
from lethe.planners.matcher.names.sounds import name_distance
from lethe.planners.matcher.names.written_names import Name, is_accented_otherwise, same_script_hit, windows
from lethe.planners.matcher.text.lists import listed
from lethe.planners.matcher.text.mentions import PARTICLES, runs
from lethe.planners.matcher.text.scripts import romanised, script
from lethe.planners.matcher.text.syntax import VERBS, verb_position
from lethe.planners.matcher.text.words import FUNCTION_WORDS, fold, key, keys, words


def _is_family(form: str, own: set[str], memory: str) -> bool:
    """Whether a plural is that of a family ("the Olsens"), and not any plural that opens a sentence."""
    return form.removesuffix("s") not in own or re.search(rf"\bthe {re.escape(form)}\b", fold(memory)) is not None


def memories_about(
    names: Sequence[Name], memories: Sequence[str], *, wide: bool, links: bool = True, strict: bool = False
) -> dict[int, str]:
    """The positions of the cleaned memories that are about the entity of `names`, each with why.

    Args:
        wide: everything on the entity is meant, so that its descriptions count besides its names.
        links: take descriptions and numbers of the entity into account.
        strict: a name that continues is another name, where it also stands alone ("Alpha" and "Alpha Two").
    """
    found, forms = resolve(names, memories)
    add_native_parts(found, memories, forms)
    whole: set[str] = set()
    for name in dict.fromkeys((*names, *forms)):
        if name.script != "latin":
            continue
        own, rivals = _written_out(set(name.folded), memories), set()
        fuller = {run for memory in memories for run in runs(memory) if own < set(run) and len(own) == 1}
        alone = any(own == set(run) for memory in memories for run in runs(memory))
        if alone and fuller and len(name.words) == 1:
            streets = {at for at in found if _is_street(memories[at], name.folded[0])}
            found = {position: why for position, why in found.items() if position not in streets}
            fuller = {run for run in fuller if run[-1] not in _STREETS}
        if len(own) == 1 and fuller:
            if strict and alone and len({frozenset(run) for run in fuller}) > 1:
                found = {
                    position: why
                    for position, why in found.items()
                    if any(own == set(run) for run in runs(memories[position]))
                    or not any(own < set(run) for run in runs(memories[position]))
                }
            elif len({frozenset(run) for run in fuller}) == 1 or not strict:
                firsts = [run for run in fuller if len({frozenset(other) for other in fuller}) == 1]
                for run in firsts:
                    own |= set(run)
        if strict and len(own) > 1:
            longer = {position for position in found if _is_longer(memories[position], own)}
            if longer and set(found) - longer:
                found = {position: why for position, why in found.items() if position not in longer}
        for memory in memories:
            for run in (_without_order(run, name, memory) for run in runs(memory)):
                parts = _parts(run, own)
                if parts & own and not own <= parts and not _fits(parts, own) and len(parts) > 1:
                    rivals |= parts & own
        rival_initials = {
            part[0]
            for memory in memories
            for run in (_without_order(run, name, memory) for run in runs(memory))
            for part in _parts(run, own) - own
            if _parts(run, own) & own and not own <= _parts(run, own) and len(part) > 1
        }
        rival_initials |= _foreign_initials(
            name, [memory for position, memory in enumerate(memories) if position not in found]
        )
        for position, memory in enumerate(memories):
            if position in found:
                continue
            for run in (_without_order(run, name, memory) for run in runs(memory)):
                parts = _parts(run, own)
                if (own <= parts and name not in names) or _opens_only(run, memory, memories):
                    continue
                initials = {part for part in parts if len(part) == 1}
                if initials & rival_initials and name not in names:
                    continue
                if initials and len(parts) > 1 and _fits(parts, own) and not initials & rival_initials and parts & own:
                    found[position] = f"calls {name.shown()} {' '.join(run)}"
                    break
                telling = {part for part in parts & own if len(part) > 1}
                if telling and _fits(parts, own) and (telling - rivals or len(telling) > 1):
                    found[position] = f"calls {name.shown()} {' '.join(run)}"
                elif own == parts and not rivals:
                    found[position] = f"names {name.shown()}"
        add_called(found, memories, name, own)
        whole |= own - rivals
        plural = {f"{part}s" for part in own} | {part.removesuffix("s") for part in own if len(part) > 4}
        for position, memory in enumerate(memories):
            if (
                position not in found
                and len(own) == 1
                and any(set(run) & plural and len(run) == 1 and _is_family(run[0], own, memory) for run in runs(memory))
            ):
                found[position] = f"names {name.shown()}"
    if wide and links and found:
        add_owned(found, memories, names)
        add_described(found, memories, whole)
    found = {position: why for position, why in found.items() if not _is_accented_otherwise(names, memories[position])}
    common = {position for position in found if all(_is_common_noun(name, memories[position]) for name in names)}
    if len(common) < len(found):
        found = {position: why for position, why in found.items() if position not in common}
    others = {position for position in found if all(_is_numbered(name, memories[position]) for name in names)}
    return {position: why for position, why in found.items() if position not in others or len(others) == len(found)}


def _opens_only(run: tuple[str, ...], memory: str, memories: Sequence[str]) -> bool:
    """Whether a word is capitalised only because it opens the memory, before a noun.

    So it is in "Red paint is in the store" for "Team Red", unless another memory has both with the capital within a
    sentence ("the Ash account").
    """
    after = re.match(r"[^\W\d_]+ ([a-z]+)", memory)
    if len(run) > 1 or after is None or not fold(memory).startswith(run[0]):
        return False
    if any(f" {after[0]}" in other for other in memories):
        return False
    is_verb = after[1] in VERBS or after[1].endswith(("s", "ed"))
    return not is_verb and after[1] not in FUNCTION_WORDS and verb_position(memory) != len(run[0]) + 1


def _foreign_initials(name: Name, memories: Sequence[str]) -> set[str]:
    """The initials, in Latin letters, of names in other scripts that share a word with a Latin name."""
    initials: set[str] = set()
    for memory in memories:
        if script(memory) == "latin":
            continue
        for piece in windows(memory, 2):
            if len(piece) == 2 and script(piece[0]) != "latin":
                for word, other in (piece, piece[::-1]):
                    if any(name_distance((part,), (word,)) <= _SAME for part in name.words):
                        initials |= {latin[0] for latin in romanised(other) if latin}
    return initials


_SAME = 0.05
"""Distance up to which words of names in two scripts are the same word."""


def _is_accented_otherwise(names: Sequence[Name], memory: str) -> bool:
    """Whether a memory only has a word of the name with other accents ("Hùng" for "Hưng")."""
    held = [word.text for word in words(memory)]
    return all(is_accented_otherwise(name, held) for name in names) and not any(
        same_script_hit(name, memory) for name in names
    )


def _is_common_noun(name: Name, memory: str) -> bool:
    """Whether a memory only has the name as a word in small letters, after an article or a capital ("the bill")."""
    plain = " ".join(name.words).lower()
    if plain not in memory:
        return False
    written = re.escape(plain)
    if not name.words[0][:1].isupper() or re.search(rf"(?<![^\W_]){re.escape(' '.join(name.words))}(?![^\W_])", memory):
        return False
    article = r"\b(?:[Tt]he|[Aa]n?|[Oo]ur|[Mm]y|[Tt]his)"
    return re.search(rf"(?:{article}|^[A-Z][a-z]+(?: [a-z']+)*) {written}(?![^\W_])", memory) is not None


_DIGIT = re.compile(r"\d")


def _is_numbered(name: Name, memory: str) -> bool:
    """Whether a memory only has the name with a number or letter of its own ("Apollo-2", "HomeNet5G")."""
    memory = fold(memory)
    if name.folded[0] not in memory or not _DIGIT.search(memory):
        return False
    written = "[-_ ]?".join(map(re.escape, name.folded))
    numbered = re.search(rf"(?<![^\W_]){written}[-_.]?\d", memory)
    return numbered is not None and not re.search(rf"(?<![^\W_]){written}(?![-_.]?\d|[^\W_])", memory)


def _without_order(run: tuple[str, ...], name: Name, memory: str) -> tuple[str, ...]:
    """A run without the verb that opens its memory before a first name: "Ring Ana before nine", not "Eva Ana has"."""
    own = name.folded
    if len(own) < 2 or len(run) < 2 or run[0] in own or run[1] != own[0]:
        return run
    after = re.match(rf"{re.escape(run[0])} {re.escape(' '.join(run[1:]))} ([^\W\d_]+)", fold(memory))
    return run[1:] if after and after[1] in FUNCTION_WORDS - VERBS else run


def _written_out(own: set[str], memories: Sequence[str]) -> set[str]:
    """A name with its initial replaced by the one name of the memories that it stands for."""
    initials = {part for part in own if len(part) == 1}
    rest = own - initials
    if len(initials) != 1 or not rest:
        return own
    initial = min(initials)
    full = {frozenset(run) for memory in memories for run in runs(memory) if rest < set(run) and len(run) == len(own)}
    full = {run for run in full if all(part.startswith(initial) for part in run - rest)}
    return own | set(min(full, key=sorted)) if len(full) == 1 else own


def entity_described(topic: str, memories: Sequence[str]) -> Name | None:
    """The one name of the memories that the topic, a description without a name, stands beside."""
    wanted = keys(topic)
    named: set[tuple[str, ...]] = set()
    for memory in memories:
        first = next(iter(runs(memory)), ())
        for phrase in DESCRIPTION.finditer(memory):
            said = {key(part) for part in re.split(r"[\s-]", phrase[1])}
            if (
                first
                and memory[:1].isupper()
                and wanted
                and said
                and said <= wanted
                and len(wanted - said) <= 1
                and len(said) > 1
            ):
                named.add(first)
    return Name(min(named)) if len(named) == 1 else None


def _is_street(memory: str, word: str) -> bool:
    """Whether a memory only has a name as that of a street ("Rita Street")."""
    held = [run for run in runs(memory) if word in run]
    return bool(held) and all(len(run) > 1 and run[-1] in _STREETS for run in held)


_STREETS = frozenset(listed("street road lane avenue square boulevard bridge alley drive row crescent terrace"))


def _parts(run: Sequence[str], own: set[str]) -> set[str]:
    """The words of a run; a hyphenated one counts as its parts where all are the entity's own."""
    parts: set[str] = set()
    for word in run:
        pieces = set(word.split("-"))
        parts |= pieces if pieces <= own else {word}
    return parts - PARTICLES


def _is_longer(memory: str, own: set[str]) -> bool:
    """Whether the name continues with another capitalised word or a number ("Alpha Two", "Alpha 2")."""
    return any(own < set(run) and run[-1] not in own and set(run[: len(own)]) == own for run in runs(memory))


def _fits(parts: set[str], own: set[str]) -> bool:
    """Whether all words of a name are the entity's own, or their initials."""
    return all(part in own or (len(part) == 1 and any(name.startswith(part) for name in own)) for part in parts)
