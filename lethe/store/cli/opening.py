"""What the commands `lethe` share: their options, and opening the store of a file."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt
import typer

from lethe.store import Store, read_key
from lethe.store.connection import made_with
from lethe.store.errors import LetheError

StoreFile = Annotated[Path, typer.Argument(help="the file of the store")]
Owner = Annotated[str | None, typer.Option(help="only what belongs to this owner")]
Session = Annotated[str | None, typer.Option(help="only what was told in this session")]
Source = Annotated[str | None, typer.Option(help="only what came from this source")]
KeyFile = Annotated[Path | None, typer.Option("--key", help="file of the store's key (`lethe key` makes one)")]
Json = Annotated[bool, typer.Option("--json", help="print JSON, one object a line")]
WORDS = "words"
_DIM = 384
_Vectors = npt.NDArray[np.float32]


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
    if embedder not in (None, WORDS):
        raise LetheError(f"--embedder: {embedder!r} is none; give {WORDS}")
    dim, name = made_with(path) if path.exists() or embedder is None else (_DIM, embedder)
    held = None if key is None else read_key(key)
    with Store(path, embed=lambda texts: _embed(name, texts), dim=dim, key=held, embedder=embedder) as store:
        try:
            yield store.within(owner=owner, session=session, source=source)
        except (ValueError, LookupError) as error:
            raise LetheError(f"store {path}: {error.args[0] if error.args else error}") from error


def _embed(name: str | None, texts: Sequence[str]) -> _Vectors:
    if name == WORDS:
        return hashed_words(texts)
    raise LetheError(f"the store was made with the embedder {name!r}, which the command line has not; use the library")


def hashed_words(texts: Sequence[str]) -> _Vectors:
    """(n, 384) unit vectors without a model: each word counts in the place and with the sign that its hash says."""
    vectors = np.zeros((len(texts), _DIM), dtype=np.float32)
    for vector, text in zip(vectors, texts, strict=True):
        for word in text.lower().split() or [""]:
            number = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "little")
            vector[number % _DIM] += 1.0 if number & 1 << 31 else -1.0
        vector[0] += 1e-3  # two words may cancel each other
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors
