"""The weights in an ONNX file, read without the library onnx."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

_GRAPH, _INITIALIZER = 7, 5
_DIMS, _DATA_TYPE, _NAME, _RAW_DATA = 1, 2, 8, 9
"""Numbers of the fields in ModelProto, GraphProto and TensorProto."""
_TYPES: Mapping[int, np.dtype[Any]] = {1: np.dtype("<f4"), 3: np.dtype("i1")}
_VARINT, _EIGHT_BYTES, _LENGTH, _FOUR_BYTES = 0, 1, 2, 5
"""Wire types of protocol buffers."""

Tensors = dict[str, NDArray[np.generic]]


def read_tensors(content: bytes) -> Tensors:
    """The graph's constants of type float32 and int8 by their names, in the order of the file.

    Raises:
        ValueError: if the content is cut off, or is no protocol-buffer message.
    """
    tensors: Tensors = {}
    for number, graph in _fields(memoryview(content)):
        if number == _GRAPH and isinstance(graph, memoryview):
            for inner, tensor in _fields(graph):
                if inner == _INITIALIZER and isinstance(tensor, memoryview):
                    tensors.update(_tensor(tensor))
    return tensors


def _tensor(message: memoryview) -> Tensors:
    """The tensor by its name, or nothing if it is of another type."""
    name, kind, raw = "", 0, memoryview(b"")
    dims: list[int] = []
    for number, value in _fields(message):
        if number == _DIMS:
            dims += [value] if isinstance(value, int) else _varints(value)
        elif number == _DATA_TYPE and isinstance(value, int):
            kind = value
        elif number == _NAME and isinstance(value, memoryview):
            name = bytes(value).decode("utf-8")
        elif number == _RAW_DATA and isinstance(value, memoryview):
            raw = value
    if kind not in _TYPES or not raw:
        return {}
    return {name: np.frombuffer(raw, dtype=_TYPES[kind]).reshape(dims)}


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Number and value of each field of a message."""
    position = 0
    while position < len(message):
        key, position = _varint(message, position)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, position = _varint(message, position)
            yield number, value
            continue
        if kind == _LENGTH:
            length, position = _varint(message, position)
        else:
            length = {_EIGHT_BYTES: 8, _FOUR_BYTES: 4}.get(kind, -1)
        if length < 0 or position + length > len(message):
            raise ValueError("no whole ONNX file")
        yield number, message[position : position + length]
        position += length


def _varints(packed: memoryview) -> list[int]:
    numbers, position = [], 0
    while position < len(packed):
        number, position = _varint(packed, position)
        numbers.append(number)
    return numbers


def _varint(message: memoryview, position: int) -> tuple[int, int]:
    value = shift = 0
    while position < len(message):
        byte = message[position]
        value |= (byte & 127) << shift
        shift, position = shift + 7, position + 1
        if not byte & 128:
            return value, position
    raise ValueError("no whole ONNX file")
