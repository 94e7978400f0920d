"""One entry point for all forgetting: a mode, and a target that is an id or a query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, SupportsIndex, get_args

from lethe.store.arguments import memory_id as as_id
from lethe.store.receipts import PurgeReceipt

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


def check_mode(mode: str) -> None:
    """`ValueError` for what is not a mode."""
    if mode not in get_args(SurrenderMode):
        raise ValueError(f"unknown mode {mode!r}; one of {', '.join(get_args(SurrenderMode))}")


def surrender(
    store: Store, target: SupportsIndex | str, mode: SurrenderMode, text: str | None, factor: float | None
) -> Surrendered:
    """Carry out `mode` on the memory with the id `target`, or on the memories that the query `target` selects."""
    check_mode(mode)
    if (text is not None) != (mode in ("supersede", "edit")):
        raise ValueError("supersede and edit need a text; the other modes take none")
    if factor is not None and mode != "decay":
        raise ValueError("only decay takes a factor")
    target = target if isinstance(target, str) else as_id(target)
    forget = getattr(store, f"{mode}_matching" if isinstance(target, str) else mode)
    decay = (DEFAULT_DECAY if factor is None else factor,) if mode == "decay" else ()
    done = forget(target, *decay) if text is None else forget(target, text)
    if mode == "purge":
        return Surrendered(done.memory_ids, receipt=done)
    if mode == "supersede":
        return Surrendered(tuple(entry.memory_id for entry in store.blame(done)[-2:-1]), successor_id=done)
    if isinstance(target, int):
        return Surrendered((target,))
    return Surrendered((done,) if mode == "edit" else tuple(done))
