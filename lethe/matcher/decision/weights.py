"""The weights that ship with the matcher, one file for each decision."""

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from lethe.matcher.decision.trees import Trees

DATA_FILES = ("weights",)
_FOLDER = Path(__file__).with_name(DATA_FILES[0])


@dataclass(frozen=True)
class Weights:
    """What training leaves.

    Attributes:
        asked: which memories a purge or release means.
        superseded: which memory a new fact takes the place of.
        sure: whether exactly the likely memories are meant.
        absent: whether nothing that is shown is meant.
    """

    asked: Trees
    superseded: Trees
    sure: Trees
    absent: Trees

    @classmethod
    def from_json(cls, read: dict[str, Any]) -> Self:
        return cls(**{name: Trees.from_json(trees) for name, trees in read.items()})


@functools.cache
def shipped() -> Weights:
    """The weights trained on every written case that may be developed on (docs/matcher.md)."""
    names = Weights.__dataclass_fields__
    return Weights.from_json(
        {name: json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8")) for name in names}
    )
