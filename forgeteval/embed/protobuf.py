"""Reading protocol-buffer messages, as far as files of models need it."""

from collections.abc import Iterator

_VARINT, _EIGHT_BYTES, _LENGTH, _FOUR_BYTES = 0, 1, 2, 5
"""Wire types."""


def fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Number and value of each field of a message: an integer, or bytes of whatever else it is.

    Raises:
        ValueError: where the message is cut off.
    """
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
            raise ValueError("no whole protocol-buffer message")
        yield number, message[position : position + length]
        position += length


def varints(packed: memoryview) -> list[int]:
    """The integers of a packed field."""
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
    raise ValueError("no whole protocol-buffer message")
