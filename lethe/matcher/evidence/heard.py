"""How near a name of a request sounds to the names of memories in other scripts (paper, `cross_lingual_identifier`)."""

import functools
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lethe.matcher.evidence.names.exonyms import other_names
from lethe.matcher.evidence.names.kind_words import groups
from lethe.matcher.evidence.names.sounds import name_distance
from lethe.matcher.evidence.names.windows import PARTICLES, windows
from lethe.matcher.evidence.reading import read
from lethe.matcher.evidence.text.scripts import script
from lethe.matcher.evidence.text.words import fold, without_possessive

Form = tuple[str, ...]
_EDGE = re.compile(r"^[\W_]+|[\W_]+$")
FAR = 1.0
"""The distance of names that have nothing to do with each other."""
_MOST_WORDS = 4


@dataclass(frozen=True, slots=True)
class Heard:
    """The name of a memory that sounds most like one of a request.

    Attributes:
        distance: 0 to 1; FAR where the memory has no name in another script.
        rival: by how much the nearest other name of the memories is farther from it; below 0 where it is nearer.
    """

    distance: float = FAR
    rival: float = 0.0


def heard(request: str, memories: Sequence[str]) -> list[Heard]:
    """For each memory, how near the nearest of its names in another script sounds to a name of the request."""
    forms = _forms(request)
    scripts = [{script(word) for word in memory.split()} for memory in memories]
    if not forms or (
        all(own == {"latin"} for own in scripts) and all(script(" ".join(form)) == "latin" for form in forms)
    ):
        return [Heard()] * len(memories)
    most = max(len(form) for form in forms)
    pieces = [windows(memory, most + 1) for memory in memories]
    own = {script(" ".join(form)) for form in forms}
    rivals = {
        rest
        for held in pieces
        for piece in held
        if script(" ".join(piece)) in own
        and len(rest := _telling(piece)) in {len(form) for form in forms}
        and all(_differ(rest, form) for form in forms)
    }
    return [_heard(forms, held, rivals) for held in pieces]


def _heard(forms: Sequence[Form], held: Sequence[Form], rivals: set[Form]) -> Heard:
    best, nearest = FAR, None
    for piece, form in itertools.product(held, forms):
        if script(" ".join(piece)) != script(" ".join(form)) and (far := name_distance(form, piece)) < best:
            best, nearest = far, piece
    if nearest is None:
        return Heard()
    of = script(" ".join(nearest))
    other = min((name_distance(rival, nearest) for rival in rivals if script(" ".join(rival)) != of), default=FAR)
    return Heard(best, other - best)


@functools.lru_cache(maxsize=1024)
def _forms(request: str) -> tuple[Form, ...]:
    """The names of a request as they are, without words for a kind of thing, and as other languages call the place."""
    found: dict[Form, None] = {}
    for written in _names(request):
        plain = tuple(word for word in written if word.lower() not in PARTICLES)[:_MOST_WORDS]
        for form in (plain, _telling(plain), *other_names(written)):
            if form:
                found[form] = None
    return tuple(found)


def _names(request: str) -> Iterator[Form]:
    """Runs of words that are written as names."""
    for _, run in itertools.groupby(request.split(), key=_is_named):
        words = tuple(_EDGE.sub("", without_possessive(word)) for word in run)
        if _is_named(words[0]):
            yield words


def _is_named(word: str) -> bool:
    read_word = read(f"a {word}")[1:]
    return bool(read_word) and read_word[0].is_name and read_word[0].says


def _telling(form: Form) -> Form:
    rest = tuple(word for word in form if not groups(word))
    return rest or form


def _differ(one: Form, other: Form) -> bool:
    return sorted(map(fold, one)) != sorted(map(fold, other)) and name_distance(one, other) > _ALIKE


_ALIKE = 0.06
"""Distance up to which two names of one script are spellings of one."""
