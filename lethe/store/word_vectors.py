"""The default embedder: a vector for each piece of a word, and their sum for a text; it needs no further package.

The vectors are those that all-MiniLM-L6-v2 gives to each piece alone, turned to 256 axes and weighted by how rare a
piece is, in 4 bits (`benchmarks/distil_word_vectors.py` makes the file). A word that has no pieces, of another script,
say, gets a vector by its hash, so that it is at least like itself. So do pairs of neighbours, with little weight.
"""

import functools
import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lethe.store.words import indexed

DATA_FILES = ("word_vectors.npz",)
NAME, DIM, FLOOR = "lethe-static-1", 256, 0.42
_AT_ONCE = 1 << 16
"""How many vectors of a long text are held in memory at a time; beyond, the last digits of a sum are others."""
_HASHED_LENGTH = 1.0
"""How long the vector of a word without pieces is, as those of rare pieces are."""
_SHARE_OF_ORDER = np.float32(0.05)
"""Of the vectors of two neighbours: enough that the same words in another order are another text."""

Vectors = npt.NDArray[np.float32]


class _Pieces(NamedTuple):
    numbers: dict[str, int]
    values: npt.NDArray[np.int8]
    scales: npt.NDArray[np.float32]
    longest: int


def embed(texts: Sequence[str]) -> Vectors:
    """Unit vectors of `texts`, shape (n, 256)."""
    pieces = _pieces()
    vectors = np.zeros((len(texts), DIM), dtype=np.float32)
    for vector, text in zip(vectors, texts, strict=True):
        numbers: list[int] = []
        words = list(words_of(text))
        unknown: list[str] = []
        for word in words:
            found = _cut(pieces, word)
            numbers += found
            if not found:
                unknown.append(word)
        _add_hashed(vector, unknown, np.float32(1))
        _add_hashed(vector, map(" ".join, pairwise(words)), _SHARE_OF_ORDER)
        for at in range(0, len(numbers), _AT_ONCE):
            some = numbers[at : at + _AT_ONCE]
            vector += pieces.scales[some] @ pieces.values[some].astype(np.float32)
        vector[0] += 1e-6  # a text without words has a direction too
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def words_of(text: str) -> Iterator[str]:
    """The words of a text without case and accents; what is written without spaces one character at a time."""
    letters = (each for each in unicodedata.normalize("NFKD", text.lower()) if unicodedata.category(each) != "Mn")
    spaced = indexed("".join(letters), "every language")
    return iter("".join(each if each.isalnum() else f" {each} " for each in spaced).split())


def hashed(words: Sequence[str]) -> Vectors:
    """The vectors of words that have no pieces: the same for the same word, and like that of no other.

    They are kept nowhere: words of erased texts stay in no cache.
    """
    digests = b"".join(hashlib.shake_256(word.encode(errors="replace")).digest(DIM // 8) for word in words)
    signs = np.unpackbits(np.frombuffer(digests, dtype=np.uint8)).reshape(len(words), DIM)
    return (signs.astype(np.float32) * 2 - 1) * np.float32(_HASHED_LENGTH / DIM**0.5)


def _add_hashed(vector: Vectors, words: Iterable[str], share: np.float32) -> None:
    """Add the vectors of words, one after another: in another order the last digits would differ."""
    left = iter(words)
    while some := list(islice(left, _AT_ONCE)):
        vector[:] = np.add.reduce(np.concatenate([vector[np.newaxis], share * hashed(some)]), axis=0)


@functools.cache
def _pieces() -> _Pieces:
    with np.load(Path(__file__).with_name(DATA_FILES[0]), allow_pickle=False) as file:
        names = file["names"].tobytes().decode().split("\n")
        packed, scales = file["values"], file["scales"].astype(np.float32)
    values = np.stack([packed & 15, packed >> 4], axis=-1).reshape(len(packed), DIM).astype(np.int8) - np.int8(8)
    return _Pieces({name: number for number, name in enumerate(names)}, values, scales, max(map(len, names)))


def _cut(pieces: _Pieces, word: str) -> list[int]:
    """The longest known pieces that a word is made of, from its start; none where it is not made of such."""
    found: list[int] = []
    start = 0
    while start < len(word):
        prefix = "##" if start else ""
        ends = range(min(len(word), start + pieces.longest), start, -1)
        end = next((end for end in ends if prefix + word[start:end] in pieces.numbers), None)
        if end is None:
            return []
        found.append(pieces.numbers[prefix + word[start:end]])
        start = end
    return found
