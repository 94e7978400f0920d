"""The file of a SentencePiece model, read without SentencePiece: its pieces and its rule of normalisation."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from forgeteval.embed.protobuf import fields

_PIECE, _NORMALIZER = 1, 3
_TEXT, _SCORE, _CHARSMAP = 1, 2, 2


@dataclass(frozen=True, slots=True)
class SentencePieceModel:
    """Pieces with their scores, and the rule of normalisation as SentencePiece compiles it."""

    pieces: list[tuple[str, float]]
    charsmap: bytes


def read_sentence_piece(content: bytes) -> SentencePieceModel:
    """Read a model; raises ValueError if it is not a message of this kind."""
    pieces: list[tuple[str, float]] = []
    charsmap = b""
    for number, value in _contents(content):
        if number == _PIECE:
            piece = dict(_contents(value))
            pieces.append((piece[_TEXT].decode("utf-8"), struct.unpack("<f", piece.get(_SCORE, bytes(4)))[0]))
        elif number == _NORMALIZER:
            charsmap = dict(_contents(value)).get(_CHARSMAP, b"")
    return SentencePieceModel(pieces, charsmap)


def _contents(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Number and content of each field that is not an integer."""
    found = fields(memoryview(message))
    yield from ((number, bytes(value)) for number, value in found if isinstance(value, memoryview))
