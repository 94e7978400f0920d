"""The weights in an ONNX file, read without the library onnx."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forgeteval.embed.protobuf import fields, varints

_GRAPH, _INITIALIZER = 7, 5
_DIMS, _DATA_TYPE, _NAME, _RAW_DATA = 1, 2, 8, 9
"""Numbers of the fields in ModelProto, GraphProto and TensorProto."""
_TYPES: Mapping[int, np.dtype[Any]] = {1: np.dtype("<f4"), 3: np.dtype("i1")}

Tensors = dict[str, NDArray[np.generic]]


def read_tensors(content: bytes) -> Tensors:
    """The graph's constants of type float32 and int8 by their names, in the order of the file.

    Raises:
        ValueError: if the content is cut off, or is not a protocol-buffer message.
    """
    tensors: Tensors = {}
    for number, graph in fields(memoryview(content)):
        if number == _GRAPH and isinstance(graph, memoryview):
            for inner, tensor in fields(graph):
                if inner == _INITIALIZER and isinstance(tensor, memoryview):
                    tensors.update(_tensor(tensor))
    return tensors


def _tensor(message: memoryview) -> Tensors:
    """The tensor by its name, or nothing if it is of another type."""
    name, kind, raw = "", 0, memoryview(b"")
    dims: list[int] = []
    for number, value in fields(message):
        if number == _DIMS:
            dims += [value] if isinstance(value, int) else varints(value)
        elif number == _DATA_TYPE and isinstance(value, int):
            kind = value
        elif number == _NAME and isinstance(value, memoryview):
            name = bytes(value).decode("utf-8")
        elif number == _RAW_DATA and isinstance(value, memoryview):
            raw = value
    if kind not in _TYPES or not raw:
        return {}
    return {name: np.frombuffer(raw, dtype=_TYPES[kind]).reshape(dims)}
