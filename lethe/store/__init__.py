"""The memory store: recall, a depth for forgetting, an append-only log, erasure with a receipt.

Names are loaded on first use, because `lethe.store.thresholds` is also used in environments without APSW.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lethe.store.aio import AsyncStore
    from lethe.store.depth import PINNED, SUBMERGED, SURFACE
    from lethe.store.errors import NothingMeets
    from lethe.store.history import BlameEntry, Event, log_root
    from lethe.store.keys import Key, make_key, read_key
    from lethe.store.memories import Inscribed, Memory
    from lethe.store.recall import Recalled
    from lethe.store.receipts import Extension, Head, PurgeReceipt
    from lethe.store.scope import Scope
    from lethe.store.signing import Signature, sign
    from lethe.store.store import Store
    from lethe.store.surrender import Surrendered
    from lethe.store.suspicion import unsuspicious
    from lethe.store.thresholds import largest_gap_threshold
    from lethe.store.tombstones import StaysForgotten

_MODULES = {
    "PINNED": "depth",
    "SUBMERGED": "depth",
    "SURFACE": "depth",
    "BlameEntry": "history",
    "Event": "history",
    "Extension": "receipts",
    "Head": "receipts",
    "Inscribed": "memories",
    "Key": "keys",
    "NothingMeets": "errors",
    "AsyncStore": "aio",
    "PurgeReceipt": "receipts",
    "Recalled": "recall",
    "Memory": "memories",
    "Scope": "scope",
    "Signature": "signing",
    "StaysForgotten": "tombstones",
    "Store": "store",
    "Surrendered": "surrender",
    "largest_gap_threshold": "thresholds",
    "log_root": "history",
    "make_key": "keys",
    "read_key": "keys",
    "sign": "signing",
    "unsuspicious": "suspicion",
}
__version__ = "0.1.0"
"""Of the store and of the study, which are released together."""
__all__ = [
    "PINNED",
    "SUBMERGED",
    "SURFACE",
    "AsyncStore",
    "BlameEntry",
    "Event",
    "Extension",
    "Head",
    "Inscribed",
    "Key",
    "Memory",
    "NothingMeets",
    "PurgeReceipt",
    "Recalled",
    "Scope",
    "Signature",
    "StaysForgotten",
    "Store",
    "Surrendered",
    "largest_gap_threshold",
    "log_root",
    "make_key",
    "read_key",
    "sign",
    "unsuspicious",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
