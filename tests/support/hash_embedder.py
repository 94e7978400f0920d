"""A deterministic embedder for tests: texts that share words are near each other, equal texts are equal."""

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

DIM = 16


def hash_embed(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """(n, 16) unit vectors: the normalised sum of one pseudo-random vector per word."""
    return np.stack([_unit(sum((_noise(word) for word in text.lower().split()), _noise(""))) for text in texts])


def _noise(word: str) -> npt.NDArray[np.float32]:
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "little")
    return np.random.default_rng(seed).normal(size=DIM).astype(np.float32)


def _unit(vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    return (vector / np.linalg.norm(vector)).astype(np.float32)


class Clock:
    """Seconds that pass only when told to."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now

    def pass_days(self, days: float) -> None:
        self.now += days * 86_400.0
