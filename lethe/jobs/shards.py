"""Shards: one configuration on one suite as several jobs, whose trials are joined to what one job gives."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from forgeteval.errors import UserError
from lethe.config.configurations import Configuration
from lethe.parquet import Row

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of a suite's cases: those from `number` / `of` of them on, as many as there are in one of `of` parts."""

    number: int = 0
    of: int = 1

    def cases(self, whole: Sequence[T]) -> Sequence[T]:
        """The cases of this part; none where the suite has fewer cases than parts."""
        start, end = (len(whole) * number // self.of for number in (self.number, self.number + 1))
        return whole[start:end]


def shards_of(wanted: int | Mapping[str, int], entry: Configuration) -> int:
    """How many jobs a configuration's run on a suite is split into, by `run.shards`: for all, or by system or
    configuration."""
    if entry.in_order:
        return 1
    return wanted if isinstance(wanted, int) else wanted.get(entry.name, wanted.get(entry.system, 1))


def join_shards(shards: Iterable[Sequence[Row]], name: str) -> list[Row]:
    """The rows of `lethe.schemas.TRIALS` of all shards, by repetition and case.

    Args:
        name: of the configuration, for the message.

    Raises:
        UserError: where every trial broke and no chat model had part in it.
    """
    rows = [row for shard in shards for row in shard]
    rows.sort(key=lambda row: row["repetition"])
    if not rows[0]["model"] and all(row["verdict"] == "error" for row in rows):
        raise UserError(f"{name}: every one of {len(rows)} trials broke, the first with: {rows[0]['error']}")
    return rows
