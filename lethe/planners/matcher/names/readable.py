"""Rows in other scripts, as far as a request in Latin letters can be compared with them."""

import itertools
import re
from collections.abc import Sequence

from lethe.planners.matcher.names.exonyms import other_names
from lethe.planners.matcher.names.kinds import english, groups
from lethe.planners.matcher.names.names import TITLES, Name, names_in, segments
from lethe.planners.matcher.names.resolved import may_have_forms, resolve
from lethe.planners.matcher.names.sounds import name_distance
from lethe.planners.matcher.text.scripts import script
from lethe.planners.matcher.text.words import all_keys, content, fold, words

Naming = tuple[Name, dict[int, str], list[Name]]
"""A name, the rows on it with why, and its other forms."""


def in_one_name(asked: str, rows: Sequence[str]) -> list[str]:
    """`as_asked`, where the one row in another script on a name says what is asked for, too."""
    named = _named(asked, rows)
    told = _with_names(asked, rows, named)
    for position, said in _unread(asked, rows, named).items():
        told[position] += said
    return told


def as_asked(asked: str, rows: Sequence[str]) -> list[str]:
    """The cleaned rows with the names of the query as the query writes them, and words for kinds in English."""
    return _with_names(asked, rows, _named(asked, rows))


def in_words_asked(asked: str, rows: Sequence[str], *, is_aspect: bool) -> list[str]:
    """The cleaned rows with their names as they are, and at their end those words of the query that they say.

    Args:
        is_aspect: one thing is asked of a name, which a row in another script may say (`in_one_name`).
    """
    named = _named(asked, rows)
    own = {word for name, _, _ in named for word in content(name.shown())}
    told = []
    for row, readable in zip(rows, _with_names(asked, rows, named), strict=True):
        said = all_keys(row) | own
        new = [word for word in words(readable) if word.key in content(asked) and word.key not in said]
        told.append(" ".join([row, *dict.fromkeys(word.text for word in new)]))
    for position, said_too in _unread(asked, rows, named).items() if is_aspect else ():
        told[position] += said_too
    return told


def _unread(asked: str, rows: Sequence[str], named: Sequence[Naming]) -> dict[int, str]:
    """The one row in another script on a name, if no other row on the name shares a word with the query; its words."""
    unread = {}
    for name, found, _ in named:
        foreign = [position for position in found if _is_foreign(rows[position])]
        own = set(content(name.shown()))
        said = [word for word in content(asked) if word not in own]
        readable = [in_english(rows[position], asked) for position in found if position not in foreign]
        if len(foreign) == 1 and not any(set(said) & set(content(row)) for row in readable):
            unread[foreign[0]] = " " + " ".join(word.text for word in words(asked) if word.key in said)
    return unread


def _with_names(asked: str, rows: Sequence[str], named: Sequence[Naming]) -> list[str]:
    told = list(rows)
    for said, native in _sounding(asked, rows):
        told = [_put(row, re.compile(re.escape(native)), said) for row in told]
    for name, found, forms in named:
        for position in found:
            for form in forms:
                told[position] = _put(told[position], _written(form), name.shown())
    return [
        row if script(row) == "latin" else _with_trade(in_english(plain, asked), asked)
        for row, plain in zip(rows, told, strict=True)
    ]


def _sounding(asked: str, rows: Sequence[str]) -> list[tuple[str, str]]:
    """The words in small letters of a query, alone or two together, with the word in another script that each sounds
    like ("borscht", борщ)."""
    native = {word.text for row in rows if script(row) != "latin" for word in segments(row)}
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
_LEAST = 4
"""Words of fewer letters sound like too many others."""


def _with_trade(row: str, asked: str) -> str:
    """A row with what stands in another script between a name and its kind as the query has it ("Sato's dye shop")."""
    for said in _OF_KIND.finditer(asked):
        name, between, kind = said.groups()
        row = re.sub(rf"({re.escape(name)})(?: ?[^\x00-\x7f]+)? ({re.escape(kind)})\b", rf"\1 {between} \2", row)
        row = re.sub(rf"\b({re.escape(kind)}) \W?({re.escape(name)})\b", rf"\2 {between} \1", row)
    return row


_OF_KIND = re.compile(r"([^\W\d_a-z]\w+)(?:'s)? (?:\([^()]*\) )?([a-z]+(?: [a-z]+)?) ([a-z]+)\b")


def in_english(row: str, asked: str) -> str:
    """A row with the words for kinds of places and firms in other scripts in English, in the query's words if any."""
    for native, shown in _kinds(row, asked).items():
        row = _put(row, re.compile(re.escape(native)), shown)
    return row


def readably(asked: str, row: str) -> tuple[str, dict[str, str]]:
    """A cleaned row with its names as the query writes them and kinds in English; what of it stands for what."""
    meant = {
        found[0]: name.shown()
        for name, _, forms in _named(asked, [row])
        for form in forms
        if (found := _written(form).search(row))
    }
    meant |= _kinds(row, asked)
    plain = row
    for native, shown in meant.items():
        plain = _put(plain, re.compile(re.escape(native)), shown)
    return plain, {shown: native for native, shown in meant.items()}


def _named(asked: str, rows: Sequence[str]) -> list[Naming]:
    """The Latin names of a query, with the rows on each and its other forms; without those that can have none."""
    found = []
    is_plain = not any(may_have_forms(row) for row in rows)
    for name, _, _ in names_in(asked):
        if is_plain and not other_names(name.words):
            continue
        if name.script == "latin" and not all(fold(word) in TITLES for word in name.words):
            about, forms = resolve([name], rows)
            found.append((name, about, [form for form in forms if form != name]))
    return found


def _kinds(row: str, asked: str) -> dict[str, str]:
    if script(row) == "latin":
        return {}
    said = frozenset(word.text.lower() for word in words(asked))
    native = [word.text for word in segments(row) if script(word.text) != "latin"]
    return {word: kind for word in native if (kind := english(word, said))}


def _put(row: str, native: re.Pattern[str], shown: str) -> str:
    """A row with `shown` for what is written otherwise, parted from what it was written together with."""
    if native.pattern.isascii() or script(native.pattern) == "latin":
        return re.sub(rf"(?<!\w){native.pattern}(?!\w)", shown, row)
    row = re.sub(rf"(?<=\w){native.pattern}", f" {shown}", row)
    return native.sub(shown, re.sub(rf"{native.pattern}(?=\w)", f"{shown} ", row))


def in_latin(row: str) -> str:
    """What of a row is written in Latin letters."""
    return " ".join(word.text for word in words(row) if script(word.text) == "latin")


def _written(form: Name) -> re.Pattern[str]:
    return re.compile(r"[ ·・.-]?".join(map(re.escape, form.words)))


def _is_foreign(row: str) -> bool:
    """Is most of a row in another script?"""
    other = sum(script(word.text) != "latin" for word in words(row))
    return 2 * other > len(words(row))
