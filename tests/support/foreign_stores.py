"""Files of other memory stores, written by their own libraries: `python -m tests.support.foreign_stores KIND FOLDER`.

The same program wrote tests/store/golden/importing. It ends without closing anything, as a program that is killed does.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

DIM = 4
NEEDED = {
    "chroma": "chromadb",
    "langgraph": "langgraph.store.sqlite",
    "mem0_chroma": "mem0",
    "mem0_qdrant": "mem0",
}
LAST_DAY = "2100-01-01"


class Lengths:
    """An embedder of Mem0's that needs no model."""

    def __init__(self, config: Any = None) -> None:
        self.config = config

    def embed(self, text: str, memory_action: Any = None) -> list[float]:
        return [1.0, float(len(text)), 0.5, 0.25]

    def embed_batch(self, texts: list[str], memory_action: Any = None) -> list[list[float]]:
        return [self.embed(text) for text in texts]


def chroma(folder: Path) -> None:
    import chromadb
    from chromadb.config import Settings

    client = chromadb.PersistentClient(str(folder), settings=Settings(anonymized_telemetry=False))
    notes = client.create_collection("my.notes", embedding_function=None)
    notes.add(
        ids=["drink", "sport", "gone"],
        documents=["Ines likes tea.", "Tom rows.", "Nobody says this."],
        embeddings=[[1, 0], [0, 1], [1, 1]],
        metadatas=[{"about": "ines", "year": 2026, "weight": 0.5, "is_new": True}, {"tags": ["x", "y"]}, {"n": 1}],
    )
    notes.update(ids=["drink"], documents=["Ines likes coffee."], embeddings=[[1, 0.5]])
    notes.delete(ids=["gone"])
    notes.add(ids=["picture"], embeddings=[[0.5, 0.5]], metadatas=[{"only": "a vector"}])
    client.create_collection("other", embedding_function=None).add(ids=["drink"], documents=["…"], embeddings=[[1, 0]])


def langgraph(folder: Path) -> None:
    import pysqlite3

    sys.modules["sqlite3"] = pysqlite3
    from langgraph.store.sqlite import SqliteStore

    index = {"dims": 3, "embed": lambda texts: [[1.0, 2.0, 3.0]] * len(texts), "text_fields": ["text", "notes[*]"]}
    with SqliteStore.from_conn_string(str(folder / "store.db"), index=index) as store:
        store.setup()
        store.put(("users", "ines"), "drink", {"text": "likes tea", "notes": ["one", "two", "three"]})
        store.put(("users", "ines"), "drink", {"text": "likes coffee", "notes": ["one", "two"], "n": 1}, ttl=60_000_000)
        store.put(("users", "tom"), "sport", {"text": "rows"}, index=False)
        store.put(("users",), "deep", {"a": {"b": [1, None, True]}})
        store.put(("users",), "over", {"text": "is over"}, ttl=0.000001)
        store.put(("users",), "gone", {"text": "Nobody says this."})
        store.delete(("users",), "gone")
        os._exit(0)


def _mem0(folder: Path, provider: str) -> None:
    os.environ |= {"MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "none", "MEM0_DIR": str(folder / "home")}
    from mem0 import Memory
    from mem0.utils.factory import EmbedderFactory

    EmbedderFactory.provider_to_class["openai"] = "tests.support.foreign_stores.Lengths"
    vectors: dict[str, Any] = {"collection_name": "mem0", "path": str(folder / provider)}
    vectors |= {"embedding_model_dims": DIM, "on_disk": True} if provider == "qdrant" else {}
    memory = Memory.from_config(
        {
            "vector_store": {"provider": provider, "config": vectors},
            "history_db_path": str(folder / "history.db"),
        }
    )
    told = memory.add("Ines likes tea.", user_id="ines", infer=False, metadata={"topic": "drinks", "n": 3})
    memory.update(told["results"][0]["id"], "Ines likes coffee.")
    said = [{"role": "user", "content": "Tom rows.", "name": "tommy"}, {"role": "assistant", "content": "Noted."}]
    memory.add(said, user_id="tom", agent_id="bot", run_id="r1", infer=False)
    gone = memory.add("Nobody says this.", user_id="tom", infer=False)
    memory.delete(gone["results"][0]["id"])
    ends = memory.add("Ines is away.", user_id="ines", infer=False)
    memory.update(ends["results"][0]["id"], expiration_date=LAST_DAY)
    everybody = [memory.get_all(filters={"user_id": user}, top_k=1000)["results"] for user in ("ines", "tom")]
    (folder / "all.json").write_text(json.dumps({"results": [each for user in everybody for each in user]}))
    os._exit(0)


def mem0_chroma(folder: Path) -> None:
    _mem0(folder, "chroma")


def mem0_qdrant(folder: Path) -> None:
    _mem0(folder, "qdrant")


def mcp(folder: Path, server: str) -> None:
    """By the reference server: `server` is its program."""
    file = folder.resolve() / "memory.jsonl"
    entities = [
        {"name": "Ines", "entityType": "person", "observations": ["likes tea", "says this"]},
        {"name": "Oslo", "entityType": "city", "observations": []},
        {"name": "Nobody", "entityType": "person", "observations": ["Nobody says this."]},
    ]
    calls = [
        ("create_entities", {"entities": entities}),
        ("create_relations", {"relations": [{"from": "Ines", "to": "Oslo", "relationType": "lives in"}]}),
        ("add_observations", {"observations": [{"entityName": "Ines", "contents": ["likes coffee"]}]}),
        ("delete_entities", {"entityNames": ["Nobody"]}),
    ]
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "forgeteval", "version": "1"}}
    asked = [("initialize", hello), *(("tools/call", {"name": name, "arguments": given}) for name, given in calls)]
    lines = [
        {"jsonrpc": "2.0", "id": id, "method": method, "params": given} for id, (method, given) in enumerate(asked)
    ]
    lines.insert(1, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    own = os.environ | {"MEMORY_FILE_PATH": str(file)}
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([server], env=own, text=True, bufsize=1, **pipes) as process:
        assert process.stdin is not None and process.stdout is not None
        for line in lines:
            process.stdin.write(json.dumps(line) + "\n")
            process.stdin.flush()
            if "id" in line:
                process.stdout.readline()
        process.stdin.close()


WRITERS: dict[str, Callable[..., None]] = {
    "chroma": chroma,
    "langgraph": langgraph,
    "mcp": mcp,
    "mem0_chroma": mem0_chroma,
    "mem0_qdrant": mem0_qdrant,
}

if __name__ == "__main__":
    kind, folder, *more = sys.argv[1:]
    WRITERS[kind](Path(folder), *more)
    os._exit(0)
