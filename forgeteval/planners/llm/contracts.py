"""What an answer to each task must be, as JSON Schema; `planner.py` reads answers by the same rules."""

import copy
import functools
import json
from pathlib import Path
from typing import Any

from forgeteval.planners.chat import Contract

DATA_FILES = ("contracts.json",)
_FILE = Path(__file__).with_name(DATA_FILES[0])


def supersede_contract() -> Contract:
    """Of `supersede`: `{"mode": "replace"}` or `{"mode": "edit", "text": TEXT}`."""
    contract: Contract = _contracts()["supersede"]
    return contract


def matches_contract(candidates: int) -> Contract:
    """Of `purge_match` and `release_match`: different indices of that many candidates."""
    contract: dict[str, Any] = copy.deepcopy(_contracts()["matches"])
    indices = contract["properties"]["matching_indices"]
    indices["maxItems"] = candidates
    indices["items"]["maximum"] = candidates - 1
    return contract


@functools.cache
def _contracts() -> dict[str, Any]:
    read: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return read
