"""The rows that name the entity of a request, in any script and spelling (paper, `cross_lingual_identifier`)."""

import itertools
import re
from collections.abc import Iterable, Sequence

from lethe.planners.matcher.names.exonyms import other_names
from lethe.planners.matcher.names.inflected import KINDS, same_base
from lethe.planners.matcher.names.kinds import groups
from lethe.planners.matcher.names.names import (
    PARTICLES,
    PEOPLES,
    TITLES,
    Name,
    as_held,
    names_in,
    same_script_hit,
    segments,
    windows,
)
from lethe.planners.matcher.names.sounds import consonants, name_distance
from lethe.planners.matcher.text.scripts import script
from lethe.planners.matcher.text.words import fold, key

TOLERANCE = 0.2
"""Names of different scripts that sound further apart are different (`sounds.name_distance`)."""
_EXACT = 0.06
"""Chinese characters are read in few ways, so that names in them must sound as near as this."""
_NEXT_LATIN = 0.012
"""Another Latin name that is nearer to a native form by more than this is the one that it stands for,"""
_SAME_LATIN = 0.06
"""unless the two Latin names are this close, as spellings of one are."""
_SPELLING = 0.05
"""Latin spellings of one name may be further from its native form than each other by this much."""
_OTHER_VOWELS = 0.025
"""By this much where no other native form is in the rows; then they must have the same consonants."""
_LONGER = 3
"""Spellings of one name differ by no more letters than this."""
_LATIN_SPELLING = 0.25
"""Latin spellings of one name are no further apart than this."""

Form = tuple[str, ...]


def resolve(names: Sequence[Name], rows: Sequence[str]) -> tuple[dict[int, str], list[Name]]:
    """The positions of the cleaned `rows` that name the entity that all `names` stand for, each with why; its forms.

    In one script a name must be equal, words in any order; across scripts the closest in sound within `TOLERANCE`
    counts, unless another name of the rows is closer. What stands beside the name in brackets in another script is
    a form of it, too.
    """
    known = [*names, *(Name(other) for name in names for other in other_names(name.words))]
    found: dict[int, str] = {}
    _add_exact(known, rows, found)
    if all(name.script == "latin" for name in names) and all(script(row) == "latin" for row in rows):
        return found, known
    for _ in range(2):
        before = len(known)
        _add_native(known, rows, found)
        _add_exact(known, rows, found)
        _add_spellings(known, rows, found)
        _add_exact(known, rows, found)
        if len(known) == before:
            break
    return found, known


def _add_exact(known: list[Name], rows: Sequence[str], found: dict[int, str]) -> None:
    """Add the rows that hold a known form, and the forms that stand beside it in brackets in such a row."""
    for name in known:
        for position, row in enumerate(rows):
            held = as_held(name, row)
            if held is None or (position not in found and _is_anothers(held, name, row, known, rows)):
                continue
            found.setdefault(position, f"names {name.shown()}")
            written = [Name(held)] if name.script == "latin" and not "".join(held).isascii() else []
            for form in (*written, *_glosses(name, row), *_translated(held, row)):
                if form not in known:
                    known.append(form)


def _is_anothers(held: Form, name: Name, row: str, known: Sequence[Name], rows: Sequence[str]) -> bool:
    """Is a form of the name in a row another's: an inflected one nearer to another name, or said to stand for one?"""
    forms = [_plain(one.words) for one in known]
    own = {script(" ".join(form)) for form in forms}
    if len(own) < 2 and name.script == "latin":
        return False
    here = script(" ".join(held))
    if _is_womans(held, name, row):
        return True
    if here != "latin" and sorted(map(fold, held)) != sorted(name.folded):
        latin = [form for form in forms if script(" ".join(form)) == "latin"]
        far = min((name_distance(form, held) for form in latin), default=0.0)
        others = [piece for piece in _pieces(rows, len(held)) if script(" ".join(piece)) == "latin"]
        return any(len(piece) == len(held) and _is_nearer(piece, held, far, latin) for piece in others)
    if here == "latin" and len(own) > 1:
        pieces = [piece for piece in windows(row, len(held) + 1) if script(" ".join(piece)) in own - {"latin"}]
        return any(not _is_form(piece, forms) and name_distance(piece, held) <= _NEXT_LATIN for piece in pieces)
    return False


