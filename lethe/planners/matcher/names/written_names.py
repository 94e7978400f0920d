"""Names as they are written: found in a text, and the same name in the same script."""

import functools
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from lethe.planners.matcher.names.base_forms import base_forms
from lethe.planners.matcher.names.kind_words import OF_FIRM, cut
from lethe.planners.matcher.names.latin_declension import is_declined
from lethe.planners.matcher.text.lists import listed
from lethe.planners.matcher.text.scripts import WRITTEN_BY_SOUND, WRITTEN_OUT, script
from lethe.planners.matcher.text.variants import simplified
from lethe.planners.matcher.text.words import FUNCTION_WORDS, LATIN, Word, bare, fold, key, without_possessive, words

TITLES = frozenset(
    listed(
        """mr mrs ms miss mx dr prof professor sir madam madame monsieur herr frau señor señora senor senora signor
    signora sister brother nurse chef cousin aunt uncle judge captain capt rev father mother grandma grandpa
    keeper coach councillor tutor curator lt lieutenant sgt sergeant cpl corporal col colonel maj major cpt gen adm
    admiral cdr commander insp inspector det fr br sr khun san sri shri sheikh don doña pan pani mevrouw meneer
    patient client customer tenant guest member student pupil teacher doctor driver employee contractor supplier
    vendor passenger resident donor volunteer intern trainee apprentice colleague neighbour neighbor"""
    )
)
PARTICLES = frozenset(listed("al el van von de der den bin ibn ben da di du la le del della dos ten ter af zu"))
_JOINING = PARTICLES | frozenset(listed("u y e i na nad pod og och und et sur sous les los las das do"))
"""Words in small letters that may stand between two words of one name."""
CALENDAR = frozenset(
    listed(
        """monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december mondays tuesdays wednesdays thursdays fridays saturdays sundays"""
    )
)
PEOPLES = frozenset(
    listed(
        """danish swedish norwegian finnish icelandic dutch german french english spanish italian portuguese polish
    czech slovak hungarian romanian bulgarian greek turkish russian ukrainian arabic hebrew persian hindi chinese
    japanese korean thai vietnamese american british irish scottish welsh african asian european swiss austrian
    belgian canadian mexican brazilian indian basque catalan estonian latvian lithuanian croatian serbian"""
    )
)
_NOT_NAMES = (
    CALENDAR
    | PEOPLES
    | frozenset(
        listed(
            """gdpr delete erase purge remove drop forget wipe scrub clear strip expunge take please everything all
    anything right court order latin"""
        )
    )
)


@dataclass(frozen=True, slots=True)
class Name:
    """A name as written: its words, without titles."""

    words: tuple[str, ...]

    @property
    def folded(self) -> tuple[str, ...]:
        return tuple(bare(word) for word in self.words)

    @property
    def script(self) -> str:
        return script(" ".join(self.words))

    def shown(self) -> str:
        return " ".join(self.words)


def names_in(text: str) -> list[tuple[Name, int, int]]:
    """The runs of capitalised or non-Latin words of a cleaned text, with their positions; titles are left out."""
    found: list[tuple[Name, int, int]] = []
    run: list[Word] = []

    def close() -> None:
        while run and bare(run[0].text) in TITLES:
            run.pop(0)
        if run:
            parts = tuple(without_possessive(part.text) for part in run)
            found.append((Name(parts), run[0].start, run[-1].end))
        run.clear()

    found_words = words(text)
    for word, after in zip(found_words, (*found_words[1:], None), strict=False):
        name_like = is_name_word(word) or (bool(run) and word.is_capital and fold(word.text) in FUNCTION_WORDS)
        if run and word.text in _JOINING and after is not None and after.is_capital:
            name_like = True
        if run and (
            not name_like
            or not re.fullmatch(r"[ .]{0,2}|-|, (?=$)", text[run[-1].end : word.start])
            or script(word.text) != script(run[-1].text)
            or re.search(r"'s$", run[-1].text)
        ):
            joined = (
                run
                and re.fullmatch(r"-", text[run[-1].end : word.start])
                and word.text.islower()
                and run[-1].is_capital
            )
            if joined and script(word.text) == "latin":
                run.append(word)
                continue
            close()
        if name_like:
            run.append(word)
    close()
    return found


