"""The schema of the configuration: its defaults are the shipped values, and it describes every key."""

from collections.abc import Iterator
from typing import Any

from lethe.config.check import load_schema
from tests.support.config import load
from tests.support.paths import ROOT


def leaves(schema: dict[str, Any], values: Any, key: str = "") -> Iterator[tuple[str, dict[str, Any], Any]]:
    """(key, schema, shipped value) of each property of the sections whose values the schema fixes."""
    for name, entry in schema["properties"].items():
        if name in ("suites", "systems", "models", "embedders") and not key:
            continue
        if "properties" in entry:
            yield from leaves(entry, values[name], f"{key}{name}.")
        else:
            yield f"{key}{name}", entry, values[name]


def test_each_default_of_the_schema_is_the_shipped_value() -> None:
    found = list(leaves(load_schema(ROOT), load("config.yaml")))
    assert {"output_dir", "environments_dir", "embedder.name", "run.k", "paper.template_suite"} <= {
        key for key, _, _ in found
    }
    for key, entry, shipped in found:
        assert "default" in entry, f"{key} has no default in the schema"
        assert entry["default"] == shipped, f"{key}: the schema and config/config.yaml disagree"
        assert type(entry["default"]) is type(shipped), key


def test_config_yaml_holds_nothing_but_the_schemas_properties() -> None:
    known = {key for key, _, _ in leaves(load_schema(ROOT), load("config.yaml"))}
    assert set(keys_of(load("config.yaml"), known)) == known


def keys_of(values: dict[str, Any], known: set[str], key: str = "") -> Iterator[str]:
    """The keys of all values; a mapping whose keys the schema leaves open is one value."""
    for name, value in values.items():
        if isinstance(value, dict) and f"{key}{name}" not in known:
            yield from keys_of(value, known, f"{key}{name}.")
        else:
            yield f"{key}{name}"


def described(schema: dict[str, Any], key: str) -> Iterator[tuple[str, Any]]:
    for name, entry in schema.get("properties", {}).items():
        yield f"{key}{name}", entry.get("description")
        yield from described(entry, f"{key}{name}.")
    if isinstance(schema.get("additionalProperties"), dict):
        yield from described(schema["additionalProperties"], f"{key}NAME.")


def test_each_property_has_a_description() -> None:
    found = dict(described(load_schema(ROOT), ""))
    assert "suites.NAME.seed" in found
    assert [key for key, description in found.items() if not description] == []
