"""What every ONNX graph that is built here is collected in."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_OPSET, _IR_VERSION = 20, 9


class Graph:
    """The nodes and constants of a graph; methods that add one return the name of its output tensor."""

    def __init__(self) -> None:
        from onnx import NodeProto, TensorProto

        self.nodes: dict[str, NodeProto] = {}
        self.initializers: dict[str, TensorProto] = {}

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        """A constant; one that is already there is used again."""
        from onnx import numpy_helper

        if name not in self.initializers:
            self.initializers[name] = numpy_helper.from_array(value, name)
        return name

    def node(self, op: str, inputs: Sequence[str], output: str, **attributes: Any) -> str:
        """A node; one that is already there is used again."""
        from onnx import helper

        if output not in self.nodes:
            self.nodes[output] = helper.make_node(op, inputs, [output], name=output, **attributes)
        return output

    def kept_tokens(self) -> str:
        """1 for tokens and 0 for padding; shape (batch, sequence)."""
        from onnx import TensorProto

        return self.node("Cast", ["attention_mask"], "mask_float", to=TensorProto.FLOAT)

    def serialised(self, inputs: Sequence[str], output: str, shape: Sequence[str | int]) -> bytes:
        """The model: inputs are int64 of shape (batch, sequence), the output is float32 of `shape`."""
        from onnx import TensorProto, helper

        given = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "sequence"]) for name in inputs]
        result = helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)
        model = helper.make_model(
            helper.make_graph(list(self.nodes.values()), "embedder", given, [result], list(self.initializers.values())),
            opset_imports=[helper.make_opsetid("", _OPSET)],
            ir_version=_IR_VERSION,
        )
        serialised: bytes = model.SerializeToString()
        return serialised
