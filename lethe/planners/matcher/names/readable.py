"""Memories in other scripts, made comparable with a request in Latin letters."""

import itertools
import re
from collections.abc import Sequence

from lethe.planners.matcher.names.exonyms import other_names
from lethe.planners.matcher.names.kind_words import english, groups
from lethe.planners.matcher.names.name_forms import may_have_forms, resolve
from lethe.planners.matcher.names.sounds import name_distance
from lethe.planners.matcher.names.written_names import TITLES, Name, names_in, segments
from lethe.planners.matcher.text.scripts import script
from lethe.planners.matcher.text.words import all_keys, content, fold, words

Naming = tuple[Name, dict[int, str], list[Name]]
"""A name, the memories on it with why, and its other forms."""


def in_one_name(asked: str, memories: Sequence[str]) -> list[str]:
    """As `as_asked`; what is asked for is added to a name's one memory in another script (`_unread`)."""
    named = _named(asked, memories)
    told = _with_names(asked, memories, named)
    for position, said in _unread(asked, memories, named).items():
        told[position] += said
    return told


def as_asked(asked: str, memories: Sequence[str]) -> list[str]:
    """The cleaned memories with the names of the query as the query writes them, and words for kinds in English."""
    return _with_names(asked, memories, _named(asked, memories))


def in_words_asked(asked: str, memories: Sequence[str], *, is_aspect: bool) -> list[str]:
    """The cleaned memories with their names as they are, followed by those words of the query that they say.

    Args:
        is_aspect: one thing is asked of a name, which a memory in another script may say (`in_one_name`).
    """
    named = _named(asked, memories)
    own = {word for name, _, _ in named for word in content(name.shown())}
    told = []
    for memory, readable in zip(memories, _with_names(asked, memories, named), strict=True):
        said = all_keys(memory) | own
        new = [word for word in words(readable) if word.key in content(asked) and word.key not in said]
        told.append(" ".join([memory, *dict.fromkeys(word.text for word in new)]))
    for position, said_too in _unread(asked, memories, named).items() if is_aspect else ():
        told[position] += said_too
    return told


def _unread(asked: str, memories: Sequence[str], named: Sequence[Naming]) -> dict[int, str]:
    """The words asked for, by the position of the one memory in another script on a name.

    Only where no other memory on the name shares a word with the query.
    """
    unread = {}
    for name, found, _ in named:
        foreign = [position for position in found if _is_foreign(memories[position])]
        own = set(content(name.shown()))
        said = [word for word in content(asked) if word not in own]
        readable = [in_english(memories[position], asked) for position in found if position not in foreign]
        if len(foreign) == 1 and not any(set(said) & set(content(memory)) for memory in readable):
            unread[foreign[0]] = " " + " ".join(word.text for word in words(asked) if word.key in said)
    return unread


def _with_names(asked: str, memories: Sequence[str], named: Sequence[Naming]) -> list[str]:
    told = list(memories)
    for said, native in _sounding(asked, memories):
        told = [_put(memory, re.compile(re.escape(native)), said) for memory in told]
    for name, found, forms in named:
        for position in found:
            for form in forms:
                told[position] = _put(told[position], _written(form), name.shown())
    return [
        memory if script(memory) == "latin" else _with_trade(in_english(plain, asked), asked)
        for memory, plain in zip(memories, told, strict=True)
    ]


def _sounding(asked: str, memories: Sequence[str]) -> list[tuple[str, str]]:
    """Words in small letters of a query, alone or in pairs, that sound like a word in another script.

    Each with that word: ("borscht", "борщ").
    """
    native = {word.text for memory in memories if script(memory) != "latin" for word in segments(memory)}
    native = {word for word in native if script(word) != "latin" and not groups(word)}
    if not native:
        return []
    plain = [word.text for word in words(asked) if word.is_content and word.text.isascii() and word.text.islower()]
    pairs = [pair for pair in itertools.pairwise(plain) if " ".join(pair) in asked]
    found = []
    for form in (*pairs, *((word,) for word in plain)):
        near, best = min((name_distance(form, (other,)), other) for other in sorted(native))
        if near <= _SOUNDS_LIKE and len("".join(form)) >= _LEAST:
            found.append((" ".join(form), best))
    return found


