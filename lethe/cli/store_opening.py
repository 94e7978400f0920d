"""What the commands `lethe store` share: their options, opening the store of a file, and how they print."""

import hashlib
import json
import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from forgeteval.embed.embedder import Vectors
from forgeteval.errors import printable
from lethe.embedding.embedder import FastEmbedder
from lethe.embedding.minilm import DIM, MODEL_NAME
from lethe.embedding.prepare import prepare_embedder
from lethe.store import Memory, Store, read_key
from lethe.store.connection import made_with
from lethe.store.errors import LetheError

StoreFile = Annotated[Path, typer.Argument(help="the file of the store")]
Owner = Annotated[str | None, typer.Option(help="only what belongs to this owner")]
Session = Annotated[str | None, typer.Option(help="only what was told in this session")]
Source = Annotated[str | None, typer.Option(help="only what came from this source")]
KeyFile = Annotated[Path | None, typer.Option("--key", help="file of the store's key (`lethe key` makes one)")]
Json = Annotated[bool, typer.Option("--json", help="print JSON, one object a line")]
WORDS = "words"
MAXIMUM_TOKENS = 128


@contextmanager
def opened(
    path: Path,
    *,
    key: Path | None = None,
    embedder: str | None = None,
    owner: str | None = None,
    session: str | None = None,
    source: str | None = None,
) -> Iterator[Store]:
    """The store of a file, within a scope; a wrong argument is a `LetheError`.

    Args:
        embedder: makes the file if it is missing; without it, a missing file is an error.
    """
    if embedder not in (None, WORDS, MODEL_NAME):
        raise LetheError(f"--embedder: {embedder!r} is none; give {WORDS} or {MODEL_NAME}")
    dim, name = made_with(path) if path.exists() or embedder is None else (DIM, embedder)
    held = None if key is None else read_key(key)
    with Store(path, embed=lambda texts: _embed(name, texts), dim=dim, key=held, embedder=embedder) as store:
        try:
            yield store.within(owner=owner, session=session, source=source)
        except (ValueError, LookupError) as error:
            raise LetheError(f"store {path}: {error.args[0] if error.args else error}") from error


def _embed(name: str | None, texts: Sequence[str]) -> Vectors:
    if name == WORDS:
        return hashed_words(texts)
    if name == MODEL_NAME:
        return _minilm().embed(texts)
    raise LetheError(f"the store was made with the embedder {name!r}, which the command line has not; use the library")


@cache
def _minilm() -> FastEmbedder:
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lethe" / f"minilm-{MAXIMUM_TOKENS}"
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        prepare_embedder(folder, MODEL_NAME, "package", MAXIMUM_TOKENS)
    return FastEmbedder(folder)


def hashed_words(texts: Sequence[str]) -> Vectors:
    """(n, 384) unit vectors without a model: each word counts in the place and with the sign that its hash says."""
    vectors = np.zeros((len(texts), DIM), dtype=np.float32)
    for vector, text in zip(vectors, texts, strict=True):
        for word in text.lower().split() or [""]:
            number = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "little")
            vector[number % DIM] += 1.0 if number & 1 << 31 else -1.0
        vector[0] += 1e-3  # two words may cancel each other
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def show_row(*fields: object) -> None:
    """Print one line with a tab between fields, which hold none."""
    print("\t".join(printable(str(field)) for field in fields))


def show_json(content: Any) -> None:
    """Print one line of JSON; infinite numbers as the word for what they mean here, pinned."""
    finite = {name: "pinned" if value == math.inf else value for name, value in content.items()}
    print(json.dumps(finite, ensure_ascii=True))


def show_memories(memories: Sequence[Memory], as_json: bool) -> None:
    """Print one memory a line."""
    for memory in memories:
        if as_json:
            show_json(asdict(memory))
        else:
            show_row(memory.memory_id, memory.text)
