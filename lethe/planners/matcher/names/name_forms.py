"""The memories that name the entity of a request, in any script and spelling (paper, `cross_lingual_identifier`)."""

import itertools
import re
from collections.abc import Iterable, Sequence

from lethe.planners.matcher.names.base_forms import KINDS, same_base
from lethe.planners.matcher.names.exonyms import other_names
from lethe.planners.matcher.names.kind_words import groups
from lethe.planners.matcher.names.sounds import consonants, name_distance
from lethe.planners.matcher.names.written_names import (
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
from lethe.planners.matcher.text.scripts import script
from lethe.planners.matcher.text.words import fold, key

TOLERANCE = 0.2
"""Distance in sound above which names of different scripts differ (`sounds.name_distance`)."""
_EXACT = 0.06
"""The same for Chinese characters, which can be read in few ways."""
_NEXT_LATIN = 0.012
"""Margin by which a rival Latin name must be closer to a native form to be the one that it stands for."""
_SAME_LATIN = 0.06
"""Distance up to which two Latin names are spellings of one, and no rivals."""
_SPELLING = 0.05
"""Margin by which Latin spellings of one name may differ in their distance to its native form."""
_OTHER_VOWELS = 0.025
"""The same where the memories have no other native form; the consonants must then be equal."""
_LONGER = 3
"""Largest difference in letters between two spellings of one name."""
_LATIN_SPELLING = 0.25
"""Largest distance between two Latin spellings of one name."""

Form = tuple[str, ...]


def resolve(names: Sequence[Name], memories: Sequence[str]) -> tuple[dict[int, str], list[Name]]:
    """The positions of the cleaned `memories` that name the entity of `names`, each with why; and the entity's forms.

    In one script a name must be equal, words in any order. Across scripts the closest in sound within `TOLERANCE`
    counts, unless another name of the memories is closer. What stands beside the name in brackets in another script is
    one of its forms, too.
    """
    known = [*names, *(Name(other) for name in names for other in other_names(name.words))]
    found: dict[int, str] = {}
    _add_exact(known, memories, found)
    if all(name.script == "latin" for name in names) and all(script(memory) == "latin" for memory in memories):
        return found, known
    for _ in range(2):
        before = len(known)
        _add_native(known, memories, found)
        _add_exact(known, memories, found)
        _add_spellings(known, memories, found)
        _add_exact(known, memories, found)
        if len(known) == before:
            break
    return found, known


def _add_exact(known: list[Name], memories: Sequence[str], found: dict[int, str]) -> None:
    """Add the memories that hold a known form, and the forms that stand beside it in brackets in such a memory."""
    for name in known:
        for position, memory in enumerate(memories):
            held = as_held(name, memory)
            if held is None or (position not in found and _is_anothers(held, name, memory, known, memories)):
                continue
            found.setdefault(position, f"names {name.shown()}")
            written = [Name(held)] if name.script == "latin" and not "".join(held).isascii() else []
            for form in (*written, *_glosses(name, memory), *_translated(held, memory)):
                if form not in known:
                    known.append(form)


def _is_anothers(held: Form, name: Name, memory: str, known: Sequence[Name], memories: Sequence[str]) -> bool:
    """Whether a form of the name in a memory belongs to another name.

    It does if it is inflected and nearer to another name, or if the memory says that it stands for one.
    """
    forms = [_plain(one.words) for one in known]
    own = {script(" ".join(form)) for form in forms}
    if len(own) < 2 and name.script == "latin":
        return False
    here = script(" ".join(held))
    if _is_womans(held, name, memory):
        return True
    if here != "latin" and sorted(map(fold, held)) != sorted(name.folded):
        latin = [form for form in forms if script(" ".join(form)) == "latin"]
        far = min((name_distance(form, held) for form in latin), default=0.0)
        others = [piece for piece in _pieces(memories, len(held)) if script(" ".join(piece)) == "latin"]
        return any(len(piece) == len(held) and _is_nearer(piece, held, far, latin) for piece in others)
    if here == "latin" and len(own) > 1:
        pieces = [piece for piece in windows(memory, len(held) + 1) if script(" ".join(piece)) in own - {"latin"}]
        return any(not _is_form(piece, forms) and name_distance(piece, held) <= _NEXT_LATIN for piece in pieces)
    return False


def _is_womans(held: Form, name: Name, memory: str) -> bool:
    """Whether a memory begins with a woman's surname, not an inflected form of the man's ("Волкова" for "Волков")."""
    if not memory.startswith(held[0]) or len(held) != len(name.words):
        return False
    return any(
        _SURNAME.search(one) and fold(one) == f"{fold(other)}а" for one, other in zip(held, name.words, strict=True)
    )


_SURNAME = re.compile("(?:[оеё]в|[иы]н)а$")
_BRACKET = re.compile(r"^[^\w]{0,1}[(\[\"„“»«'][^\w]{0,1}$")
_SLASH = re.compile(r"^ ?[/=|] ?$")


def _glosses(name: Name, memory: str) -> list[Name]:
    """The names in another script that a bracket, quote or slash joins to the name in a memory."""
    found: list[Name] = []
    runs: list[tuple[list[str], int, int, str]] = []
    for word in segments(memory):
        own = script(word.text)
        if runs and runs[-1][3] == own and re.fullmatch(r"[ .·・-]{0,2}", memory[runs[-1][2] : word.start]):
            texts, start, _, _ = runs[-1]
            runs[-1] = ([*texts, word.text], start, word.end, own)
        else:
            runs.append(([word.text], word.start, word.end, own))
    for (texts, _, end, own), (texts_2, start, end_2, own_2) in itertools.pairwise(runs):
        if own == own_2 or name.script not in (own, own_2):
            continue
        is_enclosed = (
            _BRACKET.match(memory[end:start]) is not None and re.match(r"[)\]\"“”»']", memory[end_2:]) is not None
        )
        if not is_enclosed and not _SLASH.match(memory[end:start]):
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
"""What stands between a name and its form in another language or script."""


_MAY_SAY = re.compile(
    rf"\b(?:to say|means|meaning|that is|in (?:{'|'.join(sorted(PEOPLES))})|writes?|calls?|says?|as|called|alias)\b|"
    r"a\.?k\.?a|i\.e\.|=",
    re.IGNORECASE,
)
"""A quick test for `_SAYS`: memories without this say no other form."""


def may_have_forms(memory: str) -> bool:
    """Whether a memory may hold another form of a Latin name than the name itself."""
    return not memory.isascii() or _MAY_SAY.search(memory) is not None


def _translated(held: Form, memory: str) -> list[Name]:
    """The names that a memory gives as other words for the one held ("Blue Wave, in Greek Γαλάζιο Κύμα")."""
    if held[0] not in memory or not _MAY_SAY.search(memory):
        return []
    written = re.search(r"[ .·・-]{1,2}".join(map(re.escape, held)), memory)
    if written is None:
        return []
    return [
        name
        for name, start, end in names_in(memory)
        if _SAYS.fullmatch(memory[written.end() : start] or memory[end : written.start()])
    ]


def _has_words(name: Name, texts: Sequence[str]) -> bool:
    return same_script_hit(name, " ".join(texts))


def _plain(form: Iterable[str]) -> Form:
    """The words of a name without particles."""
    kept = tuple(word for word in form if word.lower() not in PARTICLES)
    return kept or tuple(form)


def _telling(form: Form) -> list[Form]:
    """A name as it is, and without the words that say what kind of place or firm it is."""
    rest = tuple(word for word in form if key(word) not in _KINDS and not groups(word))
    return [form, rest] if rest and rest != form else [form]


_KINDS = frozenset(map(key, KINDS))


def _pieces(memories: Sequence[str], most: int) -> dict[Form, list[int]]:
    """The name-like pieces of the memories, each with the positions of the memories that have it."""
    pieces: dict[Form, list[int]] = {}
    for position, memory in enumerate(memories):
        for piece in windows(memory, most):
            pieces.setdefault(piece, []).append(position)
    return pieces


def _add_native(known: list[Name], memories: Sequence[str], found: dict[int, str]) -> None:
    """Add the forms in other scripts that sound most like the known ones, and the memories that hold them."""
    forms = [form for name in known for form in _telling(_plain(name.words))]
    scripts = {name.script for name in known}
    most = max(len(form) for form in forms)
    pieces = _pieces(memories, most + 2)
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
                holders = [at for at in pieces[piece] if not _is_womans(piece, Name(best), memories[at])]
                if holders and Name(piece) not in known:
                    known.append(Name(piece))
                for position in holders:
                    if not any(_holds(memories[position], rival, piece, far) for rival in rivals):
                        found.setdefault(position, f"{' '.join(piece)} sounds like {known[0].shown()} ({far:.2f})")


def _is_as_near(option: tuple[float, Form, bool], rivals: Sequence[Form], forms: Sequence[Form]) -> bool:
    """Whether a piece is as near to another name of the memories ("渡部", read Watanabe and Watabe)."""
    far, piece, _ = option
    return any(
        len(rival) == len(piece)
        and name_distance(rival, piece) <= far
        and all(name_distance(rival, form) > _SAME_LATIN for form in forms)
        for rival in rivals
    )


def _holds(memory: str, rival: Form, piece: Form, far: float) -> bool:
    """Whether a memory itself has a rival name, of another script, that sounds at least as much like the piece."""
    return same_script_hit(Name(rival), memory) and rival != piece and name_distance(rival, piece) <= far


def _is_same(piece: Form, best: Form, own: str, further: float) -> bool:
    """Whether a name is another inflected form or, in Latin letters, another spelling of the best one."""
    if own == "latin":
        return further <= _OTHER_VOWELS and consonants(piece) == consonants(best)
    return len(piece) == len(best) and any(
        all(same_base(fold(one), fold(other), own) for one, other in zip(order, best, strict=True))
        for order in itertools.permutations(piece)
    )


def _is_nearer(rival: Form, piece: Form, far: float, forms: Sequence[Form]) -> bool:
    """Whether a piece is rather a form of another name, which is not just a spelling of the known ones."""
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
    """Whether another Latin name may be a spelling of the known ones, where no memory has these."""
    return any(script(" ".join(form)) == "latin" and name_distance(rival, form) <= TOLERANCE for form in forms)


def _add_spellings(known: list[Name], memories: Sequence[str], found: dict[int, str]) -> None:
    """Add the Latin names as near to a native form of the entity as its known Latin ones, and to no other one."""
    native = [name.words for name in known if name.script != "latin"]
    latin = [_plain(name.words) for name in known if name.script == "latin"]
    if not native or not latin:
        return
    sizes = {len(form) for form in native}
    pieces = _pieces(memories, max(len(form) for form in (*latin, *native)) + 1)
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
    """Whether one of two Latin names is longer than another spelling of it would be."""
    more = abs(len("".join(form)) - len("".join(piece)))
    return more > (_LONGER if len(form) == len(piece) or near <= _NEXT_LATIN else 1)


def _is_form(piece: Form, forms: Sequence[Form]) -> bool:
    """Whether a piece is one of the forms, in any order of its words."""
    own = sorted(map(fold, piece))
    return any(own == sorted(map(fold, form)) for form in forms)
