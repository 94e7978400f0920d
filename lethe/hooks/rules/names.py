"""Names: the rows that name the very person, firm or thing of a request, in any script and word order."""

import functools
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from lethe.hooks.rules.lists import listed
from lethe.hooks.rules.scripts import WRITTEN_OUT, name_distance, script
from lethe.hooks.rules.words import FUNCTION_WORDS, Word, clean, fold, words

TOLERANCE = 0.2
"""Names of different scripts that sound further apart are different (`scripts.distance`)."""
_NEXT_LATIN, _NEXT_NATIVE = 0.012, 0.005
"""Further from the request's name than the closest name in the same script, by more than this, is another name."""
_RELATED = 0.5
"""Names of one script that are no further apart than this may be mistaken for each other."""
_SPELLING = 0.065
"""Latin spellings of one name differ by this much, where the rows show which other name they are not."""
TITLES = frozenset(
    listed(
        """mr mrs ms miss mx dr prof professor sir madam madame monsieur herr frau señor señora senor senora signor
    signora sister brother nurse chef cousin aunt uncle judge captain capt rev father mother grandma grandpa
    keeper coach councillor tutor curator"""
    )
)
_PARTICLES = frozenset(listed("al el van von de der bin ibn da di du la"))
CALENDAR = frozenset(
    listed(
        """monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december mondays tuesdays wednesdays thursdays fridays saturdays sundays"""
    )
)
_PEOPLES = frozenset(
    listed(
        """danish swedish norwegian finnish icelandic dutch german french english spanish italian portuguese polish
    czech slovak hungarian romanian bulgarian greek turkish russian ukrainian arabic hebrew persian hindi chinese
    japanese korean thai vietnamese american british irish scottish welsh african asian european swiss austrian
    belgian canadian mexican brazilian indian basque catalan estonian latvian lithuanian croatian serbian"""
    )
)
_NOT_NAMES = (
    CALENDAR
    | _PEOPLES
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
        return tuple(_bare(word) for word in self.words)

    @property
    def script(self) -> str:
        return script(" ".join(self.words))

    def shown(self) -> str:
        return " ".join(self.words)


def _bare(word: str) -> str:
    return fold(re.sub(r"'s?$", "", word))


def names_in(text: str) -> list[tuple[Name, int, int]]:
    """The runs of capitalised or non-Latin words of a cleaned text, with their positions; titles are left out."""
    found: list[tuple[Name, int, int]] = []
    run: list[Word] = []

    def close() -> None:
        while run and _bare(run[0].text) in TITLES:
            run.pop(0)
        if run:
            parts = tuple(re.sub(r"'s?$", "", part.text) for part in run)
            found.append((Name(parts), run[0].start, run[-1].end))
        run.clear()

    for word in words(text):
        name_like = _is_name_word(word) or (bool(run) and word.is_capital and fold(word.text) in FUNCTION_WORDS)
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


def _is_name_word(word: Word) -> bool:
    lowered = word.text.lower()
    if script(word.text) != "latin":
        return True
    if not word.is_capital or not word.text[0].isalpha() or lowered in FUNCTION_WORDS or lowered in _NOT_NAMES:
        return False
    return not (word.text.isupper() and len(word.text) > 1 and any(letter.isdigit() for letter in word.text))


def same_script_hit(name: Name, row: str) -> bool:
    """Does `row` hold all words of `name`, side by side in any order, in its own script?"""
    wanted = [spellings(word) for word in name.words]
    joined = ["".join(parts) for parts in itertools.product(*wanted)]
    row_words = words(row)
    size = len(wanted)
    for first in range(len(row_words)):
        for length in (size, size - 1, size + 1):
            window = row_words[first : first + length]
            if len(window) != length or not window or not _is_close(row, window) or _goes_on(row, window):
                continue
            held = [spellings(word.text) for word in window]
            if length == size and _same_words(wanted, held):
                return True
            if length != size and size + length > 2:
                glued = ["".join(parts) for parts in itertools.product(*held)]
                turned = ["".join(parts) for parts in itertools.product(*(held[1:] + held[:1]))]
                if set(joined) & {*glued, *turned}:
                    return True
    return False


@functools.lru_cache(maxsize=16384)
def spellings(word: str) -> tuple[str, ...]:
    """A word folded, and with German and Nordic letters written out."""
    plain = _bare(word)
    if plain.isascii() and word.isascii():
        return (plain,)
    lowered = re.sub(r"'s?$", "", word).casefold()
    return tuple(dict.fromkeys((plain, fold(lowered.translate(WRITTEN_OUT)))))


def _same_words(wanted: Sequence[tuple[str, ...]], held: Sequence[tuple[str, ...]]) -> bool:
    left = list(held)
    for options in wanted:
        match = next((other for other in left if set(options) & set(other)), None)
        if match is None:
            return False
        left.remove(match)
    return True


def _goes_on(row: str, window: Sequence[Word]) -> bool:
    """Is the name a part of a longer hyphenated or underscored one?"""
    before, after = row[: window[0].start], row[window[-1].end :]
    return bool(re.match(r"_|-(?=[A-Z\d])", after)) or bool(re.search(r"[\w]-$|_$", before))


def _is_close(row: str, window: Sequence[Word]) -> bool:
    gaps = [row[left.end : right.start] for left, right in itertools.pairwise(window)]
    return all(len(gap) <= 2 and ";" not in gap for gap in gaps)


def windows(row: str, most: int) -> list[tuple[str, ...]]:
    """The runs of name words of a cleaned row, cut into pieces of 1 to `most` words."""
    pieces: dict[tuple[str, ...], None] = {}
    run: list[Word] = []
    runs: list[list[Word]] = []
    for word in words(row):
        close = run and re.fullmatch(
            r"[ .,·・=-]{1,2}(?:(?:al|el|van|von|de|der|bin|ibn|da|di|du|la)[ -])?|", row[run[-1].end : word.start]
        )
        same = run and script(word.text) == script(run[-1].text)
        hyphenated = run and row[run[-1].end : word.start] == "-" and run[-1].is_capital
        fits = _is_name_word(word) or hyphenated or (close and same and word.is_capital)
        if run and close and word.text in _PARTICLES:
            continue
        if run and not (close and same and fits):
            runs.append(run)
            run = []
        if fits and _bare(word.text) not in TITLES:
            run.append(word)
    runs.append(run)
    for run in runs:
        texts = [re.sub(r"'s?$", "", word.text) for word in run]
        for length in range(1, most + 1):
            for first in range(len(texts) - length + 1):
                pieces[tuple(texts[first : first + length])] = None
    return list(pieces)


def rows_of_name(names: Sequence[Name], rows: Sequence[str]) -> dict[int, str]:
    """The positions of the cleaned `rows` that are about the entity that all `names` stand for, each with why.

    In one script a name must be equal, words in any order; across scripts the closest in sound within `TOLERANCE`
    counts, unless the row's name is as close to another name of the rows, which rules the entity out.
    """
    exact = {
        position: f"names {name.shown()}"
        for name in names
        for position, row in enumerate(rows)
        if same_script_hit(name, row)
    }
    foreign = any(name.script != "latin" for name in names) or any(script(row) != "latin" for row in rows)
    if not foreign:
        return exact
    most = max(len(name.words) for name in names) + 2
    pieces = {position: windows(row, most) for position, row in enumerate(rows)}
    near: dict[int, tuple[float, tuple[str, ...]]] = {}
    for position, options in pieces.items():
        if position in exact:
            continue
        scored = [
            (min(name_distance(name.words, piece) for name in names if _comparable(name.words, piece)), piece)
            for piece in options
            if any(_comparable(name.words, piece) for name in names)
        ]
        if scored:
            near[position] = min(scored, key=lambda pair: (pair[0], -len(pair[1])))
    wanted = {position: pair for position, pair in near.items() if pair[0] <= TOLERANCE}
    return exact | _without_rivals(names, rows, exact, wanted)


def _without_rivals(
    names: Sequence[Name],
    rows: Sequence[str],
    exact: dict[int, str],
    wanted: dict[int, tuple[float, tuple[str, ...]]],
) -> dict[int, str]:
    """Of the near rows, those whose name is no closer to a rival: another name in the script of a known form."""
    known = [name.words for name in names]
    kept: dict[int, str] = {}
    by_script: dict[str, list[int]] = {}
    for position, (_, piece) in wanted.items():
        by_script.setdefault(script(" ".join(piece)), []).append(position)
    scripts = {name.script for name in names}
    for name_script, positions in by_script.items():
        if name_script in scripts:
            continue
        closest = min(wanted[position][0] for position in positions)
        rivals_of = [
            form
            for form in (_other_forms(names, rows, exact, "latin") if name_script == "latin" else ())
            if min(name_distance(form, spelling) for spelling in known) <= _RELATED
        ]
        for position in positions:
            far, piece = wanted[position]
            if far <= closest + (_NEXT_LATIN if name_script == "latin" else _NEXT_NATIVE) or (
                rivals_of
                and far <= closest + _SPELLING
                and all(far + _NEXT_LATIN < name_distance(rival, piece) for rival in rivals_of)
            ):
                kept[position] = _sounds_like(names, wanted[position])
    _give_to_others(names, rows, exact, wanted, kept)
    native = [wanted[position][1] for position in kept if script(" ".join(wanted[position][1])) != "latin"]
    for name_script, positions in by_script.items():
        if name_script not in scripts:
            continue
        rivals = {
            wanted[other][1]
            for other in wanted
            if other not in kept and script(" ".join(wanted[other][1])) != name_script
        } | _other_forms(names, rows, exact, name_script)
        for position in positions:
            piece = wanted[position][1]
            if name_script != "latin":
                continue
            own = min(name_distance(form, piece) for form in [*known, *native])
            if (
                own <= TOLERANCE
                and all(own < name_distance(rival, piece) for rival in rivals)
                and _spells(piece, native, known)
            ):
                kept[position] = _sounds_like(names, wanted[position])
    rival_forms = _other_forms(names, rows, exact, "latin")
    for position in list(kept):
        piece = wanted[position][1]
        if script(" ".join(piece)) == "latin":
            own = min(name_distance(form, piece) for form in [*known, *(form for form in native if form != piece)])
            if any(name_distance(rival, piece) < own for rival in rival_forms if rival not in native) or any(
                _holds(rows[position], rival) for rival in rival_forms if rival not in native
            ):
                del kept[position]
    return kept


def _give_to_others(
    names: Sequence[Name],
    rows: Sequence[str],
    exact: dict[int, str],
    wanted: dict[int, tuple[float, tuple[str, ...]]],
    kept: dict[int, str],
) -> None:
    """Take out native forms that another Latin name of the rows stands nearest to, and the request's names do not."""
    if len({wanted[position][1] for position in kept}) < 2:
        return
    known = [name.words for name in names if name.script == "latin"]
    native = {wanted[position][1] for position in kept if script(" ".join(wanted[position][1])) != "latin"}
    if not known or len(native) < 2:
        return
    own = {form: min(name_distance(form, spelling) for spelling in known) for form in native}
    nearest = min(own, key=lambda form: (own[form], form))
    for position, row in enumerate(rows):
        if position in exact:
            continue
        for piece in windows(row, len(known[0])):
            if len(piece) != len(known[0]) or script(" ".join(piece)) != "latin":
                continue
            theirs = {form: name_distance(form, piece) for form in native}
            form = min(theirs, key=lambda form: (theirs[form], form))
            if form != nearest and theirs[form] <= own[form] and theirs[form] <= TOLERANCE:
                for other in [other for other in kept if wanted[other][1] == form]:
                    del kept[other]


def _spells(piece: tuple[str, ...], native: Sequence[tuple[str, ...]], known: Sequence[tuple[str, ...]]) -> bool:
    """Is a Latin name, which the request writes otherwise, another spelling of a native form of the rows?

    It must be as near to that form as the request's own spelling is: "Yulia" and "Julia" for Юлия, but not "Oleg"
    besides "Olga" for Ольга.
    """
    return any(
        name_distance(form, piece) <= min(name_distance(form, spelling) for spelling in known) + _NEXT_LATIN
        for form in native
    )


def _other_forms(
    names: Sequence[Name], rows: Sequence[str], exact: dict[int, str], not_in: str
) -> set[tuple[str, ...]]:
    """Near but different names of the rows, in the scripts of known non-Latin forms: other entities."""
    forms: set[tuple[str, ...]] = set()
    for name in names:
        if name.script in ("latin", not_in):
            continue
        for position, row in enumerate(rows):
            if position in exact:
                continue
            for piece in windows(row, len(name.words) + 1):
                if script(" ".join(piece)) == name.script and len(piece) == len(name.words):
                    forms.add(piece)
    return forms


def _holds(row: str, piece: tuple[str, ...]) -> bool:
    return all(word in row for word in piece)


def _comparable(name: Sequence[str], piece: Sequence[str]) -> bool:
    """Two words may be written as one or three; one word alone is never a name of two in the same script."""
    if script(" ".join(name)) == script(" ".join(piece)) == "latin":
        return abs(len("".join(name)) - len("".join(piece))) <= 4
    return True


def _sounds_like(names: Sequence[Name], pair: tuple[float, tuple[str, ...]]) -> str:
    return f"{' '.join(pair[1])} sounds like {names[0].shown()} ({pair[0]:.2f})"


def cleaned(rows: Sequence[str]) -> list[str]:
    """The rows as the rules read them."""
    return [clean(row) for row in rows]
