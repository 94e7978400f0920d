"""Stores of other libraries as they lay on the disk, from tests/store/golden/importing."""

import gzip
from pathlib import Path

from tests.support.paths import ROOT

GOLDEN = ROOT / "tests/store/golden/importing"


def golden(kind: str, folder: Path) -> Path:
    """A store that the library of that kind has written, as it lay on the disk."""
    name, place = {
        "chroma": ("chroma-1.5.9.sqlite3.gz", "chroma.sqlite3"),
        "langgraph": ("langgraph-checkpoint-sqlite-3.1.2.db.gz", "store.db"),
        "mcp": ("server-memory-2026.8.31.jsonl", "memory.jsonl"),
        "mem0_chroma": ("mem0-2.2.1-chroma-1.5.9.sqlite3.gz", "chroma/chroma.sqlite3"),
        "mem0_json": ("mem0-2.2.1.json", "all.json"),
        "mem0_qdrant": ("mem0-2.2.1-qdrant-1.20.0.sqlite.gz", "qdrant/collection/mem0/storage.sqlite"),
    }[kind]
    content = (GOLDEN / name).read_bytes()
    file = folder / place
    file.parent.mkdir(parents=True)
    file.write_bytes(gzip.decompress(content) if name.endswith(".gz") else content)
    return named(kind, folder)


def named(kind: str, folder: Path) -> Path:
    """What somebody would name of a folder that a library has written."""
    inside = {"langgraph": "store.db", "mcp": "memory.jsonl", "mem0_json": "all.json"}
    inside |= {"chroma": "", "mem0_chroma": "chroma", "mem0_qdrant": "qdrant"}
    return folder / inside[kind]
