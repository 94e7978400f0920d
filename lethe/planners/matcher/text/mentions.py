"""The capitalised names that a memory mentions."""

import functools
import re

from lethe.planners.matcher.names.written_names import CALENDAR, TITLES
from lethe.planners.matcher.text.lists import listed
from lethe.planners.matcher.text.scripts import script
from lethe.planners.matcher.text.words import FUNCTION_WORDS, bare, fold, words

PARTICLES = frozenset(listed("van von de der den di da del della la le ten ter bin ibn al el af zu dos do e y"))
_NO_NAMES = FUNCTION_WORDS | TITLES | CALENDAR
_IMPERATIVES = frozenset(
    listed(
        """ask tell give ring call phone send bring meet remind pay invite thank text email mail message visit help let
    show take hand pass lend return write wish contact notify inform warn see fetch follow tip greet feed watch pick"""
    )
)
"""Verbs before a name at the start of a memory, "Ask Eva"."""
_ALSO_NAMES = frozenset(listed("will may april june august per"))
"""First names among the function words and months: names where a capital follows at the start of a memory."""


_LAST_FIRST = re.compile(r"[^\W\d_a-z][^\W\d_]+, [^\W\d_a-z](?:[^\W\d_]+|\.)(?:[:(]| [(-]| ?$)")
"""A memory that begins with a surname and, after a comma, the first name: "Okafor, Sam: deposit paid"."""


@functools.lru_cache(maxsize=4096)
def runs(memory: str) -> list[tuple[str, ...]]:
    """The capitalised names of a cleaned memory as folded words, with initials and particles, without titles."""
    found: list[list[str]] = [[]]
    end = -1
    in_latin = not memory.isascii() and 2 * sum(script(word.text) == "latin" for word in words(memory)) >= len(
        words(memory)
    )
    for number, word in enumerate(words(memory)):
        plain = fold(word.text)[:1] if len(word.text) == 1 else bare(word.text)
        gap = memory[end : word.start] if end >= 0 else ""
        near = bool(found[-1]) and re.fullmatch(r"[ -]|\. |", gap) is not None and not memory[:end].endswith("'s")
        near = near or (number == 1 and bool(found[-1]) and _LAST_FIRST.match(memory) is not None)
        if near and gap == "-" and word.text.islower() and _is_syllable(plain):
            found[-1][-1] += f"-{plain}"
        elif near and plain in PARTICLES and word.text.islower():
            found[-1].append(plain)
        elif in_latin and script(word.text) != "latin":
            if near and script(found[-1][-1]) == script(word.text):
                found[-1].append(plain)
            else:
                found.append([plain])
        elif (
            word.is_capital
            and word.text[0].isalpha()
            and not (number == 0 and plain in _IMPERATIVES and re.match(r" [^\W\d_a-z]", memory[word.end :]))
            and (
                plain not in _NO_NAMES
                or (
                    len(plain) == 1
                    and (plain not in "ai" or re.match(r"\. [^\W\d_a-z]", memory[word.end :]) is not None)
                )
                or (number == 0 and plain in _ALSO_NAMES and re.match(r" [^\W\d_a-z]", memory[word.end :]) is not None)
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
        while run and run[-1] in PARTICLES:
            run.pop()
    return [tuple(run) for run in found if run]


def _is_syllable(part: str) -> bool:
    """Whether the small word after a hyphen may be the rest of a name ("Soo-jin"), not an ending ("Leeds-based")."""
    return len(part) <= 5 and not re.search(r"(?:ed|ing|free|wide|like|style|only)$", part)
