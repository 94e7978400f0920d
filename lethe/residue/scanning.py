"""Files looked through for one memory: its marker, its sentence, the tokens of it in inverted indexes, its vector."""

import errno
import hashlib
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Literal, get_args
from urllib.parse import unquote_to_bytes

from forgeteval.errors import UserError, describe_os_error
from forgeteval.files import read_file
from forgeteval.foreign import reading
from forgeteval.run.storable import storable
from lethe.residue.sqlite import HEADER, WAL_SUFFIX, SqliteCopy, current_page, sqlite_copy
from lethe.residue.texts import find_marker, sentence_forms
from lethe.residue.unpacking import together, unpacked
from lethe.residue.vectors import Vector, find_vector

Kind = Literal["text", "sentence", "token", "vector"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Trace:
    """Something that is left.

    Attributes:
        kind: the marker as text, that with the words beside it, a token in an inverted index, or the vector.
        file: name of the file, as the caller gave it.
        where: structure of the file, where that is known.
        form: how it is written there.
    """

    kind: Kind
    file: str
    where: str
    form: str

    def __str__(self) -> str:
        return f"{self.file}{f' ({self.where})' if self.where else ''}: {self.form}"


Seen = dict[tuple[str, bytes], list[Trace]]
"""What is in a file, by its name and its state."""


_NO_FILE = (errno.EINVAL, errno.EISDIR, errno.ELOOP, errno.ENXIO)
"""Of what is a pipe, a device, a socket, a folder or a link."""


class Scanner:
    """Looks for one memory; a file that has not changed since it was looked through is not looked through again.

    Args:
        marker: what its text contains and nothing else does, long and random.
        vector: of its text.
        sentence: its text, where that is looked for besides the marker alone.

    Attributes:
        seen: what was found so far.
    """

    def __init__(self, marker: str, vector: Vector, sentence: str = "") -> None:
        self._marker, self._vector, self._sentence = marker, vector, sentence
        self.seen: Seen = {}

    def scan(self, files: Iterable[tuple[str, Path]]) -> list[Trace]:
        """What is left in these files, folders and links, by the names that they are given; each trace once.

        No link is followed. A file is looked through before the next one is asked for.
        """
        found = [(name, self._scan_file(name, path)) for name, path in files]
        return list(dict.fromkeys(trace for _, traces in sorted(found, key=itemgetter(0)) for trace in traces))

    def _scan_file(self, name: str, path: Path) -> list[Trace]:
        reading(storable(name))
        return [*self._traces_beside(name, path), *self._traces_inside(name, path)]

    def _traces_beside(self, name: str, path: Path) -> Iterator[Trace]:
        """What its name, the target of a link and extended attributes hold."""
        yield from self._named(name, "its name", os.fsencode(path.name))
        try:
            if path.is_symlink():
                yield from self._named(name, "target of the link", os.fsencode(path.readlink()))
            for content in _attributes(path):
                yield from self._contained(name, "attribute", content)
        except FileNotFoundError:
            return
        except OSError as error:
            raise describe_os_error(error, f"reading {name}") from error

    def _traces_inside(self, name: str, path: Path) -> list[Trace]:
        try:
            data = read_file(path, follows=False)
        except FileNotFoundError:
            return []
        except OSError as error:
            if error.errno in _NO_FILE:
                return []
            raise describe_os_error(error, f"reading {name}") from error
        # What a database's pages are of depends on its log.
        log = _state(path, WAL_SUFFIX)
        key = name, hashlib.sha256(data + log).digest()
        if key not in self.seen:
            self.seen[key] = list(self._traces(name, path, data))
        return self.seen[key]

    def _traces(self, name: str, path: Path, data: bytes) -> Iterator[Trace]:
        texts = [(found.form, found.offset, found.content) for found in find_marker(data, self._marker)]
        vectors = [(found.form, found.offset, b"") for found in find_vector(data, self._vector)]
        is_found, is_database = bool(texts or vectors), data.startswith(HEADER)
        with _opened(path, data, wanted=is_found or is_database) as copy:
            found: tuple[tuple[Kind, list[tuple[str, int, bytes]]], ...] = (("text", texts), ("vector", vectors))
            for kind, places in found:
                for form, offset, content in places:
                    where = "" if copy is None else _structure(copy, data, offset, content)
                    indexed = "full-text index" in where
                    yield Trace("token" if indexed else kind, name, where, form)
            if copy is not None and is_database:
                for index in copy.has_terms(self._marker):
                    yield Trace("token", name, f"full-text index {index}", "terms")
            # Where no half of the marker is, no sentence with it is.
            for form in sentence_forms(data, self._sentence, self._marker) if texts else ():
                yield Trace("sentence", name, "", form)
            # On its pages, what a stream is made of stands in pieces.
            whole = copy.spilled() if copy is not None and is_database else ()
            for form, content in together(_unpacked(name, chain((data,), whole))):
                yield from self._contained(name, form, content)

    def _contained(self, name: str, where: str, content: bytes) -> Iterator[Trace]:
        yield from self._words(name, where, content)
        yield from (Trace("vector", name, where, found.form) for found in find_vector(content, self._vector))

    def _named(self, name: str, where: str, written: bytes) -> Iterator[Trace]:
        yield from self._words(name, where, written)
        plain = unquote_to_bytes(written)
        if plain != written:
            for trace in self._words(name, where, plain):
                yield replace(trace, form=f"{trace.form}, percent-encoded")

    def _words(self, name: str, where: str, content: bytes) -> Iterator[Trace]:
        marked = find_marker(content, self._marker)
        yield from (Trace("text", name, where, found.form) for found in marked)
        # Where no half of the marker is, no sentence with it is.
        for form in sentence_forms(content, self._sentence, self._marker) if marked else ():
            yield Trace("sentence", name, where, form)


def _opened(path: Path, data: bytes, wanted: bool) -> AbstractContextManager[SqliteCopy | None]:
    """The SQLite database whose main file or write-ahead log has this content; None where it is neither."""
    if wanted and data.startswith(HEADER):
        return sqlite_copy(path, data)
    main = path.with_name(path.name.removesuffix(WAL_SUFFIX) or path.name)
    if wanted and main != path:
        with suppress(OSError):
            return sqlite_copy(main, read_file(main, follows=False))
    return nullcontext()


def _structure(copy: SqliteCopy, data: bytes, offset: int, content: bytes) -> str:
    if data.startswith(HEADER):
        return copy.structure(offset // copy.page_size + 1, content)
    page = current_page(data, offset)
    return "write-ahead log" + (", an older page" if page is None else f" of {copy.structure(page, content)}")


def _unpacked(name: str, contents: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
    try:
        for content in contents:
            yield from unpacked(content)
    except UserError as error:
        raise UserError(f"reading {name}: {error}") from error


def _state(path: Path, suffix: str) -> bytes:
    try:
        stat = path.with_name(path.name + suffix).lstat()
    except OSError:
        return b""
    return f"{stat.st_size} {stat.st_mtime_ns}".encode()


def _attributes(path: Path) -> Iterator[bytes]:
    """Name and value of each extended attribute of a file, folder or link itself, where its file system has any."""
    if sys.platform != "linux":
        return
    try:
        names = os.listxattr(path, follow_symlinks=False)
    except OSError as error:
        if error.errno == errno.ENOTSUP:
            return
        raise
    for name in names:
        yield os.fsencode(name) + b"=" + os.getxattr(path, name, follow_symlinks=False)
