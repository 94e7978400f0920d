"""The Parquet file of a suite's vectors, with each distinct text once."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from forgeteval.embed.embedder import Vectors
from lethe.embedding.embedder import FastEmbedder
from lethe.parquet import read_arrow, write_arrow
from lethe.schemas import VECTORS


def embed_texts(
    path: Path,
    texts: Sequence[str],
    embedder: FastEmbedder,
    producer: str,
    advance: Callable[[int], object],
    known: Mapping[str, Vectors] | None = None,
) -> None:
    """Embed each distinct text once and write texts and vectors to `path`.

    Args:
        advance: told of each n more texts that are done.
        known: vectors, by the same embedder, of texts that need not be embedded again.
    """
    known, distinct = known or {}, list(dict.fromkeys(texts))
    vectors = np.empty((len(distinct), embedder.dim), dtype=np.float32)
    new = []
    for position, text in enumerate(distinct):
        if text in known:
            vectors[position] = known[text]
        else:
            new.append(position)
    advance(len(distinct) - len(new))
    for positions, batch in embedder.embed_in_batches([distinct[position] for position in new]):
        vectors[[new[position] for position in positions]] = batch
        advance(len(positions))
    offsets = pa.array(np.arange(len(distinct) + 1, dtype=np.int32) * embedder.dim)
    column = pa.ListArray.from_arrays(offsets, pa.array(vectors.ravel()))
    write_arrow(path, VECTORS, pa.table([pa.array(distinct, pa.string()), column], schema=VECTORS.arrow), producer)


def read_vectors(path: Path) -> dict[str, Vectors]:
    """The unit vector of each text, shape (dim,)."""
    data = read_arrow(path, VECTORS).combine_chunks()
    texts = data["text"].to_pylist()
    flat = data["vector"].combine_chunks().flatten().to_numpy()
    return dict(zip(texts, flat.reshape(len(texts), -1), strict=True)) if texts else {}
