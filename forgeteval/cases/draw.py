"""Reproducible random choices for generated cases."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """Choices from a seeded generator, made only by `random()`, which Python keeps reproducible across versions."""

    def __init__(self, seed: str) -> None:
        self._random = Random(seed)

    def below(self, limit: int) -> int:
        """An integer from 0 to limit - 1."""
        return int(self._random.random() * limit)

    def several(self, pool: Sequence[T], count: int) -> list[T]:
        """`count` different members of `pool`, in random order."""
        left = list(pool)
        return [left.pop(self.below(len(left))) for _ in range(count)]

    def digits(self, count: int) -> str:
        """A number of `count` digits that does not start with 0."""
        return str(10 ** (count - 1) + self.below(9 * 10 ** (count - 1)))
