"""Words for kinds of places, firms and things, in English and in other scripts ("Sakura Diner" is さくら食堂)."""

import functools
import re

from lethe.matcher.evidence.names.base_forms import base_forms
from lethe.matcher.evidence.tables import table
from lethe.matcher.evidence.text.scripts import script
from lethe.matcher.evidence.text.variants import simplified
from lethe.matcher.evidence.text.words import fold

_GROUPS = table("kind_words", "groups")


def _read() -> tuple[dict[str, frozenset[int]], list[str]]:
    groups: dict[str, set[int]] = {}
    for number, line in enumerate(_GROUPS.replace("\n    ", " ").strip().splitlines()):
        latin, _, native = line.partition("|")
        for word in (*latin.split(), *native.split()):
            groups.setdefault(fold(word), set()).add(number)
    unspaced = [word for word in groups if _UNSPACED.match(word) and (len(word) > 1 or word in _SHORT)]
    return ({word: frozenset(numbers) for word, numbers in groups.items()}, sorted(unspaced, key=len, reverse=True))


_UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Letters of scripts that write a name and its kind as one word."""
_SHORT = frozenset(simplified("駅站店市区區山川河湖島岛橋桥寺港村路街역"))
"""Kinds of a single character, after names of at least two."""
_GROUPS_OF, _NATIVE = _read()
_LONG = "|".join(word for word in _NATIVE if len(word) > 1)
_BEHIND = re.compile(rf"(.+?)({_LONG})|(..+)([{''.join(sorted(_SHORT))}])")
_BEFORE = re.compile(rf"({_LONG})(..+)")


@functools.lru_cache(maxsize=8192)
def groups(word: str) -> frozenset[int]:
    """The kinds that a word stands for, in its base form or inflected; empty for any other word."""
    known = (_GROUPS_OF.get(fold(form)) for form in base_forms(word.casefold(), script(word)))
    return next((found for found in known if found), frozenset())


@functools.lru_cache(maxsize=8192)
def cut(word: str) -> tuple[str, ...]:
    """A word of a script without spaces, cut where a word for a kind begins or ends it ("さくら食堂")."""
    if not _UNSPACED.match(word) or fold(word) in _GROUPS_OF:
        return (word,)
    plain = simplified(word)
    found = _BEHIND.fullmatch(plain) or _BEFORE.fullmatch(plain)
    if not found:
        return (word,)
    at = next(found.end(number) for number in (1, 3) if number <= found.re.groups and found[number])
    return word[:at], word[at:]
