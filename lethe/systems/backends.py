"""The backends that `config/systems.yaml` can name."""

from dataclasses import dataclass

from lethe.errors import LetheError


@dataclass(frozen=True, slots=True)
class BackendEntry:
    """The class of a backend, and whether it composes its mutations itself.

    Attributes:
        target: "module:Class". A class with the six methods is an Adapter itself; any other is a Backend on which
            policies compose them. The constructor is passed the embedder if it has a parameter `embedder`, the
            gateway if it has `services`, and the `options` of the configuration.
        own_mutations: whether it is an Adapter, so that policies in its configuration are a mistake.
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
    """The entry of a backend; the name of one outside the package is `module:Class`.

    Raises:
        LetheError: if there is no such backend; the message names those that exist.
    """
    if ":" in name:
        return BackendEntry(name, False)
    if name not in BACKENDS:
        known = ", ".join(BACKENDS)
        raise LetheError(f"config/systems.yaml: unknown backend {name!r}; known: {known}, or module:Class of your own")
    return BACKENDS[name]
