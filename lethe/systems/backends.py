"""The backends that `config/systems.yaml` can name, each as "module:Class".

The constructor is passed the embedder if it has a parameter `embedder`, the gateway if it has `services`, and the
`options` of the configuration.
"""

from forgeteval.errors import UserError

ADAPTERS = {
    "lethe": "lethe.systems.lethe_store:LetheAdapter",
    "pylethe": "lethe.systems.pylethe:PyletheAdapter",
    "naive_sql": "lethe.systems.naive_sql:NaiveSqlAdapter",
    "null": "forgeteval.stores.controls:Null",
    "nuke": "forgeteval.stores.controls:Nuke",
    "verbatim": "forgeteval.stores.controls:Verbatim",
    "frozen": "forgeteval.stores.controls:Frozen",
    "oracle": "forgeteval.stores.controls:Oracle",
}
"""Classes with the six methods of the paper, so that policies in their configuration are a mistake."""
BACKENDS = {
    "langgraph": "lethe.systems.langgraph:LangGraphBackend",
    "mem0": "lethe.systems.mem0:Mem0Backend",
    "mempalace": "lethe.systems.mempalace:MemPalaceBackend",
    "inspeximus": "lethe.systems.inspeximus:InspeximusBackend",
    "mem0_infer": "lethe.systems.mem0_infer:Mem0InferBackend",
    "a_mem": "lethe.systems.a_mem:AMemBackend",
    "letta": "lethe.systems.letta:LettaBackend",
    "openmemory": "lethe.systems.openmemory:OpenMemoryBackend",
    "graphiti": "lethe.systems.graphiti:GraphitiBackend",
    "hipporag": "lethe.systems.hipporag:HippoRagBackend",
    "cognee": "lethe.systems.cognee:CogneeBackend",
    "autogen": "lethe.systems.autogen:AutoGenBackend",
    "langgraph_sqlite": "lethe.systems.langgraph_sqlite:LangGraphSqliteBackend",
    "langgraph_redis": "lethe.systems.langgraph_redis:LangGraphRedisBackend",
    "redis_history": "lethe.systems.redis_history:RedisHistoryBackend",
    "autogen_redis": "lethe.systems.autogen_redis:AutoGenRedisBackend",
    "chroma": "lethe.systems.chroma:ChromaBackend",
    "qdrant": "lethe.systems.qdrant:QdrantBackend",
    "llama_index": "lethe.systems.llama_index:LlamaIndexBackend",
}
"""Classes on which policies compose those methods."""


def backend_class(name: str) -> str:
    """The "module:Class" of a backend; one outside the package is named so itself.

    Raises:
        UserError: if there is no such backend; the message names those that exist. If it is no module:Class.
    """
    known = ADAPTERS | BACKENDS
    if ":" not in name and name not in known:
        raise UserError(f"unknown backend {name!r}; known: {', '.join(known)}, or module:Class of your own")
    module, _, attribute = known.get(name, name).partition(":")
    if module.endswith(".py") or not all(part.isidentifier() for part in (*module.split("."), attribute)):
        raise UserError(f"{name!r:.80}: name it as module:Class, without .py or a path to it, such as my_store:MyStore")
    return known.get(name, name)
