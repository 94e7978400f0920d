"""Rows in other scripts, as far as a request in Latin letters can be compared with them."""

import re
from collections.abc import Sequence

from lethe.hooks.rules.names.kinds import english
from lethe.hooks.rules.names.names import TITLES, Name, names_in, segments
from lethe.hooks.rules.names.resolved import resolve
from lethe.hooks.rules.text.scripts import script
from lethe.hooks.rules.text.words import content, fold, words


def in_one_name(asked: str, rows: Sequence[str]) -> list[str]:
    """The cleaned rows with the names of the query as the query writes them, and words for kinds in English.

    Where one row in another script speaks of the name, and no other row on it shares a word with the query, that row
    is taken to say what is asked for, and gets the query's words.
    """
    told = list(rows)
    for name, found, forms in _named(asked, rows):
        foreign = [position for position in found if _is_foreign(rows[position])]
        for position in found:
            for form in forms:
                told[position] = _put(told[position], _written(form), name.shown())
        own = set(content(name.shown()))
        said = [word for word in content(asked) if word not in own]
        readable = [in_english(rows[position], asked) for position in found if position not in foreign]
        if len(foreign) == 1 and not any(set(said) & set(content(row)) for row in readable):
            told[foreign[0]] += " " + " ".join(word.text for word in words(asked) if word.key in said)
    return [in_english(row, asked) for row in told]


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


def _named(asked: str, rows: Sequence[str]) -> list[tuple[Name, dict[int, str], list[Name]]]:
    """The Latin names of a query, with the rows on each and its other forms."""
    found = []
    for name, _, _ in names_in(asked):
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
