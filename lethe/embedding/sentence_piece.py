"""The file of a SentencePiece model, read without SentencePiece: its pieces and its rule of normalisation."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

_PIECE, _NORMALIZER = 1, 3
_TEXT, _SCORE, _CHARSMAP = 1, 2, 2
_VARINT, _EIGHT_BYTES, _LENGTH, _FOUR_BYTES = 0, 1, 2, 5


@dataclass(frozen=True, slots=True)
class SentencePieceModel:
    """Pieces with their scores, and the rule of normalisation as SentencePiece compiles it."""

    pieces: list[tuple[str, float]]
    charsmap: bytes


def read_sentence_piece(content: bytes) -> SentencePieceModel:
    """Read a model; raises ValueError if it is no message of this kind."""
    pieces: list[tuple[str, float]] = []
    charsmap = b""
    for number, value in _fields(content):
        if number == _PIECE:
            piece = dict(_fields(value))
            pieces.append((piece[_TEXT].decode("utf-8"), struct.unpack("<f", piece.get(_SCORE, bytes(4)))[0]))
        elif number == _NORMALIZER:
            charsmap = dict(_fields(value)).get(_CHARSMAP, b"")
    return SentencePieceModel(pieces, charsmap)


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Number and content of each field of a protocol-buffer message that is no varint."""
    position = 0
    while position < len(message):
        key, position = _varint(message, position)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            _, position = _varint(message, position)
            continue
        if kind == _LENGTH:
            length, position = _varint(message, position)
        else:
            length = {_EIGHT_BYTES: 8, _FOUR_BYTES: 4}.get(kind, -1)
        if length < 0 or position + length > len(message):
            raise ValueError("not a SentencePiece model")
        yield number, message[position : position + length]
        position += length


def _varint(message: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[position]
        value |= (byte & 127) << shift
        shift, position = shift + 7, position + 1
        if not byte & 128:
            return value, position
