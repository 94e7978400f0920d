"""Opening the gateway for a row that asks a chat model, and nothing for any other row."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lethe.gateway.access import ModelAccess


@contextmanager
def open_model(model: str, config: Mapping[str, Any], cache: Path) -> "Iterator[ModelAccess | None]":
    """Access to the model of that name in the workflow's configuration; None where `model` is empty.

    Raises:
        LetheError: where the model's key variable is not set, or the cache cannot be opened.
    """
    if not model:
        yield None
        return
    # The web server and client are imported by rows that need them alone: they take a second.
    from lethe.gateway.access import ModelAccess
    from lethe.gateway.models import ModelConfig
    from lethe.gateway.server import Gateway

    options = ModelConfig.from_config(model, config["models"][model])
    with Gateway({model: options}, cache, config["llm"]["mode"]) as gateway:
        yield ModelAccess(gateway, options)
