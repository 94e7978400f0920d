"""The evidence for and against each memory that a request may mean, as named columns."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lethe.matcher.decision.trees import Floats
from lethe.matcher.evidence.asking import Asking, asking
from lethe.matcher.evidence.identifiers import Code, Match, codes, plain, stands
from lethe.matcher.evidence.reading import Token, read
from lethe.matcher.evidence.standing import WORTH, Standing, stands_in
from lethe.matcher.evidence.times import compatibility, times

Columns = Mapping[str, Sequence[float] | Floats]
Vectors = Callable[[Sequence[str]], Floats]
"""Texts to unit vectors, texts × dimensions."""
_NAME_OR_NUMBER = 1.5
_UNHELD = 0.35
"""How much a word of a request weighs that no memory has."""
_NONE = math.nan
_COMPARED = frozenset({"fact", "asked"})


@dataclass(frozen=True)
class Stood:
    """How the words of a request stand in memories.

    Attributes:
        asked: the request.
        rows: the tokens of each memory.
        standing: memories × words, values of `Standing`.
        weight: of each word, 1 in all.
        codes: of the request.
        matches: memories × codes, values of `Match`.
    """

    asked: Asking
    rows: Sequence[tuple[Token, ...]]
    standing: NDArray[np.int64]
    weight: Floats
    codes: tuple[Code, ...]
    matches: NDArray[np.int64]

    @property
    def held(self) -> NDArray[np.bool_]:
        return self.standing <= Standing.SHORTENED

    @property
    def worth(self) -> Floats:
        values: Floats = np.array(WORTH)[self.standing]
        return values

    @property
    def share(self) -> Floats:
        """How much of the request each memory has, 0 to 1."""
        shares: Floats = (self.worth * self.weight).sum(axis=1)
        return shares

    def are(self, what: Callable[[Token], bool]) -> NDArray[np.bool_]:
        """Which words of the request are of a kind."""
        return np.array([what(word) for word in self.asked.words])


def stood(request: str, memories: Sequence[str]) -> Stood:
    """Read a request and memories."""
    request, texts = plain(request), [plain(memory) for memory in memories]
    asked, rows = asking(request), [read(text) for text in texts]
    found = np.array([[stands_in(word, row) for word in asked.words] for row in rows], dtype=np.int64)
    held = (found <= Standing.SHORTENED).sum(axis=0)
    weight = np.where(held > 0, np.log(1 + len(rows) / np.maximum(held, 1)), _UNHELD)
    weight = weight * [_NAME_OR_NUMBER if is_name(word) or word.is_number else 1.0 for word in asked.words]
    wanted = codes(request)
    matches = np.array([[stands(code, text) for code in wanted] for text in texts], dtype=np.int64)
    return Stood(asked, rows, found, weight / weight.sum(), wanted, matches.reshape(len(texts), len(wanted)))


def is_name(word: Token) -> bool:
    return word.is_name and not word.is_number


def of_words(one: Stood) -> Columns:
    """How many words of the request each memory has, in which form, and how this compares with the others."""
    standing, worth, share, held = one.standing, one.worth, one.share, one.held
    often = held.sum(axis=0)
    rare = int(np.where(often > 0, often, 10**6).argmin())
    said = np.array([max(1, sum(token.says for token in row)) for row in one.rows])
    own = {f"words {way.name.lower()}": ((standing == way) * one.weight).sum(axis=1) for way in list(Standing)[:-1]}
    return own | {
        "words share": share,
        "words gap": share.max() - share,
        "words missing": (~held * (often > 0) * one.weight).sum(axis=1),
        "words of best": (held & held[int(share.argmax())]).sum(axis=1) / max(1, held[int(share.argmax())].sum()),
        "words head": worth[:, one.asked.head],
        "words first": worth[:, 0],
        "words rarest": worth[:, rare],
        "words rarest in": np.full(len(share), often[rare] / len(share)),
        "words density": held.sum(axis=1) / said,
        "size request": np.full(len(share), len(one.asked.words)),
        "size memory": said,
        "size wide": np.full(len(share), one.asked.is_wide),
    }


def of_names(one: Stood) -> Columns:
    """Whether each memory has the names of the request, or other ones in their place."""
    which = one.are(is_name)
    named = np.array([sum(is_name(token) and token.says for token in row) for row in one.rows])
    if not which.any():
        unknown = [_NONE] * len(one.rows)
        return {"names share": unknown, "names all": unknown, "names inside": unknown, "names held": named}
    standing = one.standing[:, which]
    held = standing <= Standing.SHORTENED
    inside = ((standing == Standing.CONTINUED) | (standing == Standing.INSIDE)).any(axis=1)
    return {
        "names share": one.worth[:, which].mean(axis=1),
        "names all": held.all(axis=1),
        "names inside": inside & ~held.any(axis=1),
        "names held": named,
    }


def of_codes(one: Stood) -> Columns:
    """How the codes of the request stand in each memory: the surest, and the least sure."""
    many = [sum(token.is_number for token in row) for row in one.rows]
    if not one.codes:
        unknown = [_NONE] * len(one.rows)
        return {"codes best": unknown, "codes worst": unknown, "codes ahead": unknown, "codes held": many}
    best = one.matches.min(axis=1)
    return {
        "codes best": best,
        "codes worst": one.matches.max(axis=1),
        "codes ahead": best - best.min(),
        "codes held": many,
    }


def of_times(request: str, memories: Sequence[str]) -> Columns:
    """Whether each memory gives a time that fits the request's."""
    wanted = times(plain(request))
    if not wanted:
        return {name: [_NONE] * len(memories) for name in ("times fit", "times gap")}
    fit = np.array([compatibility(wanted, times(plain(memory))) for memory in memories])
    return {"times fit": fit, "times gap": fit.max() - fit}


