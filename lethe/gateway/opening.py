"""Opening the gateway for a row that asks a chat model, and nothing for any other row."""

import contextlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lethe.forgeteval.runner import ChatAccess


@contextmanager
def open_model(model: str, config: Mapping[str, Any], cache: Path) -> "Iterator[ChatAccess | None]":
    """Access to the model of that name in the workflow's configuration; None where `model` is empty.

    Raises:
        LetheError: where the model's key variable is not set, or the cache cannot be opened.
    """
    if not model:
        yield None
        return
    # Imported by rows that need them alone: the web server and its client take a second.
    from lethe.gateway.models import ModelConfig

    options = ModelConfig.from_config(model, config["models"][model])
    if config["llm"]["mode"] == "replay":
        from lethe.gateway.cache import Cache
        from lethe.gateway.replay import ReplayAccess

        with contextlib.closing(Cache(cache)) as opened:
            yield ReplayAccess(opened, options)
        return
    from lethe.gateway.access import ModelAccess
    from lethe.gateway.server import Gateway

    with Gateway({model: options}, cache, "live") as gateway:
        yield ModelAccess(gateway, options)
