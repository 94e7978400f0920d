"""What a request says is meant, without what it says may stay."""

import functools
import re
from dataclasses import dataclass

from lethe.matcher.evidence.reading import Token, read
from lethe.matcher.evidence.words import clean

_CLAUSE = re.compile(r"(?<=[.!?;,(])\s+|(?<!\s)\s+(?:[-–—]+\s+|(?=but |not |except ))")
"""A row of blanks is looked at from its first one alone, as none of its others would decide otherwise."""
_KEPT_FIRST = re.compile(
    r"(?:but )?(?:not|except|keep|leave|i don't mean|never the|nothing (?:on|about))\b", re.IGNORECASE
)
_KEPT = re.compile(
    r"\b(?:stays?|stay on|is still|are still|different story|still on|worth k|may stay|can stay|not the)\b",
    re.IGNORECASE,
)
_WIDE = re.compile(
    r"\b(?:every|everything|all|any|anything|whatever|each|both|entire|completely|full|stuff|records?|wherever)\b",
    re.IGNORECASE,
)
_PHRASE_ENDS = re.compile(r"\b(?:of|for|in|on|at|from|with|that|who|which|about)\b|[,.;(]")


_NOTHING = Token("\0", "\0", "\0", 0, "latin", True, False, False)
"""The word of a text without words: it stands nowhere."""


@dataclass(frozen=True, slots=True)
class Asking:
    """The words of a request.

    Attributes:
        words: what it says is meant, at least one token.
        head: position in `words` of the last word of the first phrase.
        is_wide: it asks for all that there is.
    """

    words: tuple[Token, ...]
    head: int
    is_wide: bool


@functools.lru_cache(maxsize=1024)
def asking(text: str) -> Asking:
    """What a request asks for."""
    plain = clean(text)
    meant: list[Token] = []
    kept: list[Token] = []
    heads = 0
    first = _PHRASE_ENDS.search(plain, 1)
    phrase = len(read(plain[: first.start()])) if first else len(plain)
    seen = 0
    for clause in _CLAUSE.split(plain):
        stays = _KEPT_FIRST.match(clause.strip("( ")) or _KEPT.search(clause)
        tokens = read(clause)
        said = [token for token in tokens if token.says]
        (kept if stays else meant).extend(said)
        if not stays:
            heads += sum(seen + token.place < phrase for token in said)
        seen += len(tokens)
    words = tuple(meant) or tuple(kept) or read(plain) or (_NOTHING,)
    head = max(min(heads, len(words)) - 1, 0)
    return Asking(words, head, bool(_WIDE.search(plain)))
