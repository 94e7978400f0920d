"""The backends that `config/systems.yaml` can name."""

from dataclasses import dataclass

from lethe.errors import LetheError


@dataclass(frozen=True, slots=True)
class BackendEntry:
    """Where a backend's class stands.

    Attributes:
        target: "module:Class". A class with the six methods is an Adapter itself; any other is a Backend that the
            policies are composed on. A constructor with a parameter `embedder` is given the embedder, one with
            `services` the gateway, and whatever `options` its configuration names.
        own_mutations: it is known to be an Adapter, so that policies beside it are a mistake.
    """

    target: str
    own_mutations: bool

    @property
    def module(self) -> str:
        """Dotted name of the module that the class stands in."""
        return self.target.partition(":")[0]


def _adapter(module: str, name: str) -> BackendEntry:
    return BackendEntry(f"lethe.systems.{module}:{name}", True)


def _backend(module: str, name: str) -> BackendEntry:
    return BackendEntry(f"lethe.systems.{module}:{name}", False)


BACKENDS: dict[str, BackendEntry] = {
    "lethe": _adapter("lethe_store", "LetheAdapter"),
    "naive_sql": _adapter("naive_sql", "NaiveSqlAdapter"),
    "langgraph": _backend("langgraph", "LangGraphBackend"),
    "mem0": _backend("mem0", "Mem0Backend"),
    "mempalace": _backend("mempalace", "MemPalaceBackend"),
    "mem0_infer": _backend("mem0_infer", "Mem0InferBackend"),
    "a_mem": _backend("a_mem", "AMemBackend"),
    "letta": _backend("letta", "LettaBackend"),
    "openmemory": _backend("openmemory", "OpenMemoryBackend"),
    "graphiti": _backend("graphiti", "GraphitiBackend"),
    "hipporag": _backend("hipporag", "HippoRagBackend"),
    "cognee": _backend("cognee", "CogneeBackend"),
    "autogen": _backend("autogen", "AutoGenBackend"),
    "langgraph_sqlite": _backend("langgraph_sqlite", "LangGraphSqliteBackend"),
    "chroma": _backend("chroma", "ChromaBackend"),
    "qdrant": _backend("qdrant", "QdrantBackend"),
    "llama_index": _backend("llama_index", "LlamaIndexBackend"),
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
        return BackendEntry(name, False)
    if name not in BACKENDS:
        known = ", ".join(BACKENDS)
        raise LetheError(f"config/systems.yaml: unknown backend {name!r}; known: {known}, or module:Class of your own")
    return BACKENDS[name]
