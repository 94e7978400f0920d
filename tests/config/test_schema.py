"""The typed configuration: config/config.yaml is its defaults, editors get its schema, every key has a meaning."""

import json
from typing import Any

from jsonschema import Draft202012Validator

from lethe.cli.pages import config_keys, default_configuration
from lethe.config.model import Config
from tests.support.config import load, shipped
from tests.support.paths import ROOT

SCHEMA: dict[str, Any] = json.loads((ROOT / "config/config.schema.json").read_text(encoding="utf-8"))


def test_config_yaml_is_the_defaults() -> None:
    assert (ROOT / "config/config.yaml").read_text(encoding="utf-8") == default_configuration()
    named = {name: shipped()[name] for name in ("suites", "systems")}
    assert Config.model_validate({**load("config.yaml"), **named}) == Config.model_validate(named)


def test_editors_find_the_shipped_configuration_valid_and_a_mistake() -> None:
    validator = Draft202012Validator(SCHEMA)
    assert not list(validator.iter_errors(shipped()))
    assert list(validator.iter_errors({**shipped(), "colour": 1}))


def test_each_key_has_a_meaning() -> None:
    found = dict(config_keys(SCHEMA, SCHEMA["$defs"]))
    assert "suites.NAME.seed" in found and "run.k" in found
    lacking = [key for key, option in found.items() if "description" not in option and "$ref" not in option]
    assert lacking == []


def test_there_are_no_more_keys_than_one_can_read() -> None:
    assert len(list(config_keys(SCHEMA, SCHEMA["$defs"]))) <= 110
