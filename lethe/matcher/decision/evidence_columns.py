"""The evidence for and against each memory that a request may mean, as named columns."""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lethe.matcher.decision.kinds import Columns
from lethe.matcher.decision.trees import Floats
from lethe.matcher.evidence.asking import Asking, asking
from lethe.matcher.evidence.codes import codes, stands
from lethe.matcher.evidence.heard import heard
from lethe.matcher.evidence.identity.identifier_finders import defanged, find
from lethe.matcher.evidence.identity.spelled_codes import ordinals, plain_codes
from lethe.matcher.evidence.reading import Token, read
from lethe.matcher.evidence.standing import WORTH, Standing, stands_in
from lethe.matcher.evidence.text.words import clean
from lethe.matcher.evidence.times import compatibility, times

_NAME_OR_NUMBER = 1.5
_UNHELD = 0.35
"""How much a word of a request weighs that no memory has."""
_NONE = math.nan


@functools.lru_cache(maxsize=8192)
def plain(text: str) -> str:
    """A text in one encoding, with codes that are spelled out written as codes."""
    return ordinals(plain_codes(defanged(clean(text))))


@dataclass(frozen=True)
class Stood:
    """How the words of a request stand in memories.

    Attributes:
        asked: the request.
        rows: the tokens of each memory.
        standing: memories × words, values of `Standing`.
        place: memories × words, -1 where a word is absent.
        weight: of each word, 1 in all.
    """

    asked: Asking
    rows: Sequence[tuple[Token, ...]]
    standing: NDArray[np.int64]
    place: NDArray[np.int64]
    weight: Floats

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


def stood(request: str, memories: Sequence[str]) -> Stood:
    """Read a request and memories; both plain."""
    asked = asking(request)
    rows = [read(memory) for memory in memories]
    found = np.array([[stands_in(word, row) for word in asked.words] for row in rows], dtype=np.int64)
    found = found.reshape(len(rows), len(asked.words), 2)
    held = (found[:, :, 0] <= Standing.SHORTENED).sum(axis=0)
    weight = np.where(held > 0, np.log(1 + len(rows) / np.maximum(held, 1)), _UNHELD)
    weight = weight * [_NAME_OR_NUMBER if word.is_name or word.is_number else 1.0 for word in asked.words]
    return Stood(asked, rows, found[:, :, 0], found[:, :, 1], weight / max(weight.sum(), 1e-9))


def of_words(one: Stood) -> Columns:
    """How many words of the request each memory has, in which form, and how this compares with the others."""
    standing, worth, share, held = one.standing, one.worth, one.share, one.held
    size = len(one.asked.words)
    own = {f"words {way.name.lower()}": ((standing == way) * one.weight).sum(axis=1) for way in list(Standing)[:-1]}
    often = held.sum(axis=0)
    rare = int(np.where(often > 0, often, 10**6).argmin()) if size else 0
    best = int(share.argmax())
    order = np.argsort(np.argsort(-share, kind="stable"), kind="stable")
    said = [[token for token in row if token.says] for row in one.rows]
    return own | {
        "words share": share,
        "words gap": share.max() - share,
        "words rank": order / 10,
        "words missing": (~held * (often > 0) * one.weight).sum(axis=1),
        "words of best": (held & held[best]).sum(axis=1) / max(1, held[best].sum()),
        "words head": worth[:, one.asked.head],
        "words first": worth[:, 0],
        "words last": worth[:, -1],
        "words rarest": worth[:, rare],
        "words rarest in": np.full(len(share), often[rare] / len(share)),
        "words early": [1 - min(at[at >= 0], default=10) / 10 for at in np.where(held, one.place, -1)],
        "words density": [
            len({place for place in at if place >= 0}) / max(1, len(tokens))
            for at, tokens in zip(np.where(held, one.place, -1), said, strict=True)
        ],
    }


def _unknown(group: str, rows: int, *names: str) -> Columns:
    """Columns of a group that have no values."""
    return {f"{group} {name}": [_NONE] * rows for name in names}


