"""A BERT encoder as an ONNX graph, built from its weights without torch."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from lethe.embedding.onnx_graph import Graph

_LAYER_NORM_EPSILON = 1e-12

Weights = Mapping[str, NDArray[np.float32]]
"""Weights by the names that BertModel gives them."""


def encoder_graph(weights: Weights, layers: int, heads: int, *, pooled: bool = False) -> bytes:
    """The BERT encoder as a serialised ONNX model.

    Inputs `input_ids`, `attention_mask`, `token_type_ids` are int64 of shape (batch, sequence).

    Args:
        pooled: the output is the mean over each text's tokens, of shape (batch, dim), instead of `last_hidden_state`,
            of shape (batch, sequence, dim); it is not normalised.
    """
    graph = _Encoder(weights, heads)
    hidden = graph.embeddings()
    mask = graph.attention_bias()
    for layer in range(layers):
        hidden = graph.layer(f"encoder.layer.{layer}", hidden, mask)
    inputs = ["input_ids", "attention_mask", "token_type_ids"]
    if pooled:
        return graph.serialised(inputs, graph.mean_over_tokens(hidden), ["batch", graph.dim])
    output = graph.node("Identity", [hidden], "last_hidden_state")
    return graph.serialised(inputs, output, ["batch", "sequence", graph.dim])


class _Encoder(Graph):
    """The parts of the encoder."""

    def __init__(self, weights: Weights, heads: int) -> None:
        super().__init__()
        self.weights = weights
        self.dim = len(weights["embeddings.LayerNorm.weight"])
        self.constant("split_heads", np.array([0, 0, heads, self.dim // heads], dtype=np.int64))
        self.constant("join_heads", np.array([0, 0, self.dim], dtype=np.int64))
        self.constant("head_scale", np.array(1 / np.sqrt(self.dim // heads), dtype=np.float32))

    def weight(self, name: str) -> str:
        return self.constant(name, self.weights[name])

    def linear(self, name: str, hidden: str, output: str) -> str:
        kernel = self.constant(f"{name}.kernel", np.ascontiguousarray(self.weights[f"{name}.weight"].T))
        product = self.node("MatMul", [hidden, kernel], f"{output}.product")
        return self.node("Add", [product, self.weight(f"{name}.bias")], output)

    def layer_norm(self, name: str, hidden: str, output: str) -> str:
        inputs = [hidden, self.weight(f"{name}.weight"), self.weight(f"{name}.bias")]
        return self.node("LayerNormalization", inputs, output, axis=-1, epsilon=_LAYER_NORM_EPSILON)

    def embeddings(self) -> str:
        words = self.node("Gather", [self.weight("embeddings.word_embeddings.weight"), "input_ids"], "words")
        types = self.node("Gather", [self.weight("embeddings.token_type_embeddings.weight"), "token_type_ids"], "types")
        shape = self.node("Shape", ["input_ids"], "ids_shape")
        one = self.constant("one", np.array([1], dtype=np.int64))
        two = self.constant("two", np.array([2], dtype=np.int64))
        zero = self.constant("zero", np.array([0], dtype=np.int64))
        length = self.node("Slice", [shape, one, two], "length")
        table = self.weight("embeddings.position_embeddings.weight")
        positions = self.node("Slice", [table, zero, length, zero], "positions")
        typed = self.node("Add", [words, types], "typed_words")
        summed = self.node("Add", [typed, positions], "embedding_sum")
        return self.layer_norm("embeddings.LayerNorm", summed, "embedded")

    def attention_bias(self) -> str:
        """0 for tokens and the lowest float for padding; shape (batch, 1, 1, sequence)."""
        kept = self.kept_tokens()
        one = self.constant("one_float", np.array(1.0, dtype=np.float32))
        lowest = self.constant("lowest", np.array(np.finfo(np.float32).min, dtype=np.float32))
        padding = self.node("Sub", [one, kept], "padding")
        bias = self.node("Mul", [padding, lowest], "padding_bias")
        axes = self.constant("mask_axes", np.array([1, 2], dtype=np.int64))
        return self.node("Unsqueeze", [bias, axes], "attention_bias")

    def heads(self, name: str, hidden: str, permutation: list[int]) -> str:
        projected = self.linear(name, hidden, f"{name}.projected")
        split = self.node("Reshape", [projected, "split_heads"], f"{name}.split")
        return self.node("Transpose", [split], f"{name}.heads", perm=permutation)

    def layer(self, name: str, hidden: str, mask: str) -> str:
        attention = f"{name}.attention"
        query = self.heads(f"{attention}.self.query", hidden, [0, 2, 1, 3])
        key = self.heads(f"{attention}.self.key", hidden, [0, 2, 3, 1])
        value = self.heads(f"{attention}.self.value", hidden, [0, 2, 1, 3])
        products = self.node("MatMul", [query, key], f"{attention}.products")
        scaled = self.node("Mul", [products, "head_scale"], f"{attention}.scaled")
        masked = self.node("Add", [scaled, mask], f"{attention}.masked")
        shares = self.node("Softmax", [masked], f"{attention}.shares", axis=-1)
        mixed = self.node("MatMul", [shares, value], f"{attention}.mixed")
        ordered = self.node("Transpose", [mixed], f"{attention}.ordered", perm=[0, 2, 1, 3])
        joined = self.node("Reshape", [ordered, "join_heads"], f"{attention}.joined")
        attended = self.linear(f"{attention}.output.dense", joined, f"{attention}.attended")
        residual = self.node("Add", [attended, hidden], f"{attention}.residual")
        normed = self.layer_norm(f"{attention}.output.LayerNorm", residual, f"{attention}.normed")
        wide = self.linear(f"{name}.intermediate.dense", normed, f"{name}.wide")
        activated = self.node("Gelu", [wide], f"{name}.activated")
        narrow = self.linear(f"{name}.output.dense", activated, f"{name}.narrow")
        summed = self.node("Add", [narrow, normed], f"{name}.residual")
        return self.layer_norm(f"{name}.output.LayerNorm", summed, f"{name}.output")

    def mean_over_tokens(self, hidden: str) -> str:
        axes = self.constant("sequence_axis", np.array([1], dtype=np.int64))
        last = self.constant("last_axis", np.array([-1], dtype=np.int64))
        kept = self.node("Unsqueeze", [self.kept_tokens(), last], "kept_tokens")
        total = self.node("ReduceSum", [self.node("Mul", [hidden, kept], "kept_hidden"), axes], "total", keepdims=0)
        tokens = self.node("ReduceSum", [kept, axes], "tokens", keepdims=0)
        return self.node("Div", [total, tokens], "sentence")
