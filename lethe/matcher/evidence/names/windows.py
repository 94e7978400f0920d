"""The pieces of a memory that may be a name, in any script."""

import functools
import itertools
import re

from lethe.matcher.evidence.names.kind_words import cut
from lethe.matcher.evidence.tables import table
from lethe.matcher.evidence.text.scripts import script
from lethe.matcher.evidence.text.words import FUNCTION_WORDS, Word, bare, key, without_possessive, words

TITLES = frozenset(table("windows", "titles").split())
PARTICLES = frozenset("al el van von de der den bin ibn ben da di du la le del della dos ten ter af zu".split())
PEOPLES = frozenset(table("windows", "peoples").split())
_NOT_NAMES = PEOPLES | frozenset(table("windows", "not_names").split())


def is_name_word(word: Word) -> bool:
    lowered = word.text.lower()
    if script(word.text) != "latin":
        return True
    if not word.is_capital or not word.text[0].isalpha() or lowered in FUNCTION_WORDS or lowered in _NOT_NAMES:
        return False
    return not (word.text.isupper() and len(word.text) > 1 and any(letter.isdigit() for letter in word.text))


_UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]")
_EAST_ASIAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_SEGMENT = re.compile("[\u3040-\u309f]+|[\u30a0-\u30fa\u30fc-\u30ff]+|[^\u3040-\u30ff]+")
_CHINESE = re.compile("[\u3400-\u9fff]{5,}")
_WHOLE = re.compile(".+")
_MIXED = re.compile(
    "(?:[\u3400-\u9fff]{1,3}|[\u30a0-\u30ff]+)(?!さん|さま|くん|ちゃん|です|ます|した|する|から|まで|より|には|では|とは|への)[\u3040-\u309f]{2,4}"
)
"""A family name in Chinese characters with a first name in kana."""
_HONORIFIC = re.compile(r"^(?:さん|さま|くん|ちゃん)|(?<=..)(?:様|氏|君|殿)$|(?<=.)(?:先生|女士|小姐|老师|老師)$")


@functools.lru_cache(maxsize=4096)
def segments(text: str) -> tuple[Word, ...]:
    """The words of a cleaned text, with those of scripts without spaces cut up.

    They are cut at words for a kind of place or firm, in Chinese and Japanese also where the kind of letters changes.
    """
    if text.isascii() or not _UNSPACED.search(text):
        return words(text)
    found: list[Word] = []
    for word in words(text):
        if not _UNSPACED.search(word.text):
            found.append(word)
            continue
        start = word.start
        for piece in cut(word.text):
            found += _by_letters(piece, start)
            start += len(piece)
    return tuple(found)


def _by_letters(text: str, start: int) -> list[Word]:
    """The parts of a piece of Chinese or Japanese where the kind of letters changes; other pieces whole."""
    if not _EAST_ASIAN.search(text):
        return [Word(text, key(text), start, start + len(text))]
    found: list[Word] = []
    for part in (_WHOLE if _MIXED.fullmatch(text) else _SEGMENT).finditer(text):
        plain = _HONORIFIC.sub("", part[0])
        if plain and not (part.start() and "\u3040" <= plain[0] <= "\u309f"):
            at = start + part.start()
            found.append(Word(plain, key(plain), at, at + len(plain)))
    return found


def windows(memory: str, most: int) -> list[tuple[str, ...]]:
    """The runs of name words of a cleaned memory, without particles, cut into pieces of 1 to `most` words.

    Of a long run of Chinese characters, the pieces of two and three near its start, where a name may stand.
    """
    pieces: dict[tuple[str, ...], None] = {}
    for run in _CHINESE.findall(memory):
        for first, length in itertools.product(range(4), (2, 3)):
            pieces[(run[first : first + length],)] = None
    for run in _runs(memory):
        texts = [without_possessive(word.text) for word in run]
        for length in range(1, most + 1):
            for first in range(len(texts) - length + 1):
                pieces[tuple(texts[first : first + length])] = None
    return list(pieces)


_BETWEEN = re.compile(rf"[ .,·・=-]{{1,2}}(?:(?:{'|'.join(sorted(PARTICLES))})[ -])?|", re.IGNORECASE)
"""What stands between two words of one name."""


@functools.lru_cache(maxsize=4096)
def _runs(memory: str) -> list[list[Word]]:
    """The words of each name, without particles and titles; the last run may be empty."""
    run: list[Word] = []
    found: list[list[Word]] = []
    for word in segments(memory):
        close = run and _BETWEEN.fullmatch(memory, run[-1].end, word.start)
        same = run and (script(word.text) == script(run[-1].text) or _is_one_word(run[-1], word))
        hyphenated = run and memory[run[-1].end : word.start] == "-" and run[-1].is_capital
        fits = is_name_word(word) or hyphenated or (close and same and word.is_capital)
        if close and same and word.text.lower() in PARTICLES:
            continue
        if run and not (close and same and fits):
            found.append(run)
            run = []
        if fits and bare(word.text) not in TITLES and word.text.lower() not in PARTICLES:
            run.append(word)
    found.append(run)
    return found


def _is_one_word(one: Word, other: Word) -> bool:
    """Whether two words are only the parts of one that is written in two kinds of letters ("さくら食堂")."""
    return one.end == other.start and {script(one.text), script(other.text)} == {"han", "kana"}