def _is_womans(held: Form, name: Name, row: str) -> bool:
    """Does a row begin with a woman's surname, and no inflected form of the man's ("Волкова" for "Волков")?"""
    if not row.startswith(held[0]) or len(held) != len(name.words):
        return False
    return any(
        _SURNAME.search(one) and fold(one) == f"{fold(other)}а" for one, other in zip(held, name.words, strict=True)
    )


_SURNAME = re.compile("(?:[оеё]в|[иы]н)а$")
_BRACKET = re.compile(r"^[^\w]{0,1}[(\[\"„“»«'][^\w]{0,1}$")
_SLASH = re.compile(r"^ ?[/=|] ?$")


def _glosses(name: Name, row: str) -> list[Name]:
    """The names in another script that a bracket, quote or slash joins to the name in a row."""
    found: list[Name] = []
    runs: list[tuple[list[str], int, int, str]] = []
    for word in segments(row):
        own = script(word.text)
        if runs and runs[-1][3] == own and re.fullmatch(r"[ .·・-]{0,2}", row[runs[-1][2] : word.start]):
            texts, start, _, _ = runs[-1]
            runs[-1] = ([*texts, word.text], start, word.end, own)
        else:
            runs.append(([word.text], word.start, word.end, own))
    for (texts, _, end, own), (texts_2, start, end_2, own_2) in itertools.pairwise(runs):
        if own == own_2 or name.script not in (own, own_2):
            continue
        is_enclosed = _BRACKET.match(row[end:start]) is not None and re.match(r"[)\]\"“”»']", row[end_2:]) is not None
        if not is_enclosed and not _SLASH.match(row[end:start]):
            continue
        held, other = (texts, texts_2) if name.script == own else (texts_2, texts)
        if not _has_words(name, held):
            continue
        other = [text for text in other if fold(text) not in TITLES]
        if script(" ".join(other)) == "latin" and other is not texts_2:
            other = [text for text in other if text[:1].isupper()]
        options = [tuple(other[-size:]) if other and texts == other else tuple(other[:size]) for size in range(1, 5)]
        like = min(options, key=lambda option: name_distance(_plain(name.words), option), default=())
        if like and name_distance(_plain(name.words), like) <= TOLERANCE:
            found.append(Name(like))
        elif is_enclosed and 0 < len(other) <= 4 and all(text[:1].isupper() or not text.isascii() for text in other):
            found.append(Name(tuple(other)))
    return found


_SAYS = re.compile(
    r"[\"')»]?,? ?\(?(?:(?:which|that) is to say|which means|that is|i\.e\.|meaning|=|"
    rf"(?:(?:written|spelled|spelt|called|known|or|also) )*in ({'|'.join(sorted(PEOPLES))})(?: letters| script)?|"
    r"the \w+ (?:side )?(?:writes?|calls?|says?)(?: it| them)?|"
    r"(?:which is |who is )?(?:(?:also|better|officially|locally|otherwise|sometimes|formerly) )*"
    r"(?:known|written|spelled|spelt|signed|registered|listed|filed) as|(?:also |otherwise )called|alias|a\.?k\.?a\.?)"
    r"[,:]? (?:the )?[\"'(«]?",
    re.IGNORECASE,
)
"""What stands between a name and what it is in another language or script."""


_MAY_SAY = re.compile(
    rf"\b(?:to say|means|meaning|that is|in (?:{'|'.join(sorted(PEOPLES))})|writes?|calls?|says?|as|called|alias)\b|"
    r"a\.?k\.?a|i\.e\.|=",
    re.IGNORECASE,
)
"""Rows without this do not say it; most rows, which are spared the rest."""


def may_have_forms(row: str) -> bool:
    """May a row hold another form of a Latin name than the name itself?"""
    return not row.isascii() or _MAY_SAY.search(row) is not None


