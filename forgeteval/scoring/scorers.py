"""Deterministic scorers, which check recalled texts for required and forbidden strings without any LLM."""

import functools
import re
import unicodedata
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from itertools import groupby, takewhile

Contains = Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class Score:
    """Required strings that are missing, and forbidden strings that leaked; a pass has neither."""

    missing: tuple[str, ...]
    leaked: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return not self.missing and not self.leaked


def substring_contains(haystack: str, needle: str) -> bool:
    """Case-insensitive substring, the paper's scorer (section "Five families"), which tells Unicode forms apart."""
    return needle.lower() in haystack.lower()


# A recall's texts are compared with each wording of a case in turn.
@functools.lru_cache(maxsize=64)
def as_seen(text: str) -> str:
    """A text as people see it: in one Unicode form, without case, without characters that show nothing; one blank for
    any white space, one sign for hyphens, apostrophes and quotation marks of a kind.

    >>> as_seen("Cafe\u0301") == as_seen("CAFÉ"), as_seen("Ｇent\u00a0１"), as_seen("STRASSE") == as_seen("Straße")
    (True, 'gent 1', True)
    >>> as_seen("TXN\u20114711,  O\u2019Brien")
    "txn-4711, o'brien"
    """
    if text.isascii():
        return _SPACE.sub(" ", _CONTROL.sub("", text.lower()))
    # Before the forms are made one: what stands between a letter and its accent keeps them apart.
    shown = "".join(each for each in _CONTROL.sub("", text) if unicodedata.category(each) != "Cf")
    folded = _one_form(_one_form(_BLANK.sub("", shown)).casefold().replace("i\u0307", "i"))
    return _SPACE.sub(" ", folded.translate(_ALIKE))


def seen_contains(haystack: str, needle: str) -> bool:
    """Substring, in texts `as_seen`; a hyphen that is looked for may be a dash."""
    return _found(haystack, needle, str.__contains__)


def identifier_contains(haystack: str, needle: str) -> bool:
    """Substring, in texts `as_seen`, that neither starts nor ends inside a longer word or identifier.

    `alice@x.org` is not in `malice@x.org` or `alice@x.org.uk`, nor `12345` in `123456` or `TXN-12345-B`.
    A final full stop, or a hyphen before a space, does not make an identifier longer. A colon behind a word and a
    slash between two part what is looked for without them: `Lund` is in `city:Lund`, and `tea` in `tea/coffee`. Only
    an address is another one with its scheme (`mailto:ada@x.org`).
    Scripts written without spaces (Han, kana, Thai and the like) have no such boundaries and match as substrings.
    A hyphen that is looked for may be a dash; a dash between two words does not join them.
    """
    return _found(haystack, needle, _stands_alone)


def _found(haystack: str, needle: str, holds: Contains) -> bool:
    text, wanted = as_seen(haystack), as_seen(needle)
    if not wanted or holds(text, wanted):
        return bool(wanted)
    hyphened = wanted.translate(_DASHES)
    return "-" in hyphened and not (text.isascii() and wanted.isascii()) and holds(text.translate(_DASHES), hyphened)


def _stands_alone(text: str, wanted: str) -> bool:
    """Whether a text holds another, which is not empty, where it is no part of a longer word or identifier."""
    parting = frozenset() if "@" in wanted else _PARTING.difference(wanted)
    room = len(text) - len(wanted) + 1

    def alone(start: int) -> bool:
        return not (_continues(text, start, -1, parting) or _continues(text, start + len(wanted) - 1, +1, parting))

    start = text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        # To prepare a search, or to compare the whole, takes as long as what is searched for is; done at each place
        # that overlaps the last one, that would be hours.
        overlapping = (at for at in range(start + 1, min(end, room)) if text[at] == wanted[0] and alone(at))
        if alone(start) or any(text.startswith(wanted, at) for at in overlapping):
            return True
        start = text.find(wanted, end)
    return False


def shows(recalled: Sequence[str], wordings: Sequence[str]) -> bool:
    """Whether any recalled text holds any of these wordings, as `identifier_contains` has it."""
    return any(identifier_contains(text, wording) for text in recalled for wording in wordings)


def score(recalled: Sequence[str], required: Sequence[str], forbidden: Sequence[str], contains: Contains) -> Score:
    """Score the top-k of one query against the required and forbidden strings of a case; by `substring` joined, as in
    the paper."""
    texts = ["\n".join(recalled)] if contains is substring_contains else recalled

    def shown(wording: str) -> bool:
        return any(contains(text, wording) for text in texts)

    return Score(
        missing=tuple(wording for wording in required if not shown(wording)),
        leaked=tuple(wording for wording in forbidden if shown(wording)),
    )


_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8\U0001d159\U000e0000-\U000e0fff]"
)
"""Letters and marks that show nothing: fillers, joiners, variation selectors, what is kept for more of them."""
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
"""Control characters that are no white space."""
_SPACE = re.compile("[\\s\u2800]+")
_ALIKE = str.maketrans(
    {"\u2010": "-"}
    | dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc\u02b9", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f", '"')
)
"""Hyphens, apostrophes and quotation marks, as they are in one form."""
_DASHES = str.maketrans(dict.fromkeys("\u2012\u2013\u2014\u2015\u2212", "-"))
_MANY_MARKS = re.compile(r"[\W\uff9e\uff9f]{30}")
"""What may be many marks on one letter: no mark is of a word, and two letters of half width become marks."""
_HEXADECIMAL_PAIR = re.compile("[0-9a-f]{2}")
_JOINERS = frozenset("-_.@/:+#\\")
_PARTING = frozenset(":/")
"""Joiners that also stand between a word and its value, or between two words."""
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "HANGUL")


def _one_form(text: str) -> str:
    """The text in NFKC, in a time that grows as the text does.

    `unicodedata.normalize` sorts the marks on one letter by insertion; where they are in order, it has nothing to do.
    """
    if _MANY_MARKS.search(text):
        parts = "".join(unicodedata.normalize("NFKD", each) for each in text)
        runs = groupby(parts, lambda each: unicodedata.combining(each) > 0)
        ordered = (sorted(run, key=unicodedata.combining) if is_marks else run for is_marks, run in runs)
        text = "".join(each for run in ordered for each in run)
    return unicodedata.normalize("NFKC", text)


def _continues(text: str, edge: int, step: int, parting: Set[str]) -> bool:
    """Whether the word or identifier at `edge` continues beyond it in the direction of `step`.

    Args:
        parting: joiners that may part two words instead.
    """
    if not _is_word(text[edge]):
        return False
    beyond = edge + step
    if not 0 <= beyond < len(text):
        return False
    if _is_word(text[beyond]):
        return True
    after = beyond + step
    if text[beyond] not in _JOINERS or not 0 <= after < len(text) or not _is_word(text[after]):
        return False
    return text[beyond] not in parting or not _parts(text, beyond)


def _parts(text: str, at: int) -> bool:
    """Whether a colon stands behind a word (`city:Lund`, not `10:30` or `a4:ff:c0`), a slash between two."""
    before = "".join(takewhile(_is_word, (text[place] for place in range(at - 1, -1, -1))))
    if text[at] == ":":
        return not any(map(str.isdigit, before)) and not _HEXADECIMAL_PAIR.fullmatch(before)
    after = takewhile(_is_word, (text[place] for place in range(at + 1, len(text))))
    return not any(map(str.isdigit, (*before, *after)))


def _is_word(character: str) -> bool:
    if unicodedata.name(character, "").startswith(_UNSPACED):
        return False
    return character.isalnum() or unicodedata.category(character).startswith("M")
