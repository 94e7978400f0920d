"""The embedder: texts to unit vectors by a fastembed model, and the cache of vectors that a suite was embedded to."""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lethe.errors import LetheError

Vectors = NDArray[np.float32]
DESCRIPTION_FILE = "embedder.json"


class Embedder(Protocol):
    """Anything that turns n texts into a float32 array of shape (n, dim) with unit rows."""

    @property
    def dim(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors: ...


@dataclass(frozen=True, slots=True)
class EmbedderDescription:
    """What a model directory holds: written once by the rule that prepares it, read by every process."""

    name: str
    source: str
    dim: int
    max_tokens: int
    sha256: str

    def write(self, folder: Path) -> None:
        (folder / DESCRIPTION_FILE).write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> "EmbedderDescription":
        """Raises LetheError where the directory was not prepared."""
        path = folder / DESCRIPTION_FILE
        try:
            return cls(**json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError) as error:
            raise LetheError(f"{path}: not a prepared embedder ({error}); run `snakemake {folder}`") from error


class FastEmbedder:
    """A fastembed model from a prepared directory, on `threads` CPU threads; loaded at the first text."""

    def __init__(self, folder: Path, threads: int = 1, batch_size: int = 64) -> None:
        self.folder, self.threads, self.batch_size = folder, threads, batch_size
        self.description = EmbedderDescription.read(folder)
        self._model: Any = None

    @property
    def dim(self) -> int:
        return self.description.dim

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of `texts`, shape (n, dim). Longest first, so that a batch pads little."""
        vectors = np.empty((len(texts), self.dim), dtype=np.float32)
        for positions, batch in self.embed_in_batches(texts):
            vectors[positions] = batch
        return vectors

    def embed_in_batches(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Vectors]]:
        """Yield (positions in `texts`, their vectors) batch by batch, for callers that show progress."""
        order = sorted(range(len(texts)), key=lambda position: -len(texts[position]))
        for start in range(0, len(order), self.batch_size):
            positions = order[start : start + self.batch_size]
            embedded = self._load().embed([texts[p] for p in positions], batch_size=self.batch_size)
            vectors = np.array(list(embedded), dtype=np.float32)
            yield positions, vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def _load(self) -> Any:
        if self._model is None:
            # onnxruntime reports to its maker unless this is set before it is imported.
            os.environ["ORT_DISABLE_TELEMETRY"] = "1"
            from fastembed import TextEmbedding

            local: dict[str, Any] = (
                {"specific_model_path": str(self.folder)} if self.description.source == "package" else {}
            )
            self._model = TextEmbedding(
                self.description.name,
                cache_dir=str(self.folder),
                local_files_only=True,
                threads=self.threads,
                **local,
            )
        return self._model


class CachedEmbedder:
    """Vectors that are known already, and an embedder for those that are not; each text is embedded once."""

    def __init__(self, known: dict[str, Vectors], embedder: Embedder) -> None:
        self._known, self._embedder = known, embedder
        self.new_texts = 0

    @property
    def dim(self) -> int:
        return self._embedder.dim

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of `texts`, shape (n, dim)."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self.new_texts += len(new)
            self._known.update(zip(new, self._embedder.embed(new), strict=True))
        if not texts:
            return np.empty((0, self.dim), dtype=np.float32)
        return np.stack([self._known[text] for text in texts])