def _translated(held: Form, row: str) -> list[Name]:
    """The names that a row says the held one to be in other words ("Blue Wave, in Greek Γαλάζιο Κύμα")."""
    if held[0] not in row or not _MAY_SAY.search(row):
        return []
    written = re.search(r"[ .·・-]{1,2}".join(map(re.escape, held)), row)
    if written is None:
        return []
    return [
        name
        for name, start, end in names_in(row)
        if _SAYS.fullmatch(row[written.end() : start] or row[end : written.start()])
    ]


def _has_words(name: Name, texts: Sequence[str]) -> bool:
    return same_script_hit(name, " ".join(texts))


def _plain(form: Iterable[str]) -> Form:
    """The words of a name without particles."""
    kept = tuple(word for word in form if word.lower() not in PARTICLES)
    return kept or tuple(form)


def _telling(form: Form) -> list[Form]:
    """A name, and without the words that say what kind of place or firm it is."""
    rest = tuple(word for word in form if key(word) not in _KINDS and not groups(word))
    return [form, rest] if rest and rest != form else [form]


_KINDS = frozenset(map(key, KINDS))


def _pieces(rows: Sequence[str], most: int) -> dict[Form, list[int]]:
    """The name-like pieces of the rows, and the rows that each stands in."""
    pieces: dict[Form, list[int]] = {}
    for position, row in enumerate(rows):
        for piece in windows(row, most):
            pieces.setdefault(piece, []).append(position)
    return pieces


def _add_native(known: list[Name], rows: Sequence[str], found: dict[int, str]) -> None:
    """Add the forms in other scripts than the known ones that sound most like these, and the rows that hold them."""
    forms = [form for name in known for form in _telling(_plain(name.words))]
    scripts = {name.script for name in known}
    most = max(len(form) for form in forms)
    pieces = _pieces(rows, most + 2)
    rivals = [
        rival
        for piece, positions in pieces.items()
        if script(" ".join(piece)) in scripts and not set(positions) <= found.keys()
        for rival in _telling(piece)
        if len(rival) in {len(form) for form in forms} and not _is_form(rival, forms)
    ]
    named = bool(found)
    near: dict[str, list[tuple[float, Form, bool]]] = {}
    for piece in pieces:
        own = script(" ".join(piece))
        if own in scripts:
            continue
        far = min((name_distance(form, piece) for form in forms if script(" ".join(form)) != own), default=1.0)
        if far > (_EXACT if own == "han" or "han" in scripts else TOLERANCE):
            continue
        nearer = [rival for rival in rivals if _is_nearer(rival, piece, far, forms)]
        if not nearer or (not named and all(_is_like(rival, forms) for rival in nearer)):
            near.setdefault(own, []).append((far, piece, not nearer))
    for own, options in near.items():
        free = [option for option in options if option[2]] or options
        least = min(far for far, _, _ in free)
        sole = [option for option in free if not _is_as_near(option, rivals, forms)]
        free = sole if any(far <= least for far, _, _ in sole) else free
        least, best, _ = min(free, key=lambda option: (option[0], -len(option[1])))
        for far, piece, _ in free:
            if far <= least or _is_same(piece, best, own, far - least):
                own_rows = [row for row in pieces[piece] if not _is_womans(piece, Name(best), rows[row])]
                if own_rows and Name(piece) not in known:
                    known.append(Name(piece))
                for position in own_rows:
                    if not any(_holds(rows[position], rival, piece, far) for rival in rivals):
                        found.setdefault(position, f"{' '.join(piece)} sounds like {known[0].shown()} ({far:.2f})")


def _is_as_near(option: tuple[float, Form, bool], rivals: Sequence[Form], forms: Sequence[Form]) -> bool:
    """Is a piece as near to another name of the rows ("渡部", to be read Watanabe and Watabe)?"""
    far, piece, _ = option
    return any(
        len(rival) == len(piece)
        and name_distance(rival, piece) <= far
        and all(name_distance(rival, form) > _SAME_LATIN for form in forms)
        for rival in rivals
    )


