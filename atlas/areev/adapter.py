"""Areev: what DejaDB has become, with the same calls."""

from typing import Any

from atlas.dejadb.adapter import DejaBackend


class AreevBackend(DejaBackend):
    """One file per case, and a namespace for each owner; each fact is the value of a subject of its own."""

    def engine(self) -> Any:
        from areev import Areev

        return Areev
