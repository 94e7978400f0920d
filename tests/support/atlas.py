"""An entry of the atlas for tests."""

from typing import Any

SHELF: dict[str, Any] = {
    "package": "shelf",
    "version": "1.0",
    "released": "2026-10",
    "licence": "MIT",
    "promise": "Nothing comes back.",
    "systems": {"shelf": {"label": "Shelf", "regime": "deterministic", "backend": "atlas.shelf.adapter:Shelf"}},
}
