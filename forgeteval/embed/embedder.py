"""What turns texts into vectors, and a cache in front of it."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Anything that turns n texts into a float32 array of n unit vectors, shape (n, dim)."""

    @property
    def dim(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors: ...


def check_texts(texts: Sequence[str]) -> None:
    """Raise TypeError for one text in place of a list: each of its letters would be embedded."""
    if isinstance(texts, str):
        raise TypeError("embed was given one text; give it a list of texts")


class CachedEmbedder:
    """An embedder that reuses known vectors and embeds every other text once."""

    def __init__(self, known: dict[str, Vectors], embedder: Embedder) -> None:
        self._known, self._embedder = known, embedder
        self.new_texts = 0

    @property
    def dim(self) -> int:
        return self._embedder.dim

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of `texts`, shape (n, dim)."""
        check_texts(texts)
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self.new_texts += len(new)
            self._known.update(zip(new, self._embedder.embed(new), strict=True))
        if not texts:
            return np.empty((0, self.dim), dtype=np.float32)
        return np.stack([self._known[text] for text in texts])
