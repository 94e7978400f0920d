"""What an entity is called besides its name: initials, nicknames, an e-mail address, a title with its surname."""

import re
from collections.abc import Sequence

from lethe.planners.matcher.names.base_forms import same_base
from lethe.planners.matcher.names.written_names import Name
from lethe.planners.matcher.text.lists import listed
from lethe.planners.matcher.text.mentions import runs
from lethe.planners.matcher.text.words import bare, fold, words

_ABBREVIATIONS = frozenset(listed("AM PM IT US UK EU UN TV PC HR ID OK PR AI IP CD DJ AC DC PS PO ST DR MR MS NO"))
_MALE = frozenset(listed("mr sir herr monsieur señor senor signor brother father uncle grandpa pan don"))
_FEMALE = frozenset(
    listed("mrs ms miss madam madame frau señora senora signora sister mother aunt grandma pani doña mevrouw")
)
_HE = re.compile(r"\b(?:he|him|his|himself)\b", re.IGNORECASE)
_SHE = re.compile(r"\b(?:she|her|hers|herself)\b", re.IGNORECASE)
_CASED = frozenset(("cyrillic", "greek", "armenian"))
"""Scripts besides Latin in which names begin with capitals."""
_NICKNAME = re.compile(
    r"\b(?:(?:also |better |usually |mostly |formerly |sometimes )*(?:known as|called|nicknamed|goes by|"
    r"signs (?:as|himself|herself)|alias|"
    r"aka|a\.k\.a\.|née|nee|formerly)|for short|\bor) (?:the )?[\"']?([^\W\d_a-z][\w-]+)[\"']?"
)
_QUOTED = re.compile(r"([^\W\d_]+) [\"'(]([^\W\d_]{2,})[\"')](?= [^\W\d_]+|[,.:;]|$)")
_BRACKETED = re.compile(r"(?<![^\W_])([^\W\d_a-z][^\W\d_]{2,}) \(([^\W\d_a-z][^\W\d_]{2,})\)")
_ABBREVIATED = re.compile(r"([^\W\d_]+) \(([A-Z]{2,6})\)")


def add_called(found: dict[int, str], memories: Sequence[str], name: Name, own: set[str]) -> None:
    """Add the memories that use a nickname, the initials, an e-mail address or a title and surname of the name's owner.

    Args:
        own: the folded words of the full name.
    """
    shown = name.shown()
    for alias in aliases([memories[position] for position in found], own):
        for position, memory in enumerate(memories):
            if any(bare(word.text) == fold(alias) and word.is_capital for word in words(memory)):
                found.setdefault(position, f"calls {shown} {alias}")
    full = [part for part in name.folded if len(part) > 1]
    if len(full) < 2:
        return
    others = {run for memory in memories for run in runs(memory) if len(run) > 1 and not set(run) <= own}
    initials = {"".join(part[0] for part in re.split(r"[\s-]", " ".join(full)))}
    taken = {"".join(part[0] for part in run) for run in others}
    for position, memory in enumerate(memories):
        if position in found:
            continue
        short = {re.sub(r"[\W_]", "", dotted[0]).casefold() for dotted in _DOTTED.finditer(memory)}
        short |= {
            capitals[0].casefold() for capitals in _CAPITALS.finditer(memory) if capitals[0] not in _ABBREVIATIONS
        }
        if short & initials - taken:
            found[position] = f"calls {shown} {min(short & initials).upper()}"
        elif any(_is_mailbox(local[1], full, others) for local in _LOCAL.finditer(memory)):
            found[position] = f"has an address of {shown}"
        elif _is_titled(memory, full, memories, found):
            found[position] = f"calls {shown} by title"


_DOTTED = re.compile(r"(?<![\w.])(?:[^\W\d_a-z]\.[ -]?){2,4}(?!\w)")
_CAPITALS = re.compile(r"(?<![\w.-])[A-Z]{2,3}(?![\w-]|\.\w)")
_LOCAL = re.compile(r"(?<![\w.+-])([\w.+-]+)@[\w-]+\.")


def aliases(seeds: Sequence[str], own: set[str]) -> set[str]:
    """Nicknames of the owner of a name: in quotes or brackets beside it, or after words like "known as"."""
    found: set[str] = set()
    for memory in seeds:
        for pattern in (_QUOTED, _ABBREVIATED):
            found |= {pair[2] for pair in pattern.finditer(memory) if fold(pair[1]) in own and pair[2][:1].isupper()}
        found |= {
            pair[1]
            for pair in _BRACKETED.finditer(memory)
            if fold(pair[2]) in own
            and (pair.start() or any(pair[1] in other for other in seeds if other is not memory))
        }
        first = next(iter(runs(memory)), ())
        if set(first) & own and not re.match(r"[^\W\d_]+'s? ", memory):
            found |= {nickname[1] for nickname in _NICKNAME.finditer(memory) if not nickname[0].startswith("or ")}
    return {alias for alias in found if fold(alias) not in own}