def of_meaning(vectors: Floats | None, rows: int) -> Columns:
    """The similarity of request and memory, alone and beside that of the others."""
    if vectors is None:
        return {name: [_NONE] * rows for name in ("meaning", "meaning gap", "meaning relative")}
    values = vectors[-rows:] @ vectors[0]
    return {
        "meaning": values,
        "meaning gap": values.max() - values,
        "meaning relative": (values - values.mean()) / (values.std() + 0.05),
    }


def columns(one: Stood, request: str, memories: Sequence[str], vectors: Floats | None) -> Columns:
    """All evidence on which memories a request means; `vectors` are of the request and, last, of the memories."""
    return {
        **of_words(one),
        **of_names(one),
        **of_codes(one),
        **of_times(request, memories),
        **of_meaning(vectors, len(memories)),
    }


def of_history(query: str, written_for: Sequence[str]) -> Columns:
    """How much of the query those queries have for which each memory was written, one on each line."""
    asked = np.array([bool(queries) for queries in written_for])
    if not asked.any():
        return {"asked words": [_NONE] * len(asked), "asked before": asked}
    return {"asked words": np.where(asked, stood(query, written_for).share, np.nan), "asked before": asked}


def kind_of(column: str) -> str | None:
    """The kind of evidence of a column; None for sizes and probabilities, which are never left out."""
    first, *rest = column.split()
    name = rest[0] if first in _COMPARED else first
    return {"codes": "identifiers"}.get(name, name if name in ("words", "names", "times", "meaning") else None)


def table(found: Columns, off: frozenset[str] = frozenset()) -> Floats:
    """Memories × columns by name, those of the kinds in `off` without values.

    They are rounded, so that the same weights decide alike on every machine.
    """
    values = [
        np.full(len(found[name]), np.nan) if kind_of(name) in off else np.asarray(found[name], dtype=np.float64)
        for name in sorted(found)
    ]
    return np.round(np.array(values).T, 3)


def is_alike(one: Stood) -> NDArray[np.bool_]:
    """Which memories have only a look-alike of a code that the request names."""
    if not one.codes:
        return np.zeros(len(one.rows), dtype=bool)
    alike: NDArray[np.bool_] = one.matches.min(axis=1) == Match.ALIKE
    return alike
