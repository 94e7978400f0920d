"""The default embedder: a vector for each piece of a word, and their sum for a text; it needs no further package.

The vectors are those that all-MiniLM-L6-v2 gives to each piece alone, turned to 256 axes and weighted by how rare a
piece is, in 4 bits (`benchmarks/distil_word_vectors.py` makes the file). A word that has no pieces, of another script,
say, gets a vector by its hash, so that it is at least like itself. So do pairs of neighbours, with little weight.
"""

import functools
import hashlib
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lethe.store.words import indexed

DATA_FILES = ("word_vectors.npz",)
NAME, DIM, FLOOR = "lethe-static-1", 256, 0.42
_LONGEST_WORD = 100
_HASHED_LENGTH = 1.0
"""How long the vector of a word without pieces is, as those of rare pieces are."""
_SHARE_OF_ORDER = np.float32(0.05)
"""Of the vectors of two neighbours: enough that the same words in another order are another text."""

Vectors = npt.NDArray[np.float32]


class _Pieces(NamedTuple):
    numbers: dict[str, int]
    values: npt.NDArray[np.int8]
    scales: npt.NDArray[np.float32]


def embed(texts: Sequence[str]) -> Vectors:
    """Unit vectors of `texts`, shape (n, 256)."""
    pieces = _pieces()
    vectors = np.zeros((len(texts), DIM), dtype=np.float32)
    for vector, text in zip(vectors, texts, strict=True):
        numbers: list[int] = []
        words = list(words_of(text))
        for word in words:
            found = _cut(pieces.numbers, word)
            numbers += found
            if not found:
                vector += hashed(word)
        for pair in pairwise(words):
            vector += _SHARE_OF_ORDER * hashed(" ".join(pair))
        vector += pieces.scales[numbers] @ pieces.values[numbers].astype(np.float32)
        vector[0] += 1e-6  # a text without words has a direction too
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def words_of(text: str) -> Iterator[str]:
    """The words of a text without case and accents; what is written without spaces one character at a time."""
    letters = (each for each in unicodedata.normalize("NFKD", text.lower()) if unicodedata.category(each) != "Mn")
    spaced = indexed("".join(letters), "every language")
    return iter("".join(each if each.isalnum() else f" {each} " for each in spaced).split())


def hashed(word: str) -> Vectors:
    """The vector of a word that has no pieces: the same for the same word, and like that of no other.

    It is kept nowhere: words of erased texts stay in no cache.
    """
    signs = np.frombuffer(hashlib.shake_256(word.encode(errors="replace")).digest(DIM // 8), dtype=np.uint8)
    return (np.unpackbits(signs).astype(np.float32) * 2 - 1) * np.float32(_HASHED_LENGTH / DIM**0.5)


@functools.cache
def _pieces() -> _Pieces:
    with np.load(Path(__file__).with_name(DATA_FILES[0]), allow_pickle=False) as file:
        names = file["names"].tobytes().decode().split("\n")
        packed, scales = file["values"], file["scales"].astype(np.float32)
    values = np.stack([packed & 15, packed >> 4], axis=-1).reshape(len(packed), DIM).astype(np.int8) - np.int8(8)
    return _Pieces({name: number for number, name in enumerate(names)}, values, scales)


def _cut(numbers: dict[str, int], word: str) -> list[int]:
    """The longest known pieces that a word is made of, from its start; none where it is not made of such."""
    found: list[int] = []
    start = 0
    while start < len(word):
        prefix = "##" if start else ""
        ends = range(min(len(word), start + _LONGEST_WORD), start, -1)
        end = next((end for end in ends if prefix + word[start:end] in numbers), None)
        if end is None:
            return []
        found.append(numbers[prefix + word[start:end]])
        start = end
    return found
