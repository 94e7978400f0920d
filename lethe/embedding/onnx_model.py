"""The embedder of a directory that was written from a package's files, run by onnxruntime."""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

PACKAGED = "files of a package"
"""Source of such an embedder in its description."""
GRAPH_FILE, TOKENIZER_FILE = "model.onnx", "tokenizer.json"


class OnnxModel:
    """A graph whose first output is a vector for each text or for each token, and its tokenizer.

    The vector of a text is the mean of those of its tokens, of unit length. A call takes one thread of
    several that may call at once.

    Args:
        max_tokens: where texts are cut; None where the tokenizer's file says how it truncates and pads.
    """

    def __init__(self, folder: Path, max_tokens: int | None = None) -> None:
        # onnxruntime sends usage statistics unless this is set before it is imported.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        from onnxruntime import InferenceSession, SessionOptions
        from tokenizers import Tokenizer

        options = SessionOptions()
        options.intra_op_num_threads = 1
        self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER_FILE))
        if max_tokens is not None:
            self._tokenizer.enable_truncation(max_tokens)
            self._tokenizer.enable_padding()
        self._session = InferenceSession(str(folder / GRAPH_FILE), options, providers=["CPUExecutionProvider"])
        self._inputs = {given.name for given in self._session.get_inputs()}

    def embed(self, texts: Sequence[str], batch_size: int | None = None) -> NDArray[np.float32]:
        """Vectors of `texts`, shape (n, dim), in batches of `batch_size`."""
        size = batch_size or max(1, len(texts))
        return np.concatenate([self._batch(texts[start : start + size]) for start in range(0, len(texts), size)])

    def _batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        encoded = self._tokenizer.encode_batch(list(texts))
        given = {
            "input_ids": np.array([text.ids for text in encoded], dtype=np.int64),
            "attention_mask": np.array([text.attention_mask for text in encoded], dtype=np.int64),
            "token_type_ids": np.array([text.type_ids for text in encoded], dtype=np.int64),
        }
        wanted = {name: values for name, values in given.items() if name in self._inputs}
        vectors: NDArray[np.float32] = self._session.run(None, wanted)[0]
        return vectors if vectors.ndim == 2 else _unit_means(vectors, given["attention_mask"])


def _unit_means(vectors: NDArray[np.float32], mask: NDArray[np.int64]) -> NDArray[np.float32]:
    """The means of the tokens' vectors that the mask marks, of unit length, rounded once."""
    sums = np.sum(vectors, axis=1, where=mask[:, :, np.newaxis].astype(bool), dtype=np.float64)
    means = sums / mask.sum(axis=1, keepdims=True)
    unit: NDArray[np.float32] = (means / np.linalg.norm(means, axis=1, keepdims=True)).astype(np.float32)
    return unit
