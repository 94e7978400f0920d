"""Construction of the Adapter of a configuration.

A system's module is imported only in its own worker, so that no environment needs another system's packages.
"""

import importlib
import inspect
from collections.abc import Mapping
from typing import Any

from forgeteval.embed.embedder import Embedder
from forgeteval.errors import UserError
from forgeteval.stores.contract import Adapter, Services
from forgeteval.stores.controls import Null
from forgeteval.stores.given import Given, Loop, check_methods, has_six_methods
from forgeteval.stores.policies import ComposedAdapter

# The workflow names a backend by its target, so that a further entry runs nothing else again.
CHOSEN_MODULES = ("lethe.systems.backends",)
_OWN = ("lethe.", "atlas.")
"""How the modules of this project's own adapters begin."""


def build_adapter(
    backend: str,
    policies: Mapping[str, str],
    embedder: Embedder,
    services: Services | None = None,
    options: Mapping[str, Any] | None = None,
    composes_scopes: bool = False,
) -> Adapter:
    """Construct the system of one configuration in this process.

    Args:
        services: the gateway, for a system that requests embeddings or chat itself.
        options: keyword arguments of the backend's constructor, from its entry in config/systems.yaml.
        composes_scopes: see `forgeteval.stores.policies.ComposedAdapter`.

    Raises:
        UserError: if the backend is unknown, its package is not installed in this environment, it lacks a method,
            it needs the gateway and there is none, or it has no such option.
    """
    target = backend
    if ":" not in backend:
        from lethe.systems.backends import backend_class

        target = backend_class(backend)
    module, _, name = target.partition(":")
    try:
        factory = getattr(importlib.import_module(module), name, None)
        if not callable(factory):
            raise UserError(f"backend {backend}: {module} has no class of this name; name it as module:Class")
        parameters = inspect.signature(factory).parameters
        given: dict[str, Any] = {"embedder": embedder, "services": services}
        arguments = {key: value for key, value in given.items() if key in parameters}
        if services is None and "services" in arguments and parameters["services"].default is inspect.Parameter.empty:
            raise UserError(f"backend {backend} needs the gateway; add `gateway: embeddings` to its configuration")
        for option in options or {}:
            if option not in parameters or option in given:
                raise UserError(f"backend {backend} has no option {option!r}; remove it from the configuration")
        loop = Loop()

        def build() -> Any:
            return loop.result(factory(**arguments, **(options or {})))

        built = build()
    except ImportError as error:
        raise UserError(
            f"backend {backend}: {error}; check its name, and that its environment has what it needs: for `pipeline`, "
            "install that in .venv; for another, add it to its lock, or, where it is there, remove the environment's "
            ".freeze.txt; then run again"
        ) from error
    # What LangGraph finds has no score where nothing is ranked.
    store: Any = built if isinstance(built, Null) or module.startswith(_OWN) else Given(built, build, loop)
    if has_six_methods(built):
        adapter: Adapter = store
        return adapter
    check_methods(built, f"backend {backend}")
    return ComposedAdapter(store, policies, composes_scopes)