def _is_mailbox(local: str, full: Sequence[str], others: set[tuple[str, ...]]) -> bool:
    """Whether the local part of an address is made of the words of a name, or of its surname and an initial."""
    plain = re.sub(r"[\W_\d]", "", fold(local.partition("+")[0]))
    return any(plain == made for made in _mailboxes(full)) and not any(
        plain == made for other in others for made in _mailboxes(other)
    )


def _mailboxes(name: Sequence[str]) -> set[str]:
    first, last = re.sub(r"\W", "", name[0]), re.sub(r"\W", "", name[-1])
    return {first + last, last + first, first[0] + last, last + first[0], first + last[0]}


def _is_titled(memory: str, full: Sequence[str], memories: Sequence[str], found: dict[int, str]) -> bool:
    """Whether a memory means the entity by a title and a surname that several share.

    The entity must be the only man among them for "Mr", or the only woman for "Mrs".
    """
    if full[-1] not in fold(memory):
        return False
    said = re.search(rf"\b([^\W\d_]+)\.? {re.escape(full[-1])}(?![^\W_])", fold(memory))
    gender = _gender_of_title(said[1]) if said else ""
    if not gender:
        return False
    family = {run for other in memories for run in runs(other) if len(run) > 1 and run[-1] == full[-1]}
    genders = {run[0]: _gender(run[0], memories) for run in family}
    own = genders.pop(full[0], _gender(full[0], memories))
    return own in (gender, "") and all(other not in (gender, "") for other in genders.values()) and bool(found)


def without_other_gender(
    found: dict[int, str], memories: Sequence[str], topic: str, names: Sequence[Name]
) -> dict[int, str]:
    """For "Ms Weber": the memories found, without those on Mr Weber unless there are no others."""
    if not names:
        return found
    if not any(_gender_of_title(word) for word in re.findall(r"[^\W\d_]+", fold(topic))):
        return found
    surnames = "|".join(re.escape(name.folded[-1]) for name in names)
    titled = re.compile(rf"\b({'|'.join(sorted(_MALE | _FEMALE))})\.? (?:[^\W\d_]+\.? )??(?:{surnames})(?![^\W_])")
    asked = titled.search(fold(topic))
    gender = _gender_of_title(asked[1]) if asked else ""
    if not asked or not gender:
        return found
    other = {
        position
        for position in found
        if any(
            _gender_of_title(title[1]) not in ("", gender) or {title[1], asked[1]} == {"miss", "mrs"}
            for title in titled.finditer(fold(memories[position]))
        )
    }
    return {position: why for position, why in found.items() if position not in other or len(other) == len(found)}


def _gender_of_title(title: str) -> str:
    return "he" if title in _MALE else "she" if title in _FEMALE else ""


def _gender(first: str, memories: Sequence[str]) -> str:
    """Whether memories with a first name refer to him or to her; empty where they do not tell."""
    told: set[str] = set()
    for memory in memories:
        plain = fold(memory)
        before = re.search(rf"\b([^\W\d_]+)\.? {re.escape(first)}(?![^\W_])", plain)
        if before and _gender_of_title(before[1]):
            told.add(_gender_of_title(before[1]))
        after = re.search(rf"(?<![^\W_]){re.escape(first)}(?![^\W_])(.*)", plain)
        if after:
            told |= {name for name, pattern in (("he", _HE), ("she", _SHE)) if pattern.search(after[1])}
    return told.pop() if len(told) == 1 else ""


def add_native_parts(found: dict[int, str], memories: Sequence[str], forms: Sequence[Name]) -> None:
    """Add the memories that use a part of a form in another script with capitals.

    Only where no other name there shares the part.
    """
    for form in forms:
        if form.script not in _CASED or len(form.words) < 2 or not all(word[:1].isupper() for word in form.words):
            continue
        written = [(position, run) for position, memory in enumerate(memories) for run in runs(memory)]
        for position, run in written:
            is_short = len(run) < len(form.words) or any(len(part) == 1 for part in run)
            if position in found or not is_short or not all(_is_part(part, form) for part in run):
                continue
            telling = [part for part in run if len(part) > 2]
            shared = any(
                len(other) > 1
                and not all(_is_part(part, form) for part in other[1:])
                and any(same_base(part, theirs, form.script) for part in telling for theirs in other)
                for _, other in written
            )
            if telling and not shared:
                found[position] = f"calls {form.shown()} {' '.join(run)}"


def _is_part(part: str, form: Name) -> bool:
    return any(same_base(part, word, form.script) or part == word[0] for word in form.folded)
