"""How texts are taken apart into the words that BM25 counts: two ways, of which a file has one and names it.

FTS5's own tokenizer (`unicode61`) knows words between spaces. So, for every language, a text is folded before it is
indexed: the forms of a character become one, accents and vowel signs go, and what is written without spaces stands one
character at a time. A query for 苹果 is then a phrase of two such words, wherever it stands in a sentence.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Literal, get_args

from lethe.store.normalisation import without_unseen

Words = Literal["every language", "unicode61"]
KNOWN: tuple[str, ...] = get_args(Words)
TOKENIZERS: dict[str, str] = {
    "every language": "porter unicode61 categories 'L* N* Co Mn Mc'",
    "unicode61": "porter unicode61",
}
"""FTS5's part in each way."""
MAXIMUM_TERMS = 256
"""Words of a query that BM25 looks up, from its start (the whole query is embedded)."""
_SIGNS = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06ed"
    "\U0001f3fb-\U0001f3ff]"
)
"""Accents, the vowel signs of Hebrew and Arabic, which most writers leave out, and the skin tones of emoji."""
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7af\uf900-\ufaff\U00020000-\U000323af"
)
"""Thai, Lao, Burmese, Khmer, Chinese and Japanese, and Korean, whose words carry particles."""
_RUN = re.compile(f"([{_UNSPACED}]+)")
_CHARACTER = re.compile(f"[{_UNSPACED}]")
_MARK = re.compile(r"[^\x00-\x7f]")


def indexed(text: str | None, words: str) -> str:
    """A text as FTS5 is given it; no words where a damaged file has none."""
    if text is None:
        return ""
    return text if words == "unicode61" or text.isascii() else _CHARACTER.sub(r" \g<0> ", _folded(text))


def terms(query: str, words: str) -> list[str]:
    """The words of a query, the first 256, without what FTS5 takes for an operator.

    Of what is written without spaces they are all pairs of neighbours, so that a part of a sentence finds it.
    """
    if words == "unicode61":
        return re.sub(r"[^\w\s]", " ", query).split()[:MAXIMUM_TERMS]
    parts = "".join(mark if _belongs(mark) else " " for mark in _folded(query)).split()
    return [term for part in parts for term in _pairs(part)][:MAXIMUM_TERMS]


def _belongs(mark: str) -> bool:
    """Whether a character is a part of a word."""
    category = unicodedata.category(mark)
    return category[0] in "LNM" or category == "Co"


def _pairs(part: str) -> Iterator[str]:
    for piece in filter(None, _RUN.split(part)):
        if len(piece) < 2 or not _RUN.match(piece):
            yield piece
        else:
            yield from (" ".join(piece[place : place + 2]) for place in range(len(piece) - 1))


def _folded(text: str) -> str:
    if text.isascii():
        return text
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return _MARK.sub(_spelled, unicodedata.normalize("NFC", _SIGNS.sub("", without_unseen(folded))))


def _spelled(found: re.Match[str]) -> str:
    """A symbol, an emoji say, as a word of its own, which FTS5 would pass over."""
    return f" u{ord(found[0]):x} " if unicodedata.category(found[0]) == "So" else found[0]
