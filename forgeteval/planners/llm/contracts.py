"""What an answer to each task must be, as JSON Schema; `planner.py` reads answers by the same rules."""

import copy
import functools
import json
from collections.abc import Mapping, Sequence
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


def rows_contract(candidates: int) -> Contract:
    """Of `rows_supersede`, `rows_purge` and `rows_release`: indices of that many candidates, in whole and in part."""
    contract: dict[str, Any] = copy.deepcopy(_contracts()["rows"])
    whole, in_part = contract["properties"]["whole"], contract["properties"]["in_part"]
    for indices in (whole["items"], in_part["items"]["properties"]["index"]):
        indices["maximum"] = candidates - 1
    whole["maxItems"] = in_part["maxItems"] = candidates
    return contract


def strict(contract: Contract) -> Contract:
    """A contract in the part of JSON Schema that every strict endpoint takes.

    OpenAI refuses `anyOf` at the root and `uniqueItems`, Azure and Anthropic also bounds of numbers and lengths; all
    want every property required. So alternatives become one object whose further properties may be null, and bounds an
    enumeration. Whoever reads the answer checks the rest.
    """
    alternatives = contract.get("anyOf", [contract])
    names = list(dict.fromkeys(name for one in alternatives for name in one["properties"]))
    return {
        "type": "object",
        "properties": {name: _strict_property([one["properties"].get(name) for one in alternatives]) for name in names},
        "required": names,
        "additionalProperties": False,
    }


def _strict_property(alternatives: Sequence[Mapping[str, Any] | None]) -> dict[str, Any]:
    """One schema for what a property may be in each alternative; null where one of them lacks it."""
    given = [one for one in alternatives if one is not None]
    if all("const" in one for one in given):
        return {"type": "string", "enum": [one["const"] for one in given]}
    found = _without_bounds(given[0])
    return found if len(given) == len(alternatives) else {**found, "type": [found["type"], "null"]}


def _without_bounds(schema: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in schema.items() if name in ("type", "enum", "required")}
    if schema["type"] == "integer" and "maximum" in schema:
        kept["enum"] = list(range(schema["minimum"], schema["maximum"] + 1))
    if schema["type"] == "array":
        kept["items"] = _without_bounds(schema["items"])
    if schema["type"] == "object":
        kept["properties"] = {name: _without_bounds(one) for name, one in schema["properties"].items()}
        kept["additionalProperties"] = False
    return kept


@functools.cache
def _contracts() -> dict[str, Any]:
    read: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return read