def is_name_word(word: Word) -> bool:
    lowered = word.text.lower()
    if script(word.text) != "latin":
        return True
    if not word.is_capital or not word.text[0].isalpha() or lowered in FUNCTION_WORDS or lowered in _NOT_NAMES:
        return False
    return not (word.text.isupper() and len(word.text) > 1 and any(letter.isdigit() for letter in word.text))


def same_script_hit(name: Name, memory: str) -> bool:
    """Whether `memory` holds all words of `name`, side by side in any order, in its own script, inflected or not."""
    return as_held(name, memory) is not None


@functools.lru_cache(maxsize=16384)
def as_held(name: Name, memory: str) -> tuple[str, ...] | None:
    """The words of `memory` that are those of `name`, side by side in any order, in its script, inflected or not."""
    if name.script == "han" and len(name.words) == 1:
        at = _stands_in(simplified(name.words[0]), simplified(memory))
        if at is not None:
            return (memory[at : at + len(name.words[0])],)
    wanted = [spellings(word) for word in name.words]
    joined = {"".join(parts) for parts in itertools.product(*wanted)}
    parts_of = {spelling for options in wanted for spelling in options}
    memory_words, written = _written_memory(memory)
    size = len(wanted)
    is_latin = name.script == "latin" and size > 1
    for first, own in enumerate(written):
        for length in (size, size - 1, size + 1):
            held = written[first : first + length]
            if len(held) != length or not held:
                continue
            if length == size:
                is_same = not parts_of.isdisjoint(own) and _same_words(wanted, held)
                if not is_same and is_latin and memory_words[first].is_capital:
                    is_same = is_declined(name.words, tuple(word.text for word in memory_words[first : first + length]))
            else:
                is_same = size + length > 2 and not joined.isdisjoint(_glued(held))
            window = memory_words[first : first + length]
            if not is_same or not _is_close(memory, window) or _goes_on(memory, window):
                continue
            if length != size or not is_accented_otherwise(name, [word.text for word in window]):
                return tuple(word.text for word in window)
    return None


@functools.lru_cache(maxsize=4096)
def _written_memory(memory: str) -> tuple[tuple[Word, ...], list[tuple[str, ...]]]:
    """The words of a memory, and how each may be spelled in its base form."""
    memory_words = segments(memory)
    return memory_words, [_written(word.text) for word in memory_words]


def _glued(held: Sequence[tuple[str, ...]]) -> set[str]:
    """Words written as one, in their order or with the first one last."""
    orders = (held, [*held[1:], held[0]])
    return {"".join(parts) for order in orders for parts in itertools.product(*order)}


def _stands_in(written: str, memory: str) -> int | None:
    """Where a name in Chinese characters, in one form, stands in a memory that is written without spaces.

    One of two characters may continue ("张伟" in "张伟丽"), so that what follows must be no character or a common word.
    """
    if len(written) < 2:
        return None
    plain = _ADDRESSED.sub("", written)
    if len(plain) > (3 if written[:2] in _DOUBLE_SURNAMES else 2):
        return memory.find(written) if written in memory else None
    at = memory.find(written)
    while at >= 0:
        begins = at == 0 or _MAY_PRECEDE.match(memory[at - 1]) is not None
        if begins and (plain != written or _MAY_FOLLOW.match(memory, at + len(written))):
            return at
        at = memory.find(written, at + 1)
    return None


