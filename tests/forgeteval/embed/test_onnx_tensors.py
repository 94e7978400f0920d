"""Tensors are read as the library onnx wrote them."""

from typing import Any

import numpy as np
import pytest

from forgeteval.embed.onnx_tensors import read_tensors

onnx: Any = pytest.importorskip("onnx")
TENSORS = {
    "floats": np.arange(6, dtype=np.float32).reshape(2, 3),
    "bytes": np.array([[-128, 127]], dtype=np.int8),
    "number": np.array(1.5, dtype=np.float32),
    "positions": np.arange(4, dtype=np.int64),
}


def serialised() -> bytes:
    initializers = [onnx.numpy_helper.from_array(value, name) for name, value in TENSORS.items()]
    inputs = [onnx.helper.make_tensor_value_info("input", onnx.TensorProto.FLOAT, ["n"])]
    outputs = [onnx.helper.make_tensor_value_info("output", onnx.TensorProto.FLOAT, ["n"])]
    nodes = [onnx.helper.make_node("Identity", ["input"], ["output"])]
    graph = onnx.helper.make_graph(nodes, "graph", inputs, outputs, initializers)
    content: bytes = onnx.helper.make_model(graph).SerializeToString()
    return content


def test_floats_and_bytes_are_read_in_their_shape_and_order() -> None:
    found = read_tensors(serialised())
    assert list(found) == ["floats", "bytes", "number"]
    for name, values in found.items():
        np.testing.assert_array_equal(values, TENSORS[name])
        assert values.dtype == TENSORS[name].dtype


@pytest.mark.parametrize("length", [10, 60, 150])
def test_a_cut_file_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match="no whole protocol-buffer message"):
        read_tensors(serialised()[:length])
