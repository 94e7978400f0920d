"""The backends that `config/systems.yaml` can name."""

from dataclasses import dataclass

from lethe.errors import LetheError


@dataclass(frozen=True, slots=True)
class BackendEntry:
    """The class of a backend and the modules behind it.

    Attributes:
        target: "module:Class". A class with the six methods is an Adapter itself; any other is a Backend on which
            policies compose them. The constructor is passed the embedder if it has a parameter `embedder`, the
            gateway if it has `services`, and the `options` of the configuration.
        own_mutations: whether it is an Adapter, so that policies in its configuration are a mistake.
        modules: the files of the package, besides the runner, on which its verdicts depend.
    """

    target: str
    own_mutations: bool
    modules: tuple[str, ...]


_COMPOSED = ("systems/policies.py", "store/thresholds.py")
_SERVER = ("systems/servers.py", "systems/supervisor.py")
_LEAN = ("systems/stand_ins.py", "systems/swallowed.py")
_FOLDERS = "systems/case_folders.py"


def _adapter(module: str, name: str, *modules: str) -> BackendEntry:
    return BackendEntry(f"lethe.systems.{module}:{name}", True, (f"systems/{module}.py", *modules))


def _backend(module: str, name: str, *modules: str) -> BackendEntry:
    return BackendEntry(f"lethe.systems.{module}:{name}", False, (f"systems/{module}.py", *_COMPOSED, *modules))


BACKENDS: dict[str, BackendEntry] = {
    "lethe": _adapter("lethe_store", "LetheAdapter", "store"),
    "naive_sql": _adapter("naive_sql", "NaiveSqlAdapter"),
    "langgraph": _backend("langgraph", "LangGraphBackend"),
    "mem0": _backend("mem0", "Mem0Backend"),
    "mempalace": _backend("mempalace", "MemPalaceBackend"),
    "mem0_infer": _backend("mem0_infer", "Mem0InferBackend", "systems/mem0.py"),
    "a_mem": _backend("a_mem", "AMemBackend", *_LEAN),
    "letta": _backend("letta", "LettaBackend", "systems/letta_postgres.py", *_SERVER),
    "openmemory": _backend("openmemory", "OpenMemoryBackend", "systems/openmemory_preload.cjs", *_SERVER),
    "graphiti": _backend("graphiti", "GraphitiBackend", "systems/graphiti_databases.py", _FOLDERS, *_SERVER),
    "hipporag": _backend("hipporag", "HippoRagBackend", *_LEAN, "systems/numpy_torch.py"),
    "cognee": _backend("cognee", "CogneeBackend"),
    "autogen": _backend("autogen", "AutoGenBackend", _FOLDERS),
    "langgraph_sqlite": _backend("langgraph_sqlite", "LangGraphSqliteBackend", _FOLDERS),
    "chroma": _backend("chroma", "ChromaBackend", _FOLDERS),
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
        return BackendEntry(name, False, _COMPOSED)
    if name not in BACKENDS:
        known = ", ".join(BACKENDS)
        raise LetheError(f"config/systems.yaml: unknown backend {name!r}; known: {known}, or module:Class of your own")
    return BACKENDS[name]
