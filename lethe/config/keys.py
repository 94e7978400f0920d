"""The API keys in this process's environment."""

import os
from collections.abc import Mapping
from typing import Any


def key_variables(models: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The environment variables that hold a key of one of the configuration's models."""
    return sorted({name for options in models.values() if (name := options.get("api_key_env")) and name in os.environ})


def drop_keys(models: Mapping[str, Mapping[str, Any]]) -> None:
    """Take the keys out of the environment that this process gives to those that it starts."""
    for name in key_variables(models):
        del os.environ[name]
