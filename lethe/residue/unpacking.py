"""What stands packed in a file: streams of gzip, zlib, bzip2, xz, zstd and LZ4, members of a zip archive, Parquet.

Snappy and LZ4 blocks without a header keep what repeats nothing as it is, and a random marker repeats nothing: it is
found without unpacking them.
"""

import bz2
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from typing import Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from forgeteval.foreign import room

_MOST_BYTES = 256 << 20
_BEGINNING = 1 << 16
_PARQUET = b"PAR1"
_PARQUET_ROOM = 4 * _MOST_BYTES
"""Memory in which a file is read."""
_ZIP_HEADER = 30
_READS = (1 << 20, 1 << 12, 1 << 6, 1)
"""Bytes that are read at once, and after a failure."""


class _Decompressor(Protocol):
    def decompress(self, data: memoryview, max_length: int = ..., /) -> bytes: ...


def unpacked(data: bytes) -> Iterator[tuple[str, bytes]]:
    """(form, content) of everything packed in `data`, one level deep, of at most 256 MiB each."""
    if data[:4] == _PARQUET == data[-4:]:
        content = _parquet(data)
        if content:
            yield "Parquet", content
            return
    for form, pattern, unpack in _STREAMS:
        for match in pattern.finditer(data):
            content = unpack(data, match.start())
            if content:
                yield form, content


def _by(make: Callable[[], _Decompressor]) -> Callable[[bytes, int], bytes]:
    def unpack(data: bytes, start: int) -> bytes:
        packed = memoryview(data)[start:]
        try:
            # What only begins as a stream does fails here, before the rest is copied.
            make().decompress(packed[:_BEGINNING], 1 << 16)
            return make().decompress(packed, _MOST_BYTES)
        except (OSError, ValueError, EOFError, zlib.error, lzma.LZMAError):
            return b""

    return unpack


def _by_arrow(codec: str) -> Callable[[bytes, int], bytes]:
    def unpack(data: bytes, start: int) -> bytes:
        content = io.BytesIO()
        # What follows a stream breaks the read that comes to it, with all that it would have given.
        for size in _READS:
            try:
                with pa.CompressedInputStream(pa.BufferReader(pa.py_buffer(data).slice(start)), codec) as stream:
                    stream.read(content.tell())
                    while (chunk := stream.read(size)) and content.tell() < _MOST_BYTES:
                        content.write(chunk)
                    return content.getvalue()
            except (OSError, ValueError, pa.ArrowException):
                continue
        return content.getvalue()

    return unpack


def _zip_member(data: bytes, start: int) -> bytes:
    names = sum(int.from_bytes(data[start + at : start + at + 2], "little") for at in (26, 28))
    return _by(lambda: zlib.decompressobj(-15))(data, start + _ZIP_HEADER + names)


_STREAMS: tuple[tuple[str, re.Pattern[bytes], Callable[[bytes, int], bytes]], ...] = (
    ("gzip", re.compile(b"\x1f\x8b\x08"), _by(lambda: zlib.decompressobj(31))),
    ("zlib", re.compile(b"\x78[\x01\x5e\x9c\xda]"), _by(lambda: zlib.decompressobj(15))),
    ("bzip2", re.compile(b"BZh[1-9]1AY"), _by(bz2.BZ2Decompressor)),
    ("xz", re.compile(b"\xfd7zXZ\x00"), _by(lzma.LZMADecompressor)),
    ("zstd", re.compile(re.escape(b"\x28\xb5\x2f\xfd")), _by_arrow("zstd")),
    ("LZ4", re.compile(b"\x04\x22\x4d\x18"), _by_arrow("lz4")),
    ("zip", re.compile(b"PK\x03\x04.{4}\x08\x00", re.DOTALL), _zip_member),
)
"""Each kind of stream, how it begins, and what unpacks it."""


def _parquet(data: bytes) -> bytes:
    """The values of all columns, numbers and texts as Arrow lays them out."""
    try:
        with room(_PARQUET_ROOM):
            table = pq.read_table(pa.BufferReader(data))
    except (OSError, MemoryError, ValueError, pa.ArrowException):
        return b""
    chunks = (chunk for column in table.columns for chunk in column.chunks)
    return b"\n".join(buffer.to_pybytes() for chunk in chunks for buffer in chunk.buffers() if buffer is not None)
