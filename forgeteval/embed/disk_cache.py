"""An embedder that keeps its vectors for later runs."""

import hashlib
import re
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from forgeteval.embed.cache_folder import cache_folder
from forgeteval.embed.embedder import CachedEmbedder, Embedder, Vectors, check_texts
from forgeteval.embed.vector_file import VectorFile

_BATCH = 128
_LONGEST_NAME = 60


class DiskCache:
    """An embedder in front of another one: each text is embedded once, by whichever run sees it first.

    The vectors are in one SQLite file for each name, which several processes may use at once. A file that is damaged,
    or of another dimension, is put aside; where nothing can be written, the vectors last as long as the object. Either
    is said in one line on stderr and stops nothing.

    Example:
        >>> embedder = DiskCache(default_embedder(), MiniLM.name)  # doctest: +SKIP
        >>> embedder.embed(["Karim gave up meat."]).shape  # doctest: +SKIP
        (1, 384)

    Args:
        name: says which vectors these are: model, version, and whatever else changes them. Vectors kept under a name
            are taken for this embedder's.
        folder: for the file; by default `vectors` in `cache_folder()`.
        batch_size: how many texts are embedded and written at once.
    """

    def __init__(self, embedder: Embedder, name: str, folder: Path | None = None, batch_size: int = _BATCH) -> None:
        self.name = name
        self.path = (folder or cache_folder() / "vectors") / _file_name(name)
        self._embedder, self._batch_size = embedder, batch_size
        self._known: dict[str, Vectors] = {}
        self.new_texts = 0
        """Texts that had to be embedded."""

    @property
    def dim(self) -> int:
        return self._embedder.dim

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of `texts`, shape (n, dim)."""
        check_texts(texts)
        self.prefetch(texts)
        if not texts:
            return np.empty((0, self.dim), dtype=np.float32)
        return np.stack([self._known[text] for text in texts])

    def prefetch(self, texts: Sequence[str], advance: Callable[[int], object] = lambda n: None) -> None:
        """Have the vectors of `texts` ready: read what is kept, embed the rest in batches, longest first.

        Args:
            advance: told of each n more distinct texts that are ready, as `forgeteval.progress` takes it.
        """
        distinct = dict.fromkeys(texts)
        unknown = [text for text in distinct if text not in self._known]
        if unknown:
            self._known |= self._file.read(unknown)
        new = sorted((text for text in unknown if text not in self._known), key=len, reverse=True)
        advance(len(distinct) - len(new))
        for start in range(0, len(new), self._batch_size):
            batch = new[start : start + self._batch_size]
            vectors = dict(zip(batch, self._embedder.embed(batch), strict=True))
            self._file.write(vectors)
            self._known |= vectors
            self.new_texts += len(batch)
            advance(len(batch))

    @cached_property
    def _file(self) -> VectorFile:
        # The dimension of some embedders is known only once they have embedded something.
        return VectorFile(self.path, self.dim)


def remembering(embedder: Embedder, folder: Path | None = None) -> DiskCache | CachedEmbedder:
    """The embedder with its vectors kept: on disk if it has a `name`, otherwise as long as the object lasts."""
    name = getattr(embedder, "name", None)
    return DiskCache(embedder, name, folder) if isinstance(name, str) and name else CachedEmbedder({}, embedder)


def _file_name(name: str) -> str:
    readable = re.sub(r"[^A-Za-z0-9.]+", "-", name)[:_LONGEST_NAME].strip("-.")
    return f"{readable}-{hashlib.sha256(name.encode()).hexdigest()[:16]}.sqlite"
