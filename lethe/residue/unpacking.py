"""What stands packed in a file: streams of gzip, zlib, bzip2, xz, zstd and LZ4, members of a zip archive, Parquet.

Snappy and LZ4 blocks without a header keep what repeats nothing as it is, and a random marker repeats nothing: it is
found without unpacking them.
"""

import bz2
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from forgeteval.errors import UserError
from forgeteval.foreign import room

_MOST_BYTES = 256 << 20
_PARQUET = b"PAR1"
_PARQUET_ROOM = 4 * _MOST_BYTES
"""Memory in which a file is read."""
_ZIP_HEADER, _LZMA_HEADER = 30, 4
_DEFLATED = 8
_SIZE_NOT_KNOWN = b"\xff" * 8
_LZMA_ROOM = 1 << 30
_PIECE = 1 << 16
"""Packed bytes that are given to a stream at once, up to where it breaks."""
_READS = (1 << 20, 1 << 12, 1 << 6, 1)
"""Bytes that are read at once, and after a failure."""
_FEW = 1 << 20
"""Bytes that are worth a look of their own."""


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...

    def decompress(self, data: bytes, max_length: int = ..., /) -> bytes: ...


def unpacked(data: bytes) -> Iterator[tuple[str, bytes]]:
    """(form, content) of everything packed in `data`, one level deep; of what breaks off, the beginning.

    Raises:
        UserError: where something unpacks to more than is looked through.
    """
    if data[:4] == _PARQUET == data[-4:]:
        content = _parquet(data)
        if content:
            yield "Parquet", content
    for form, pattern, unpack in _STREAMS:
        for match in pattern.finditer(data):
            content = unpack(data, match.start())
            if len(content) > _MOST_BYTES:
                raise UserError(f"{form} at byte {match.start()} unpacks to more than {_MOST_BYTES >> 20} MiB")
            if content:
                yield form, content


def together(contents: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    """The same with small contents of a form in one, since each look takes its time, however little there is."""
    waiting: dict[str, bytearray] = {}
    for form, content in contents:
        if len(content) >= _FEW:
            yield form, content
            continue
        small = waiting.setdefault(form, bytearray())
        small += content + b"\n"
        if len(small) >= _FEW:
            yield form, bytes(waiting.pop(form))
    yield from ((form, bytes(small)) for form, small in waiting.items())


def _by(make: Callable[[], _Decompressor]) -> Callable[[bytes, int], bytes]:
    def unpack(data: bytes, start: int) -> bytes:
        content, broken = _fed(make(), data, start, len(data))
        return content if broken is None else _fed(make(), data, start, broken)[0]

    return unpack


def _fed(stream: _Decompressor, data: bytes, start: int, slow: int) -> tuple[bytes, int | None]:
    """What a stream gives that is fed in pieces, from `slow` on byte by byte; and the piece, if any, that breaks it and
    gives nothing."""
    content, at = io.BytesIO(), start
    while at < len(data) and not stream.eof and (left := _MOST_BYTES + 1 - content.tell()) > 0:
        end = _end(at, slow)
        try:
            content.write(stream.decompress(data[at:end], left))
        except (OSError, ValueError, EOFError, zlib.error, lzma.LZMAError):
            return content.getvalue(), at
        at = end
    return content.getvalue(), None


def _end(at: int, slow: int) -> int:
    return min(at + _PIECE, slow) if at < slow else at + 1


class _Pieces(io.RawIOBase):
    """A file that is read in such pieces; `last` is where the last one began."""

    def __init__(self, data: bytes, start: int, slow: int) -> None:
        self._data, self._at, self._slow = data, start, slow
        self.last = start

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        self.last, self._at = self._at, _end(self._at, self._slow)
        return self._data[self.last : self._at]


def _by_arrow(codec: str) -> Callable[[bytes, int], bytes]:
    def unpack(data: bytes, start: int) -> bytes:
        content, slow = io.BytesIO(), len(data)
        # What follows a stream breaks the read that comes to it, with all that it would have given.
        for size in _READS:
            source = _Pieces(data, start, slow)
            try:
                with pa.CompressedInputStream(pa.PythonFile(source, "r"), codec) as stream:
                    stream.read(content.tell())
                    while content.tell() <= _MOST_BYTES and (chunk := stream.read(size)):
                        content.write(chunk)
                    break
            except (OSError, ValueError, pa.ArrowException):
                slow = source.last
        return content.getvalue()

    return unpack


def _zip_member(data: bytes, start: int) -> bytes:
    """A member that is packed by DEFLATE or LZMA; the other ways begin as their streams do."""
    at = start + _ZIP_HEADER + sum(int.from_bytes(data[start + at : start + at + 2], "little") for at in (26, 28))
    if data[start + 8] == _DEFLATED:
        return _by(lambda: zlib.decompressobj(-15))(data, at)
    # Before the stream stand its version, the length of its properties, and these; its own format has its size, too.
    begins = at + _LZMA_HEADER + int.from_bytes(data[at + 2 : at + _LZMA_HEADER], "little")

    def opened() -> lzma.LZMADecompressor:
        stream = lzma.LZMADecompressor(lzma.FORMAT_ALONE, _LZMA_ROOM)
        stream.decompress(data[at + _LZMA_HEADER : begins] + _SIZE_NOT_KNOWN)
        return stream

    try:
        return _by(opened)(data, begins)
    except lzma.LZMAError:
        return b""


def _zlib_headers() -> bytes:
    """A pattern of the two bytes that such a stream begins with: a window, a level, and what makes them valid."""
    pairs = (bytes([window << 4 | 8, level << 6]) for window in range(8) for level in range(4))
    valid = (bytes([first, second + -(first << 8 | second) % 31]) for first, second in pairs)
    return b"|".join(map(re.escape, valid))


_STREAMS: tuple[tuple[str, re.Pattern[bytes], Callable[[bytes, int], bytes]], ...] = (
    ("gzip", re.compile(b"\x1f\x8b\x08"), _by(lambda: zlib.decompressobj(31))),
    ("zlib", re.compile(_zlib_headers()), _by(lambda: zlib.decompressobj(15))),
    ("bzip2", re.compile(b"BZh[1-9]1AY"), _by(bz2.BZ2Decompressor)),
    ("xz", re.compile(b"\xfd7zXZ\x00"), _by(lzma.LZMADecompressor)),
    ("zstd", re.compile(re.escape(b"\x28\xb5\x2f\xfd")), _by_arrow("zstd")),
    ("LZ4", re.compile(b"\x04\x22\x4d\x18"), _by_arrow("lz4")),
    ("zip", re.compile(b"PK\x03\x04.{4}[\x08\x0e]\x00", re.DOTALL), _zip_member),
)
"""Each kind of stream, how it begins, and what unpacks it."""


def _parquet(data: bytes) -> bytes:
    """The values of all columns, those of dictionaries among them, numbers and texts as Arrow lays them out."""
    # With its first buffer, Arrow's allocator takes a reserve that would leave no room to read in.
    pa.allocate_buffer(1)
    try:
        with room(_PARQUET_ROOM):
            table = pq.read_table(pa.BufferReader(data))
    except MemoryError:
        raise UserError(f"Parquet unpacks to more than {_PARQUET_ROOM >> 20} MiB") from None
    except (OSError, ValueError, pa.ArrowException):
        return b""
    content = io.BytesIO()
    with pa.ipc.new_stream(content, table.schema) as stream:
        stream.write_table(table)
    return content.getvalue()
