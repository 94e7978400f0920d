"""Opening the gateway for a row that asks it, and nothing for any other row."""

import contextlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lethe.embedding.embedder import Embedder
    from lethe.gateway.chat import Mode
    from lethe.run.runner import ChatAccess

CHOSEN_MODULES = ("lethe.gateway",)


@contextmanager
def open_gateway(
    row: Mapping[str, Any], config: Mapping[str, Any], cache: Path, embedder: "Embedder"
) -> "Iterator[ChatAccess | None]":
    """A row's access to the gateway; None for a row that has no chat model and whose system asks for nothing.

    Args:
        row: an entry of `lethe.config.configurations.all_configurations`.
        config: the workflow's configuration.
        cache: file of the answers that are kept.
        embedder: answers /v1/embeddings.

    Raises:
        LetheError: where the model's key variable is not set, or the cache cannot be opened.
    """
    model, serves = row["model"], "gateway" in row
    if not model and not serves:
        yield None
        return
    # Imported by rows that need them alone: the web server and its client take a second.
    from lethe.gateway.models import ModelConfig

    options = ModelConfig.from_config(model, config["models"][model]) if model else None
    mode: Mode = config["llm"]["mode"] if model else "off"
    if options is not None and mode == "replay" and not serves:
        from lethe.gateway.cache import Cache
        from lethe.gateway.replay import ReplayAccess

        with contextlib.closing(Cache(cache)) as opened:
            yield ReplayAccess(opened, options)
        return
    from lethe.gateway.access import HookAccess, ServiceAccess
    from lethe.gateway.server import Gateway

    models = {} if options is None else {options.name: options}
    with Gateway(models, cache, mode, embedder) as gateway:
        if options is not None and not serves:
            yield HookAccess(gateway, options)
        else:
            yield ServiceAccess(gateway, options, hooked=row.get("hook") == "llm")
