"""Rows in other scripts, as far as a request in Latin letters can be compared with them."""

import re
from collections.abc import Sequence

from lethe.hooks.rules.names import TITLES, Name, names_in
from lethe.hooks.rules.resolved import resolve
from lethe.hooks.rules.scripts import script
from lethe.hooks.rules.words import content, fold, words


def in_one_name(asked: str, rows: Sequence[str]) -> list[str]:
    """The cleaned rows with the names of the query as the query writes them.

    Where one row in another script speaks of the name, and no other row on it shares a word with the query, that row
    is taken to say what is asked for, and gets the query's words.
    """
    told = list(rows)
    if all(script(row) == "latin" for row in rows):
        return told
    for name, _, _ in names_in(asked):
        if name.script != "latin" or all(fold(word) in TITLES for word in name.words):
            continue
        found, forms = resolve([name], rows)
        written = [_written(form) for form in forms if form.script != "latin"]
        foreign = [position for position in found if _is_foreign(rows[position])]
        for position in found:
            for form in written:
                told[position] = form.sub(name.shown(), told[position])
        own = set(content(name.shown()))
        said = [word for word in content(asked) if word not in own]
        readable = [rows[position] for position in found if position not in foreign]
        if len(foreign) == 1 and not any(set(said) & set(content(row)) for row in readable):
            told[foreign[0]] += " " + " ".join(word.text for word in words(asked) if word.key in said)
    return told


def in_latin(row: str) -> str:
    """What of a row is written in Latin letters."""
    return " ".join(word.text for word in words(row) if script(word.text) == "latin")


def _written(form: Name) -> re.Pattern[str]:
    return re.compile(r"[ ·・.-]?".join(map(re.escape, form.words)))


def _is_foreign(row: str) -> bool:
    """Is most of a row in another script?"""
    other = sum(script(word.text) != "latin" for word in words(row))
    return 2 * other > len(words(row))