def of_names(one: Stood) -> Columns:
    """Whether each memory has the names of the request, or other ones in their place."""
    which = np.array([word.is_name and not word.is_number for word in one.asked.words])
    rows = len(one.rows)
    named = np.array([sum(token.is_name and token.says and not token.is_number for token in row) for row in one.rows])
    if not which.any():
        return {**_unknown("names", rows, "share", "inside", "other", "all"), "names held": named}
    standing = one.standing[:, which]
    held = standing <= Standing.SHORTENED
    inside = ((standing == Standing.CONTINUED) | (standing == Standing.INSIDE)).any(axis=1)
    other = np.array(
        [
            len(
                {token.key for token in row if token.is_name and token.says and not token.is_number}
                - {row[at].key for at in places if at >= 0}
            )
            for row, places in zip(one.rows, np.where(held, one.place[:, which], -1), strict=True)
        ]
    )
    return {
        "names share": one.worth[:, which].mean(axis=1),
        "names all": held.all(axis=1),
        "names inside": inside & ~held.any(axis=1),
        "names other": np.where(held.any(axis=1), other / 10, 1 + other / 10),
        "names held": named,
    }


def of_sound(request: str, memories: Sequence[str]) -> Columns:
    """How near names in other scripts sound."""
    found = heard(request, memories)
    distance = np.array([one.distance for one in found])
    if distance.min() >= 1.0:
        return _unknown("sound", len(memories), "distance", "gap", "rival")
    return {
        "sound distance": distance,
        "sound gap": distance - distance.min(),
        "sound rival": [one.rival for one in found],
    }


def of_codes(request: str, memories: Sequence[str]) -> Columns:
    """How the codes of the request stand in each memory: the surest, the least sure, and how many are the same."""
    wanted, held = codes(request), [codes(memory) for memory in memories]
    many = [len(own) for own in held]
    if not wanted:
        return {**_unknown("codes", len(held), "best", "worst", "ahead"), "codes held": many}
    found = np.array([[stands(code, own) for code in wanted] for own in held])
    best = found.min(axis=1)
    return {"codes best": best, "codes worst": found.max(axis=1), "codes ahead": best - best.min(), "codes held": many}


def of_identifiers(request: str, memories: Sequence[str]) -> Columns:
    """Whether each memory has a typed identifier of the request, or another one of its kind."""
    wanted, held = find(request), [find(memory) for memory in memories]
    if not wanted:
        return _unknown("identifiers", len(held), "same", "other", "elsewhere")
    same = [any(one.is_same(other) for one in wanted for other in own) for own in held]
    kinds = {one.kind for one in wanted}
    return {
        "identifiers same": same,
        "identifiers other": [
            any(other.kind in kinds for other in own) and not hit for own, hit in zip(held, same, strict=True)
        ],
        "identifiers elsewhere": [any(same)] * len(held),
    }


def of_times(request: str, memories: Sequence[str]) -> Columns:
    """Whether each memory gives a time that fits the request's."""
    wanted = times(request)
    if not wanted:
        return _unknown("times", len(memories), "fit", "gap")
    fit = np.array([compatibility(wanted, times(memory)) for memory in memories])
    return {"times fit": fit, "times gap": fit.max() - fit}


def of_size(one: Stood) -> Columns:
    """How long request and memories are."""
    rows = len(one.rows)
    said = [sum(token.says for token in row) for row in one.rows]
    return {"size request": [len(one.asked.words)] * rows, "size memory": said, "size wide": [one.asked.is_wide] * rows}


def of_meaning(similar: Sequence[float] | None, rows: int) -> Columns:
    """The similarity of request and memory, alone and beside that of the others."""
    if similar is None:
        return {name: [_NONE] * rows for name in ("meaning", "meaning gap", "meaning relative")}
    values = np.array(similar)
    return {
        "meaning": values,
        "meaning gap": values.max() - values,
        "meaning relative": (values - values.mean()) / (values.std() + 0.05),
    }


def columns(request: str, memories: Sequence[str], similar: Sequence[float] | None) -> Columns:
    """All evidence on which memories a request means; `similar` are the similarities of its sentence vector."""
    text, texts = plain(request), [plain(memory) for memory in memories]
    one = stood(text, texts)
    return {
        **of_words(one),
        **of_names(one),
        **of_sound(text, texts),
        **of_codes(text, texts),
        **of_identifiers(text, texts),
        **of_times(text, texts),
        **of_size(one),
        **of_meaning(similar, len(texts)),
    }