def _holds(row: str, rival: Form, piece: Form, far: float) -> bool:
    """Does a row say itself that a name stands for another one, of another script, that sounds as much like it?"""
    return same_script_hit(Name(rival), row) and rival != piece and name_distance(rival, piece) <= far


def _is_same(piece: Form, best: Form, own: str, further: float) -> bool:
    """Is a name another inflected form or, in Latin letters, another spelling of the best one?"""
    if own == "latin":
        return further <= _OTHER_VOWELS and consonants(piece) == consonants(best)
    return len(piece) == len(best) and any(
        all(same_base(fold(one), fold(other), own) for one, other in zip(order, best, strict=True))
        for order in itertools.permutations(piece)
    )


def _is_nearer(rival: Form, piece: Form, far: float, forms: Sequence[Form]) -> bool:
    """Is a piece rather a form of another name, which is no mere spelling of the known ones?"""
    if script(" ".join(rival)) != "latin":
        return name_distance(rival, piece) < far
    if name_distance(rival, piece) + _NEXT_LATIN >= far:
        return False
    latin = [form for form in forms if script(" ".join(form)) == "latin"]
    return all(name_distance(rival, form) > _SAME_LATIN or _ends_in_a(rival) != _ends_in_a(form) for form in latin)


def _ends_in_a(form: Form) -> int:
    """How many words end in "a", by which names of women and men often differ."""
    return sum(fold(word).endswith("a") for word in form)


def _is_like(rival: Form, forms: Sequence[Form]) -> bool:
    """May another Latin name be a spelling of the known ones, where no row has these?"""
    return any(script(" ".join(form)) == "latin" and name_distance(rival, form) <= TOLERANCE for form in forms)


def _add_spellings(known: list[Name], rows: Sequence[str], found: dict[int, str]) -> None:
    """Add the Latin names that are as near to a native form of the entity as its known Latin ones, and to no other."""
    native = [name.words for name in known if name.script != "latin"]
    latin = [_plain(name.words) for name in known if name.script == "latin"]
    if not native or not latin:
        return
    sizes = {len(form) for form in native}
    pieces = _pieces(rows, max(len(form) for form in (*latin, *native)) + 1)
    others = [
        piece
        for piece, positions in pieces.items()
        if script(" ".join(piece)) != "latin"
        and len(piece) in sizes
        and not set(positions) & found.keys()
        and not _is_form(piece, native)
    ]
    for piece, positions in pieces.items():
        if script(" ".join(piece)) != "latin" or _is_form(piece, latin) or set(positions) <= found.keys():
            continue
        own = min(name_distance(form, piece) for form in latin)
        near = min(name_distance(form, piece) for form in native)
        if all(_is_longer(form, piece, near) for form in latin):
            continue
        usual = min(name_distance(form, other) for form in native for other in latin)
        if (
            (own <= _LATIN_SPELLING or near <= (_SPELLING if others else _NEXT_LATIN))
            and near
            <= min(
                _EXACT if any(name.script == "han" for name in known) else TOLERANCE,
                usual + (_SPELLING if others else _OTHER_VOWELS),
            )
            and (others or near <= _NEXT_LATIN or any(consonants(form) == consonants(piece) for form in latin))
            and all(name_distance(other, piece) > near for other in others)
        ):
            known.append(Name(piece))
            for position in positions:
                found.setdefault(position, f"{' '.join(piece)} spells {known[0].shown()} ({near:.2f})")


def _is_longer(form: Form, piece: Form, near: float) -> bool:
    """Has one of two Latin names more letters than spellings of one name differ by?"""
    more = abs(len("".join(form)) - len("".join(piece)))
    return more > (_LONGER if len(form) == len(piece) or near <= _NEXT_LATIN else 1)


def _is_form(piece: Form, forms: Sequence[Form]) -> bool:
    """Is a piece one of the forms, in any order of its words?"""
    own = sorted(map(fold, piece))
    return any(own == sorted(map(fold, form)) for form in forms)
