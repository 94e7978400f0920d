"""Fingerprints: which code and which inputs made a file, so that content decides what runs again."""

import functools
import hashlib
import json
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parent


@functools.cache
def code_fingerprint(*parts: str) -> str:
    """SHA-256 (16 hexadecimal digits) of modules and folders of the package, e.g. "store", "systems/mem0.py"."""
    digest = hashlib.sha256()
    for part in sorted(parts):
        path = PACKAGE / part
        files = (
            sorted(f for f in path.rglob("*") if f.is_file() and "__pycache__" not in f.parts)
            if path.is_dir()
            else [path]
        )
        for file in files:
            digest.update(file.relative_to(PACKAGE).as_posix().encode())
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def value_fingerprint(value: Any) -> str:
    """SHA-256 (16 hexadecimal digits) of a JSON-like value, independent of key order."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def file_fingerprint(path: Path) -> str:
    """SHA-256 (16 hexadecimal digits) of a file's content."""
    return sha256_of(path)[:16]


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's content, 64 hexadecimal digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
