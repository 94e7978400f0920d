"""Boosted trees: read from a file, scored with numpy, each score explained by the columns that carried it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_FIELDS = ("column", "threshold", "left", "right", "missing_left", "value")


@dataclass(frozen=True, eq=False)
class Trees:
    """An ensemble of binary trees whose scores are log odds.

    A row goes to `left` where its column is at most the threshold, or has no value and `missing_left` is set. A leaf is
    its own child; the value of an inner node is the mean of its leaves, weighed by the rows trained on.

    Attributes:
        columns: names of the columns, in order.
        base: the score of no evidence.
        depth: most steps from a root to a leaf.
        column, left, right: per tree and node.
        threshold, value: per tree and node.
        missing_left: per tree and node.
    """

    columns: tuple[str, ...]
    base: float
    depth: int
    column: NDArray[np.int64]
    threshold: Floats
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    missing_left: NDArray[np.bool_]
    value: Floats

    @classmethod
    def from_json(cls, read: dict[str, Any]) -> Self:
        """The trees of a weights file (written by `lethe.matcher.training.fit`)."""
        most = max(len(tree["value"]) for tree in read["trees"])

        def padded(name: str, of: Any) -> NDArray[Any]:
            return np.array([tree[name] + [0] * (most - len(tree[name])) for tree in read["trees"]], dtype=of)

        kinds = dict(zip(_FIELDS, (np.int64, np.float64, np.int64, np.int64, np.bool_, np.float64), strict=True))
        return cls(
            tuple(read["columns"]),
            read["base"],
            read["depth"],
            **{name: padded(name, of) for name, of in kinds.items()},
        )

    def scores(self, rows: Floats) -> Floats:
        """The log odds of each row; `rows` has one column for each of `columns`, NaN where a value is not known."""
        at = self._roots(rows)
        for _ in range(self.depth):
            at = self._next(rows, at)
        scores: Floats = self.base + self.value.take(at).sum(axis=1)
        return scores

    def contributions(self, rows: Floats) -> Floats:
        """How much each column moved each row's score, rows × columns; with `base` they add up to the score.

        Each split moves the score from the mean of its node to that of the child taken (Saabas 2014).
        """
        at = self._roots(rows)
        moved = np.zeros((len(rows), len(self.columns)))
        of_row = np.arange(len(rows))[:, None]
        for _ in range(self.depth):
            after = self._next(rows, at)
            np.add.at(moved, (of_row, self.column.take(at)), self.value.take(after) - self.value.take(at))
            at = after
        return moved

    def _roots(self, rows: Floats) -> NDArray[np.int64]:
        """Where each row starts in each tree, rows × trees: nodes are counted over all trees."""
        trees, most = self.value.shape
        return np.tile(np.arange(trees, dtype=np.int64) * most, (len(rows), 1))

    def _next(self, rows: Floats, at: NDArray[np.int64]) -> NDArray[np.int64]:
        of_row = np.arange(len(rows))[:, None] * rows.shape[1]
        asked = rows.take(of_row + self.column.take(at))
        is_left = np.where(np.isnan(asked), self.missing_left.take(at), asked <= self.threshold.take(at))
        root = at - at % self.value.shape[1]
        taken: NDArray[np.int64] = root + np.where(is_left, self.left.take(at), self.right.take(at))
        return taken

    def explain(self, row: Floats, most: int = 4) -> str:
        """The columns that moved a row's score furthest, for and against, as text."""
        moved = self.contributions(row[None])[0]
        telling = sorted(range(len(moved)), key=lambda column: -abs(moved[column]))[:most]
        return ", ".join(f"{self.columns[column]} {moved[column]:+.2f}" for column in telling if abs(moved[column]) > 0)


def odds(scores: Floats | Sequence[float]) -> Floats:
    """The probabilities of log odds."""
    likely: Floats = 1 / (1 + np.exp(-np.asarray(scores, dtype=np.float64)))
    return likely