_DOUBLE_SURNAMES = frozenset(
    listed("欧阳 歐陽 司马 司馬 上官 诸葛 諸葛 东方 東方 皇甫 尉迟 尉遲 公孙 公孫 慕容 令狐 夏侯 端木 司徒 司空 宇文")
)
_ADDRESSED = re.compile("(?:さん|さま|様|君|くん|ちゃん|氏|先生|老师|老師|女士|小姐)$")
"""What follows a name to address its owner."""
_BEFORE_NAMES = "和给給跟与與同找叫请請问問对對把被让讓从從向为為由是见見帮幫替约約、在告知"
"""Characters that stand before names."""
_AFTER_NAMES = "的在是有和住说说已将要不没也都会來来去给給打对跟把被从到周今明昨上下每喜欢想请家"
"""Characters that follow names, and hardly ever stand in them."""
_MAY_PRECEDE = re.compile(rf"[{_BEFORE_NAMES}]|[^\u3400-\u9fff]")
_MAY_FOLLOW = re.compile(rf"(?![\u3400-\u9fff])|(?=[{_AFTER_NAMES}]|{OF_FIRM})")


def is_accented_otherwise(name: Name, others: Sequence[str]) -> bool:
    """Whether only accents tell two names apart, as in Vietnamese ("Hưng", "Hùng")."""
    for word in name.words:
        for other in others:
            plain, plain_2 = _letters_of(word), _letters_of(other)
            if not plain.isascii() and not plain_2.isascii() and plain != plain_2 and fold(plain) == fold(plain_2):
                return True
    return False


def _letters_of(word: str) -> str:
    return simplified(without_possessive(word).casefold().translate(_NORDIC).translate(LATIN))


_NORDIC = str.maketrans({"ø": "ö", "æ": "ä"})


@functools.lru_cache(maxsize=16384)
def spellings(word: str) -> tuple[str, ...]:
    """A word folded, and with German and Nordic letters written out."""
    plain = bare(word)
    if plain.isascii() and word.isascii():
        return (plain,)
    lowered = without_possessive(word).casefold()
    return tuple(dict.fromkeys((plain, *(fold(lowered.translate(way)) for way in (WRITTEN_OUT, WRITTEN_BY_SOUND)))))


@functools.lru_cache(maxsize=16384)
def _written(word: str) -> tuple[str, ...]:
    """The spellings of a word of a memory, and of what it may be an inflected form of."""
    forms = base_forms(word.casefold(), script(word))
    return tuple(dict.fromkeys(spelling for form in forms for spelling in spellings(form)))


def _same_words(wanted: Sequence[tuple[str, ...]], held: Sequence[tuple[str, ...]]) -> bool:
    left = list(held)
    for options in wanted:
        match = next((other for other in left if set(options) & set(other)), None)
        if match is None:
            return False
        left.remove(match)
    return True


def _goes_on(memory: str, window: Sequence[Word]) -> bool:
    """Whether the name is a part of a longer hyphenated or underscored one."""
    before, after = memory[: window[0].start], memory[window[-1].end :]
    goes_on = after[:1] == "_" or (after[:1] == "-" and (after[1:2].isupper() or after[1:2].isdigit()))
    return goes_on or bool(re.search(r"[\w]-$|_$", before))


def _is_close(memory: str, window: Sequence[Word]) -> bool:
    gaps = [memory[left.end : right.start] for left, right in itertools.pairwise(window)]
    return all(len(gap) <= 2 and ";" not in gap for gap in gaps)


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
    run: list[Word] = []
    runs: list[list[Word]] = []
    for word in segments(memory):
        close = run and _BETWEEN.fullmatch(memory, run[-1].end, word.start)
        same = run and (script(word.text) == script(run[-1].text) or _is_one_word(run[-1], word))
        hyphenated = run and memory[run[-1].end : word.start] == "-" and run[-1].is_capital
        fits = is_name_word(word) or hyphenated or (close and same and word.is_capital)
        if close and same and word.text.lower() in PARTICLES:
            continue
        if run and not (close and same and fits):
            runs.append(run)
            run = []
        if fits and bare(word.text) not in TITLES and word.text.lower() not in PARTICLES:
            run.append(word)
    runs.append(run)
    return runs


def _is_one_word(one: Word, other: Word) -> bool:
    """Whether two words are only the parts of one that is written in two kinds of letters ("さくら食堂")."""
    return one.end == other.start and {script(one.text), script(other.text)} == {"han", "kana"}
