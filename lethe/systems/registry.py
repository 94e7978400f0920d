"""The backends that `config/systems.yaml` can name, and how a configuration becomes an Adapter.

A system's module is imported only in its own worker, so that no environment needs another system's packages.
"""

import importlib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lethe.embedding.embedder import Embedder
from lethe.errors import LetheError
from lethe.systems.protocol import Adapter


@dataclass(frozen=True, slots=True)
class BackendEntry:
    """Where a backend's class stands.

    Attributes:
        target: "module:Class". A class with the six methods is an Adapter itself; any other is a Backend that the
            policies are composed on. A constructor with a parameter `embedder` is given the embedder.
        own_mutations: it is known to be an Adapter, so that policies beside it are a mistake.
        modules: the files of the package, besides the runner, that its verdicts depend on.
    """

    target: str
    own_mutations: bool
    modules: tuple[str, ...]


_COMPOSED = ("systems/policies.py", "store/thresholds.py")


def _adapter(module: str, name: str, *modules: str) -> BackendEntry:
    return BackendEntry(f"lethe.systems.{module}:{name}", True, (f"systems/{module}.py", *modules))


def _backend(module: str, name: str) -> BackendEntry:
    return BackendEntry(f"lethe.systems.{module}:{name}", False, (f"systems/{module}.py", *_COMPOSED))


BACKENDS: dict[str, BackendEntry] = {
    "lethe": _adapter("lethe_store", "LetheAdapter", "store"),
    "naive_sql": _adapter("naive_sql", "NaiveSqlAdapter"),
    "langgraph": _backend("langgraph", "LangGraphBackend"),
    "mem0": _backend("mem0", "Mem0Backend"),
    "mempalace": _backend("mempalace", "MemPalaceBackend"),
    "null": _adapter("controls", "Null"),
    "nuke": _adapter("controls", "Nuke"),
    "verbatim": _adapter("controls", "Verbatim"),
    "oracle": _adapter("controls", "Oracle"),
}


def backend_entry(name: str) -> BackendEntry:
    """The entry of a backend; `module:Class` names one outside the package.

    Raises:
        LetheError: for a backend that does not exist, naming those that do.
    """
    if ":" in name:
        return BackendEntry(name, False, _COMPOSED)
    if name not in BACKENDS:
        known = ", ".join(BACKENDS)
        raise LetheError(f"config/systems.yaml: unknown backend {name!r}; known: {known}, or module:Class of your own")
    return BACKENDS[name]


def build_adapter(backend: str, policies: Mapping[str, str], embedder: Embedder) -> Adapter:
    """Construct the system of one configuration in this process.

    Raises:
        LetheError: where the backend is unknown or its package is not installed in this environment.
    """
    module, _, name = backend_entry(backend).target.partition(":")
    try:
        factory = getattr(importlib.import_module(module), name)
        takes_embedder = "embedder" in inspect.signature(factory).parameters
        built: Any = factory(embedder=embedder) if takes_embedder else factory()
    except (ImportError, AttributeError) as error:
        raise LetheError(
            f"backend {backend}: {error}; check its name, or remove its environment and run again"
        ) from error
    if hasattr(built, "supersede"):
        adapter: Adapter = built
        return adapter
    from lethe.systems.policies import ComposedAdapter

    return ComposedAdapter(built, policies)
