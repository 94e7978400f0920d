"""What ties a memory to those that are likely meant: a second look, once each memory has a first probability."""

import numpy as np
from numpy.typing import NDArray

from lethe.matcher.decision.kinds import Columns
from lethe.matcher.decision.trees import Floats
from lethe.matcher.evidence.ties import Ties

_ANCHOR = 0.3
"""Least first probability of a memory whose names are looked for in other forms."""
_VECTOR_NAMES = ("links to best", "links to likely", "links to others", "links nearest", "links nearest likely")


def of_links(ties: Ties, likely: Floats, vectors: Floats | None) -> Columns:
    """How each memory is tied to the others by what the request does not say.

    Args:
        ties: of the memories.
        likely: the first probability of each memory.
        vectors: a unit vector for each memory.
    """
    order = np.sort(likely)[::-1]
    top = int(likely.argmax())
    return {
        "first": np.log(likely / (1 - likely)),
        "first gap": order[0] - likely,
        "first next": (order[1] if len(order) > 1 else 0.0) - likely,
        "first sure": [float((likely > 0.5).sum())] * len(likely),
        "first sum": likely.sum() - likely,
        **_of_ties(ties, likely),
        "links after": [0.0, *likely[:-1]],
        "links anaphor": ties.anaphor,
        **_of_vectors(likely, vectors, top),
    }


def _of_ties(ties: Ties, likely: Floats) -> Columns:
    """The highest and lowest probability of another memory that shares something with each; -1 for none."""
    against = 1 - likely
    form, part = ties.forms(likely > _ANCHOR if (likely > _ANCHOR).any() else likely == likely.max())
    return {
        "links name": _most(ties.name, likely),
        "links word": _most(ties.word, likely),
        "links form": _most(form, likely),
        "links part": _most(part, likely),
        "links code": _most(ties.code, likely),
        "links type": _most(ties.type, likely),
        "links name against": _most(ties.name, against),
        "links code against": _most(ties.code, against),
        "links beside": _most(ties.beside, likely),
        "links beside rival": ties.rival,
        "links beside other": ties.own_rival,
        "links phrase": _most(ties.phrase, likely),
        "links phrase against": _most(ties.phrase, against),
        "links weight": (ties.weight * likely).sum(axis=1),
        "links weight against": (ties.weight * against).sum(axis=1),
        "links weight best": (ties.weight * likely).max(axis=1),
    }


def _most(tied: NDArray[np.bool_], likely: Floats) -> Floats:
    """The highest probability of the memories that each is tied to; -1 for none."""
    most: Floats = np.where(tied, likely, -1.0).max(axis=1)
    return most


def _of_vectors(likely: Floats, vectors: Floats | None, top: int) -> Columns:
    size = len(likely)
    if vectors is None:
        return {name: [np.nan] * size for name in _VECTOR_NAMES}
    near = vectors @ vectors.T
    np.fill_diagonal(near, 0.0)
    weight, against = likely, 1 - likely
    nearest = near.argmax(axis=1)
    to_top = near[:, top].copy()
    to_top[top] = -1.0
    values = (
        to_top,
        near @ weight / (weight.sum() - weight + 0.1),
        near @ against / (against.sum() - against + 0.1),
        near.max(axis=1),
        likely[nearest] if size > 1 else [np.nan] * size,
    )
    return dict(zip(_VECTOR_NAMES, values, strict=True))
