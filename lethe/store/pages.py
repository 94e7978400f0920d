"""What SQLite leaves behind on a page, which `secure_delete` does not reach: it goes before the page is in the file.

A page of a table or an index has room between the list of its entries and the entries. Entries that SQLite moves to the
page beside it stay in that room as they were, and are not found there when they are deleted later.
"""

import functools
import os
import struct

import apsw

_ENTRIES_AFTER = {2: 12, 5: 12, 10: 8, 13: 8}
"""The bytes before the list of entries, by the kind of page (sqlite.org/fileformat)."""
_FILE_HEADER = 100
_MOST_PAGES = 2**25
"""From so many pages on (128 GiB), a page of an overflowing entry may begin like one of a table."""


def clean_file(path: str) -> apsw.Connection:
    """A connection to a file that exists, which writes pages into the file without what was left on them."""
    # A file system of APSW's takes a symbolic link for an error.
    return apsw.Connection(os.path.realpath(path), flags=apsw.SQLITE_OPEN_READWRITE, vfs=_file_system().name)


def clean_image(image: bytes) -> bytes:
    """The bytes of a database file without what was left on its pages."""
    (size,) = struct.unpack_from(">H", image, 16)
    size = 2**16 if size == 1 else size
    head = image[:_FILE_HEADER]
    return b"".join(_cleaned(image[start : start + size], start, head) for start in range(0, len(image), size))


def _cleaned(page: bytes, offset: int, head: bytes) -> bytes:
    """A page of a file with this header, with zeros in the room between the list of its entries and the entries."""
    start = 0 if offset else _FILE_HEADER
    before = _ENTRIES_AFTER.get(page[start])
    if before is None or not _has_plain_pages(head):
        return page
    count, content = struct.unpack_from(">HH", page, start + 3)
    room, end = start + before + 2 * count, content or 2**16
    return page[:room] + bytes(end - room) + page[end:] if room < end <= len(page) else page


def _has_plain_pages(head: bytes) -> bool:
    """Whether the first byte of each page tells its kind: in a file of no pointer maps (auto_vacuum), not too long."""
    if len(head) < _FILE_HEADER:
        return True  # a file that is written for the first time
    pages, vacuums = struct.unpack_from(">I20xI", head, 28)
    return pages < _MOST_PAGES and not vacuums


class _File(apsw.VFSFile):
    def xWrite(self, data: bytes, offset: int) -> None:
        head = data[:_FILE_HEADER] if offset == 0 else self.xRead(_FILE_HEADER, 0)
        super().xWrite(_cleaned(data, offset, head), offset)


class _FileSystem(apsw.VFS):
    name = "lethe-clean"

    def __init__(self) -> None:
        super().__init__(self.name, "")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        kind = _File if flags[0] & apsw.SQLITE_OPEN_MAIN_DB else apsw.VFSFile
        return kind("", name, flags)


@functools.cache
def _file_system() -> _FileSystem:
    return _FileSystem()