_SOUNDS_LIKE = 0.07
"""Distance up to which a word sounds like one in another script."""
_LEAST = 4
"""Least number of letters; shorter words sound like too many others."""


def _with_trade(memory: str, asked: str) -> str:
    """A memory with the query's words in place of those in another script between a name and its kind.

    "Sato's dye shop" is such a query.
    """
    for said in _OF_KIND.finditer(asked):
        name, between, kind = said.groups()
        memory = re.sub(rf"({re.escape(name)})(?: ?[^\x00-\x7f]+)? ({re.escape(kind)})\b", rf"\1 {between} \2", memory)
        memory = re.sub(rf"\b({re.escape(kind)}) \W?({re.escape(name)})\b", rf"\2 {between} \1", memory)
    return memory


_OF_KIND = re.compile(r"([^\W\d_a-z]\w+)(?:'s)? (?:\([^()]*\) )?([a-z]+(?: [a-z]+)?) ([a-z]+)\b")


def in_english(memory: str, asked: str) -> str:
    """A memory with words for kinds of places and firms in other scripts in English, in the query's words if any."""
    for native, shown in _kinds(memory, asked).items():
        memory = _put(memory, re.compile(re.escape(native)), shown)
    return memory


def readably(asked: str, memory: str) -> tuple[str, dict[str, str]]:
    """A cleaned memory with its names as the query writes them and kinds in English.

    Also returns which new text stands for which original.
    """
    meant = {
        found[0]: name.shown()
        for name, _, forms in _named(asked, [memory])
        for form in forms
        if (found := _written(form).search(memory))
    }
    meant |= _kinds(memory, asked)
    plain = memory
    for native, shown in meant.items():
        plain = _put(plain, re.compile(re.escape(native)), shown)
    return plain, {shown: native for native, shown in meant.items()}


def _named(asked: str, memories: Sequence[str]) -> list[Naming]:
    """The Latin names of a query, with the memories on each and its other forms; without those that can have none."""
    found = []
    is_plain = not any(may_have_forms(memory) for memory in memories)
    for name, _, _ in names_in(asked):
        if is_plain and not other_names(name.words):
            continue
        if name.script == "latin" and not all(fold(word) in TITLES for word in name.words):
            about, forms = resolve([name], memories)
            found.append((name, about, [form for form in forms if form != name]))
    return found


def _kinds(memory: str, asked: str) -> dict[str, str]:
    if script(memory) == "latin":
        return {}
    said = frozenset(word.text.lower() for word in words(asked))
    native = [word.text for word in segments(memory) if script(word.text) != "latin"]
    return {word: kind for word in native if (kind := english(word, said))}


def _put(memory: str, native: re.Pattern[str], shown: str) -> str:
    """A memory with `shown` in place of another spelling, separated from what that was written together with."""
    if native.pattern.isascii() or script(native.pattern) == "latin":
        return re.sub(rf"(?<!\w){native.pattern}(?!\w)", shown, memory)
    memory = re.sub(rf"(?<=\w){native.pattern}", f" {shown}", memory)
    return native.sub(shown, re.sub(rf"{native.pattern}(?=\w)", f"{shown} ", memory))


def in_latin(memory: str) -> str:
    """What is written in Latin letters in a memory."""
    return " ".join(word.text for word in words(memory) if script(word.text) == "latin")


def _written(form: Name) -> re.Pattern[str]:
    return re.compile(r"[ ·・.-]?".join(map(re.escape, form.words)))


def _is_foreign(memory: str) -> bool:
    """Whether most of a memory is in another script."""
    other = sum(script(word.text) != "latin" for word in words(memory))
    return 2 * other > len(words(memory))
