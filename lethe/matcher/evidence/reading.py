"""A text as tokens that can be compared, in any script."""

import functools
import re
from dataclasses import dataclass, field

from lethe.matcher.evidence.scripts import script
from lethe.matcher.evidence.words import FUNCTION_WORDS, clean, fold, key

_ASKING = frozenset(
    """delete erase purge remove drop forget wipe scrub clear strip expunge please everything anything record
    records entry entries fact facts note notes info information data memory memories stored know known saved stuff
    thing things longer anymore over gone done still""".split()
)
"""What requests to forget are made of, besides what they mean."""
_EDGE = re.compile(r"^[\W_]+|(?<![\W_])[\W_]+$")
_SIGN = re.compile(r"[\W_]")
_POSSESSIVE = re.compile(r"['’]s?$")
_JOINED = re.compile(r"[\W_]*[^\W\d_]{2,}(?:[/,;:|=][^\W\d_]{2,}[\W_]*)+")
"""Words that signs alone keep apart, as in a row of fields."""
_FIELDS = re.compile(r'[/,;:|={}\[\]"]+')
_HANDLE = re.compile(r"[a-z][A-Z]|\w[._-]\w")


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a text.

    Attributes:
        folded: in lower case, without diacritics, outer signs and possessive ending.
        bare: `folded` without any sign.
        key: its English stem, where it is a plain Latin word.
        place: its position among the tokens of the text; tokens that differ in it alone are equal.
        script: "latin" or the name of another script.
        says: it is neither a function word nor a word of asking.
        is_number: it has a digit.
        is_name: it is written as a name: a capital within a sentence, a handle, another script.
    """

    folded: str
    bare: str
    key: str
    place: int = field(compare=False)
    script: str
    says: bool
    is_number: bool
    is_name: bool

    def __hash__(self) -> int:
        return hash(self.folded)


@functools.lru_cache(maxsize=8192)
def read(text: str) -> tuple[Token, ...]:
    """The tokens of a text, split at spaces and, between words, at the signs of rows and fields."""
    found: list[Token] = []
    opens = True
    for piece in clean(text).split():
        is_row = piece[0] in '{"[' or _JOINED.fullmatch(piece)
        for part in filter(None, _FIELDS.split(piece)) if is_row else (piece,):
            token = _token(part, len(found), opens=opens)
            if token.bare:
                found.append(token)
            opens = False
        opens = opens or piece[-1] in ".!?:" or piece in "-–—•|"
    return tuple(found)


def _token(written: str, place: int, *, opens: bool) -> Token:
    core = _EDGE.sub("", written)
    is_number = any(letter.isdigit() for letter in core)
    core = core if is_number else _POSSESSIVE.sub("", core)
    folded = fold(core)
    bare = _SIGN.sub("", folded)
    own = script(core)
    is_capital = core[:1].isupper() and (not opens or core[1:2].isupper())
    is_letter = len(bare) < 2 and not bare.isdigit() and not (core.isupper() and not opens and core != "I")
    return Token(
        folded,
        bare,
        key(core) if core.isascii() and core.isalpha() else folded,
        place,
        own,
        not (folded in FUNCTION_WORDS or folded in _ASKING or is_letter),
        is_number,
        bool(core)
        and (written[0] in "@#" or is_capital or own != "latin" or (not is_number and bool(_HANDLE.search(core)))),
    )
