"""What turns texts into vectors: the default, those that have a name, and anybody's function."""

import functools
import hashlib
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lethe.store import word_vectors
from lethe.store.arguments import check_kind, integer
from lethe.store.errors import LetheError
from lethe.store.thresholds import FLOOR

Embed = Callable[[Sequence[str]], npt.NDArray[np.float32]]
DEFAULT, WORDS = word_vectors.NAME, "words"
_WORDS_DIM = 384
_MOST_AT_ONCE = 256
_PREFIXES = (
    ("multilingual-e5", "query: ", "passage: "),
    ("e5-", "query: ", "passage: "),
    ("nomic-embed-text", "search_query: ", "search_document: "),
    ("bge-large-en", "Represent this sentence for searching relevant passages: ", ""),
    ("bge-base-en", "Represent this sentence for searching relevant passages: ", ""),
    ("bge-small-en", "Represent this sentence for searching relevant passages: ", ""),
    ("mxbai-embed-large", "Represent this sentence for searching relevant passages: ", ""),
    ("snowflake-arctic-embed", "Represent this sentence for searching relevant passages: ", ""),
)
"""How the names of models begin that were trained with a prefix: that of a query, that of a document."""


@dataclass(frozen=True, slots=True)
class Embedder:
    """Turns n texts into an (n, `dim`) float32 array of unit vectors: texts that are stored, and what is asked for.

    Attributes:
        name: what the file keeps, so that another embedder is refused; None for a function without one.
        floor: the similarity from which a memory meets a request (`benchmarks/store_floor.py`).
    """

    name: str | None
    dim: int
    documents: Embed
    queries: Embed
    floor: float = FLOOR

    def __post_init__(self) -> None:
        if not 1 <= self.dim <= 8192:
            raise ValueError(f"dim must lie between 1 and 8192, not {self.dim}")


def named(name: str, dim: int | None = None) -> Embedder:
    """The embedder of a name: `lethe-static-1`, `words`, `fastembed:MODEL` or `openai:MODEL`.

    The last two know the prefixes of queries and documents that their models were trained with, and are asked for a
    vector where `dim` is not given.

    Raises:
        LetheError: for another name, and where the package, the model or the key of the service is missing.
    """
    check_kind("an embedder's name", name, str)
    if name == DEFAULT:
        return Embedder(name, word_vectors.DIM, word_vectors.embed, word_vectors.embed, word_vectors.FLOOR)
    if name == WORDS:
        return Embedder(name, _WORDS_DIM, hashed_words, hashed_words)
    kind, _, model = name.partition(":")
    if model and kind in _SERVICES:
        stem = model.rpartition("/")[2].casefold()
        prefixes = next((pair for start, *pair in _PREFIXES if stem.startswith(start)), ["", ""])
        return of_function(_SERVICES[kind](model), dim, name, *prefixes)
    raise LetheError(f"embedder {name!r}: none of that name; give {DEFAULT}, {WORDS}, fastembed:MODEL or openai:MODEL")


def of_function(
    embed: Embed, dim: int | None, name: str | None = None, query_prefix: str = "", document_prefix: str = ""
) -> Embedder:
    """An embedder of somebody's function; without `dim`, it is asked for the vector of a word to learn that."""
    if dim is None:
        shape = called(embed, [document_prefix + "word"]).shape
        if len(shape) != 2:
            raise ValueError(f"the embedder returned an array of shape {shape}; a row for each text was asked for")
        dim = shape[1]
    return Embedder(name, integer("dim", dim), _prefixed(embed, document_prefix), _prefixed(embed, query_prefix))


def called(embed: Embed, texts: Sequence[str]) -> npt.NDArray[Any]:
    """What an embedder returns for texts, as an array; `ValueError` for what can be none."""
    given: Any = embed(texts)
    if inspect.iscoroutine(given):
        given.close()
        raise ValueError("the embedder is asynchronous; give a function that returns the vectors themselves")
    try:
        return np.asarray(given)
    except ValueError as error:
        raise ValueError(f"the embedder returned what is no array: {error}") from error


def _prefixed(embed: Embed, prefix: str) -> Embed:
    return (lambda texts: embed([prefix + text for text in texts])) if prefix else embed


def hashed_words(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """(n, 384) unit vectors without a model: each word counts in the place and with the sign that its hash says."""
    vectors = np.zeros((len(texts), _WORDS_DIM), dtype=np.float32)
    for vector, text in zip(vectors, texts, strict=True):
        for word in text.lower().split() or [""]:
            number = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "little")
            vector[number % _WORDS_DIM] += 1.0 if number & 1 << 31 else -1.0
        vector[0] += 1e-3  # two words may cancel each other
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def _fastembed(model: str) -> Embed:
    try:
        from fastembed import TextEmbedding
    except ImportError as error:
        raise LetheError(f"embedder fastembed:{model}: run pip install fastembed") from error

    @functools.cache
    def loaded() -> Any:
        try:
            return TextEmbedding(model)
        except Exception as error:
            raise LetheError(f"embedder fastembed:{model}: cannot be loaded ({error}); see its models") from error

    return lambda texts: _units(list(loaded().embed(list(texts))))


def _openai(model: str) -> Embed:
    try:
        from openai import OpenAI, OpenAIError
    except ImportError as error:
        raise LetheError(f"embedder openai:{model}: run pip install openai") from error

    def embed(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        found: list[Any] = []
        try:
            client = OpenAI()
            for start in range(0, len(texts), _MOST_AT_ONCE):
                answer = client.embeddings.create(model=model, input=list(texts[start : start + _MOST_AT_ONCE]))
                found += [item.embedding for item in sorted(answer.data, key=lambda item: item.index)]
        except OpenAIError as error:
            raise LetheError(f"embedder openai:{model}: {error}; is OPENAI_API_KEY right?") from error
        return _units(found)

    return embed


def _units(vectors: Sequence[Any]) -> npt.NDArray[np.float32]:
    found = np.array(vectors, dtype=np.float32)
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return found


_SERVICES: dict[str, Callable[[str], Embed]] = {"fastembed": _fastembed, "openai": _openai}
