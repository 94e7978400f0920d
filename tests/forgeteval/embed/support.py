"""An embedder whose vectors a test can foresee."""

import hashlib
from collections.abc import Sequence

import numpy as np

from forgeteval.embed.embedder import Vectors


class Foreseen:
    """Unit vectors drawn from a text's hash; remembers the batches that it was asked for."""

    def __init__(self, dim: int = 8) -> None:
        self.dim = dim
        self.batches: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.batches.append(list(texts))
        return vectors_of(texts, self.dim)


def vectors_of(texts: Sequence[str], dim: int = 8) -> Vectors:
    return np.stack([_vector(text, dim) for text in texts])


def _vector(text: str, dim: int) -> Vectors:
    seed = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8])
    vector = np.random.default_rng(seed).standard_normal(dim)
    return (vector / np.linalg.norm(vector)).astype(np.float32)
