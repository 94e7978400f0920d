"""The embedder of the workflow: unit vectors of texts by a prepared model."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from forgeteval.embed.embedder import Vectors
from forgeteval.errors import UserError
from lethe.embedding.onnx_model import GRAPH_FILE, PACKAGED, TOKENIZER_FILE, OnnxModel
from lethe.fingerprints import sha256_of
from lethe.installed import require

DESCRIPTION_FILE = "embedder.json"


@dataclass(frozen=True, slots=True)
class EmbedderDescription:
    """Description of a model directory, written when that is prepared and read by every process.

    Attributes:
        sha256: of the weights that the model was made of.
        files: checksums of graph and tokenizer; none of a model from the hub.
    """

    name: str
    source: str
    dim: int
    max_tokens: int
    sha256: str
    files: Mapping[str, str] = field(default_factory=dict, compare=False)

    def write(self, folder: Path) -> None:
        """Write it beside the files that it describes."""
        there = [folder / name for name in (GRAPH_FILE, TOKENIZER_FILE) if (folder / name).is_file()]
        described = replace(self, files={path.name: sha256_of(path) for path in there})
        (folder / DESCRIPTION_FILE).write_text(json.dumps(asdict(described), indent=1) + "\n", encoding="utf-8")

    def check(self, folder: Path) -> None:
        """Raise UserError where a file of the model is gone, or is no longer what was prepared."""
        for name, sha256 in self.files.items():
            if not (folder / name).is_file() or sha256_of(folder / name) != sha256:
                raise UserError(f"{folder / name}: not what was prepared; remove {folder} and run the workflow again")

    @classmethod
    def read(cls, folder: Path) -> "EmbedderDescription":
        """Read the description in `folder`; raises UserError if the directory was not prepared."""
        path = folder / DESCRIPTION_FILE
        try:
            return cls(**json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError) as error:
            raise UserError(
                f"{path}: not a prepared embedder ({error}); remove it and run the workflow again"
            ) from error


def embedder_row(name: str, source: str, languages: str, folder: Path) -> dict[str, Any]:
    """A row of `lethe.schemas.EMBEDDERS`.

    Args:
        folder: where the embedder was prepared.
    """
    description = EmbedderDescription.read(folder)
    return {
        "embedder": name,
        "source": source,
        "languages": languages,
        "dim": description.dim,
        "max_tokens": description.max_tokens,
        "bytes": sum(path.stat().st_size for path in folder.rglob("*.onnx*")),
        "sha256": description.sha256,
    }


class FastEmbedder:
    """The model of a prepared directory, loaded on first use; it embeds `threads` batches at once."""

    def __init__(self, folder: Path, threads: int = 1, batch_size: int = 8) -> None:
        self.folder, self.threads, self.batch_size = folder, threads, batch_size
        self.description = EmbedderDescription.read(folder)
        self._model: Any = None

    @property
    def dim(self) -> int:
        return self.description.dim

    @property
    def name(self) -> str:
        """Names the vectors that it gives: the model, where it cuts texts, and its weights."""
        return f"{self.description.name} to {self.description.max_tokens} tokens, {self.description.sha256}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of `texts`, shape (n, dim)."""
        vectors = np.empty((len(texts), self.dim), dtype=np.float32)
        for positions, batch in self.embed_in_batches(texts):
            vectors[positions] = batch
        return vectors

    def embed_in_batches(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Vectors]]:
        """Yield (positions in `texts`, their vectors) batch by batch, longest texts first to save padding."""
        order = sorted(range(len(texts)), key=lambda position: -len(texts[position]))
        batches = [order[start : start + self.batch_size] for start in range(0, len(order), self.batch_size)]
        in_each = [[texts[position] for position in positions] for positions in batches]
        if self.threads == 1 or len(batches) < 2:
            yield from zip(batches, map(self._embed, in_each), strict=True)
            return
        self._load()
        # The model's own threads would share each batch, and spin where one waits for another.
        pool = ThreadPoolExecutor(self.threads)
        try:
            yield from zip(batches, pool.map(self._embed, in_each), strict=True)
        finally:
            pool.shutdown(cancel_futures=True)

    def _embed(self, batch: Sequence[str]) -> Vectors:
        embedded = self._load().embed(batch, batch_size=self.batch_size)
        vectors = np.array(list(embedded), dtype=np.float32)
        unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit

    def _load(self) -> Any:
        source = self.description.source
        if self._model is None and source in (PACKAGED, "package"):
            cut = self.description.max_tokens if source == "package" else None
            self.description.check(self.folder)
            self._model = OnnxModel(self.folder, cut)
        elif self._model is None:
            require("hub", self.description.name)
            # onnxruntime sends usage statistics unless this is set before it is imported.
            os.environ["ORT_DISABLE_TELEMETRY"] = "1"
            from fastembed import TextEmbedding

            self._model = TextEmbedding(
                self.description.name, cache_dir=str(self.folder), local_files_only=True, threads=1
            )
        return self._model
