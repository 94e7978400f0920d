"""What the systems and chat models of the printed numbers are here (printed_systems.yaml)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from forgeteval.yaml_data import read_yaml_data

DATA_FILES = ("printed_systems.yaml",)
_DATA = read_yaml_data(Path(__file__).with_name(DATA_FILES[0]))


@dataclass(frozen=True, slots=True)
class ChatModel:
    """A chat model of the paper: its name in tables, and what the names fit that it may have in config."""

    label: str
    pattern: str

    def is_named(self, *names: str) -> bool:
        """Whether one of the names is this model's."""
        return any(re.fullmatch(self.pattern, name.lower()) for name in names)


@dataclass(frozen=True, slots=True)
class PrintedSystem:
    """A system of the paper.

    Attributes:
        name: its column in config/published.csv.
        system: its name in config/systems.yaml.
        model: the chat model that the paper's run asked, a key of `MODELS`; empty for none.
        lacks: operations that it does not have, by the paper.
        differs: how a run here differs from the paper's.
        regime: where the paper places the chat model; empty for none of its thirteen configurations.
        printed_in: the printed table with its categories.
    """

    name: str
    system: str
    model: str = ""
    lacks: Sequence[str] = ()
    differs: str = ""
    regime: str = ""
    printed_in: str = ""


MODELS: Mapping[str, ChatModel] = {name: ChatModel(**entry) for name, entry in _DATA["models"].items()}
SYSTEMS: Mapping[str, PrintedSystem] = {
    name: PrintedSystem(**{"name": name, "system": name, **entry}) for name, entry in _DATA["systems"].items()
}
THIRTEEN = [system for system in SYSTEMS.values() if system.regime]
"""The paper's configurations, by regime, in the order of its text."""
