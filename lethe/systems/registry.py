"""The backends that `config/systems.yaml` can name, and how a configuration becomes an Adapter.

A third-party module is imported only here, by name, so that no environment needs another system's packages.
"""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lethe.embedding.embedder import Embedder
from lethe.errors import LetheError
from lethe.systems.protocol import Adapter


@dataclass(frozen=True, slots=True)
class BackendEntry:
    """Where a backend's class stands and how it is used.

    Attributes:
        adapter: the class implements the six methods itself; else it is a Backend that policies are composed on.
        embeds: its constructor takes the embedder.
        modules: the files of the package, besides the runner, that its verdicts depend on.
    """

    module: str
    name: str
    adapter: bool
    embeds: bool
    modules: tuple[str, ...]


_COMPOSED = ("systems/policies.py", "store/thresholds.py")

BACKENDS: dict[str, BackendEntry] = {
    "lethe": BackendEntry("lethe_store", "LetheAdapter", True, True, ("systems/lethe_store.py", "store")),
    "naive_sql": BackendEntry("naive_sql", "NaiveSqlAdapter", True, False, ("systems/naive_sql.py",)),
    "langgraph": BackendEntry("langgraph", "LangGraphBackend", False, True, ("systems/langgraph.py", *_COMPOSED)),
    "mem0": BackendEntry("mem0", "Mem0Backend", False, True, ("systems/mem0.py", *_COMPOSED)),
    "mempalace": BackendEntry("mempalace", "MemPalaceBackend", False, True, ("systems/mempalace.py", *_COMPOSED)),
    "null": BackendEntry("controls", "Null", True, False, ("systems/controls.py",)),
    "nuke": BackendEntry("controls", "Nuke", True, False, ("systems/controls.py",)),
    "verbatim": BackendEntry("controls", "Verbatim", True, False, ("systems/controls.py",)),
    "oracle": BackendEntry("controls", "Oracle", True, False, ("systems/controls.py",)),
}


def backend_entry(name: str) -> BackendEntry:
    """Raises LetheError for a backend that does not exist, naming those that do."""
    if name not in BACKENDS:
        raise LetheError(f"config/systems.yaml: unknown backend {name!r}; known backends: {', '.join(BACKENDS)}")
    return BACKENDS[name]


def build_adapter(backend: str, policies: Mapping[str, str], embedder: Embedder) -> Adapter:
    """Construct the system of one configuration in this process.

    Raises:
        LetheError: where the backend is unknown or its package is not installed in this environment.
    """
    entry = backend_entry(backend)
    try:
        factory: Callable[..., Any] = getattr(importlib.import_module(f"lethe.systems.{entry.module}"), entry.name)
        built = factory(embedder) if entry.embeds else factory()
    except ImportError as error:
        raise LetheError(f"backend {backend}: {error}; remove its folder under .environments and run again") from error
    if entry.adapter:
        adapter: Adapter = built
        return adapter
    from lethe.systems.policies import ComposedAdapter

    return ComposedAdapter(built, policies)


def unsupported_operations(backend: str, policies: Mapping[str, str]) -> frozenset[str]:
    """The mutations that a configuration does not offer; a case that needs one is `na` without being run."""
    if backend_entry(backend).adapter:
        return frozenset()
    return frozenset({"supersede", "release", "purge"} - policies.keys())
