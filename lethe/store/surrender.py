"""One entry point for all forgetting: a mode, and a target that is an id or a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from lethe.store.erasure import PurgeReceipt

if TYPE_CHECKING:
    from lethe.store.store import Store

SurrenderMode = Literal["decay", "release", "supersede", "edit", "purge"]
DEFAULT_DECAY = 0.5


@dataclass(frozen=True, slots=True)
class Surrendered:
    """Result of a surrender: the memories it addressed, their successor if any, the receipt of a purge."""

    memory_ids: tuple[int, ...]
    successor_id: int | None = None
    receipt: PurgeReceipt | None = None


def surrender(
    store: Store, target: int | str, mode: SurrenderMode, text: str | None, factor: float | None
) -> Surrendered:
    """Carry out `mode` on the memory with the id `target`, or on the memories that the query `target` selects."""
    if mode not in get_args(SurrenderMode):
        raise ValueError(f"unknown mode {mode!r}; one of {', '.join(get_args(SurrenderMode))}")
    if (text is not None) != (mode in ("supersede", "edit")):
        raise ValueError("supersede and edit need a text; the other modes take none")
    if factor is not None and mode != "decay":
        raise ValueError("only decay takes a factor")
    if text is not None:
        return _replace(store, target, mode, text)
    if mode == "purge":
        receipt = store.purge_matching(target) if isinstance(target, str) else store.purge(target)
        return Surrendered(receipt.memory_ids, receipt=receipt)
    if mode == "release":
        if isinstance(target, str):
            return Surrendered(tuple(store.release_matching(target)))
        store.release(target)
        return Surrendered((target,))
    return Surrendered(tuple(_decay(store, target, DEFAULT_DECAY if factor is None else factor)))


def _replace(store: Store, target: int | str, mode: SurrenderMode, text: str) -> Surrendered:
    if mode == "edit":
        if isinstance(target, str):
            return Surrendered((store.edit_matching(target, text),))
        store.edit(target, text)
        return Surrendered((target,))
    successor_id = _supersede(store, target, text)
    superseded = tuple(entry.memory_id for entry in store.blame(successor_id)[-2:-1])
    return Surrendered(superseded, successor_id=successor_id)


def _supersede(store: Store, target: int | str, text: str) -> int:
    if isinstance(target, str):
        return store.supersede_matching(target, text)
    return store.supersede(target, text)


def _decay(store: Store, target: int | str, factor: float) -> Sequence[int]:
    if isinstance(target, str):
        return store.decay_matching(target, factor)
    store.decay(target, factor)
    return [target]
