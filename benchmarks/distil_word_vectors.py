"""Makes the vectors of the store's default embedder.

    python benchmarks/distil_word_vectors.py lethe/store/word_vectors.npz

Each piece of BERT's vocabulary alone is embedded by all-MiniLM-L6-v2 (the package of the extra `embed`). The vectors
are turned to their first 256 principal axes and weighted by the logarithm of the piece's rank, which follows how rare
it is. It takes two minutes of one core; the file differs between machines by what float32 rounds.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from forgeteval.embed.minilm import default_embedder, vocabulary
from lethe.store.word_vectors import DIM

_FIRST_PIECE = 999
"""What stands before in the vocabulary is not a piece of a text."""
NAMES = vocabulary()


def main(target: Path) -> None:
    names = NAMES[_FIRST_PIECE:]
    vectors = alone(np.arange(_FIRST_PIECE, _FIRST_PIECE + len(names))).astype(np.float64)
    vectors -= vectors.mean(axis=0)
    _, _, axes = np.linalg.svd(vectors, full_matrices=False)
    vectors = vectors @ axes[:DIM].T * np.log(2 + np.arange(len(names)))[:, None]
    vectors /= np.linalg.norm(vectors, axis=1).max()
    write(target, names, vectors)


def alone(pieces: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
    """What the model gives for each of these pieces between the marks that open and close a text."""
    tokenizer, encoder = default_embedder()._load()
    opening, closing = tokenizer.tokens("")
    texts = np.stack([np.full_like(pieces, opening), pieces, np.full_like(pieces, closing)], axis=1)
    return np.concatenate([encoder.mean_over_tokens(part) for part in np.array_split(texts, len(texts) // 512 + 1)])


def write(target: Path, names: list[str], vectors: "np.ndarray[tuple[int, int], np.dtype[np.float64]]") -> None:
    """Write vectors in 4 bits, with a scale for each piece: the one of 16 that is off by least."""
    best, scales = np.full(len(vectors), np.inf), np.zeros(len(vectors))
    highest = np.abs(vectors).max(axis=1)
    for share in np.linspace(0.3, 1.0, 16):
        tried = highest * share / 7
        off = ((np.clip(np.round(vectors / tried[:, None]), -8, 7) * tried[:, None] - vectors) ** 2).sum(axis=1)
        scales = np.where(off < best, tried, scales)
        best = np.minimum(off, best)
    scales = scales.astype(np.float16)
    values = (np.clip(np.round(vectors / scales.astype(np.float64)[:, None]), -8, 7) + 8).astype(np.uint8)
    packed = values[:, ::2] | values[:, 1::2] << 4
    text = np.frombuffer("\n".join(names).encode(), dtype=np.uint8)
    np.savez_compressed(target, names=text, values=packed, scales=scales)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
