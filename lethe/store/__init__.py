"""The memory store: recall, a depth for forgetting, an append-only log, erasure with a receipt.

Names are loaded on first use, because `lethe.store.thresholds` is also used in environments without SQLite
extensions.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lethe.store.depth import PINNED, SUBMERGED, SURFACE
    from lethe.store.erasure import PurgeReceipt
    from lethe.store.history import BlameEntry, Event, chain_digest
    from lethe.store.memories import Memory
    from lethe.store.recall import Recalled
    from lethe.store.store import Store
    from lethe.store.surrender import Surrendered
    from lethe.store.thresholds import largest_gap_threshold

_MODULES = {
    "PINNED": "depth",
    "SUBMERGED": "depth",
    "SURFACE": "depth",
    "BlameEntry": "history",
    "Event": "history",
    "PurgeReceipt": "erasure",
    "Recalled": "recall",
    "Memory": "memories",
    "Store": "store",
    "Surrendered": "surrender",
    "chain_digest": "history",
    "largest_gap_threshold": "thresholds",
}
__all__ = [
    "PINNED",
    "SUBMERGED",
    "SURFACE",
    "BlameEntry",
    "Event",
    "Memory",
    "PurgeReceipt",
    "Recalled",
    "Store",
    "Surrendered",
    "chain_digest",
    "largest_gap_threshold",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
