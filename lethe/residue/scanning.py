"""Files looked through for one memory: its marker, its sentence, the tokens of it in inverted indexes, its vector."""

import errno
import hashlib
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from forgeteval.errors import describe_os_error
from forgeteval.files import read_file
from forgeteval.foreign import reading
from forgeteval.run.storable import storable
from lethe.residue.sqlite import HEADER, WAL_SUFFIX, SqliteCopy, current_page, sqlite_copy
from lethe.residue.texts import find_marker, sentence_forms
from lethe.residue.unpacking import unpacked
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


_NO_FILE = (errno.EINVAL, errno.ELOOP, errno.ENXIO)
"""Of what is a pipe, a device or a socket, or a link that leads nowhere."""


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

    def scan(self, files: Mapping[str, Path]) -> list[Trace]:
        """What is left in these files, by the names that they are given; each trace once."""
        return list(
            dict.fromkeys(trace for name, path in sorted(files.items()) for trace in self._scan_file(name, path))
        )

    def _scan_file(self, name: str, path: Path) -> list[Trace]:
        reading(storable(name))
        try:
            data = read_file(path)
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
        with _opened(path, data, wanted=bool(texts or vectors or b"fts5" in data)) as copy:
            found: tuple[tuple[Kind, list[tuple[str, int, bytes]]], ...] = (("text", texts), ("vector", vectors))
            for kind, places in found:
                for form, offset, content in places:
                    where = "" if copy is None else _structure(copy, data, offset, content)
                    indexed = "full-text index" in where
                    yield Trace("token" if indexed else kind, name, where, form)
            if copy is not None and data.startswith(HEADER):
                for index in copy.has_terms(self._marker):
                    yield Trace("token", name, f"full-text index {index}", "terms")
        # Where no half of the marker is, no sentence with it is.
        for form in sentence_forms(data, self._sentence, self._marker) if texts else ():
            yield Trace("sentence", name, "", form)
        for form, content in unpacked(data):
            marked = find_marker(content, self._marker)
            yield from (Trace("text", name, form, found.form) for found in marked)
            for written in sentence_forms(content, self._sentence, self._marker) if marked else ():
                yield Trace("sentence", name, form, written)
            yield from (Trace("vector", name, form, found.form) for found in find_vector(content, self._vector))


def _opened(path: Path, data: bytes, wanted: bool) -> AbstractContextManager[SqliteCopy | None]:
    """The SQLite database whose main file or write-ahead log has this content; None where it is neither."""
    if wanted and data.startswith(HEADER):
        return sqlite_copy(path, data)
    main = path.with_name(path.name.removesuffix(WAL_SUFFIX) or path.name)
    if wanted and main != path and main.is_file():
        return sqlite_copy(main, read_file(main))
    return nullcontext()


def _structure(copy: SqliteCopy, data: bytes, offset: int, content: bytes) -> str:
    if data.startswith(HEADER):
        return copy.structure(offset // copy.page_size + 1, content)
    page = current_page(data, offset)
    return "write-ahead log" + (", an older page" if page is None else f" of {copy.structure(page, content)}")


def _state(path: Path, suffix: str) -> bytes:
    try:
        stat = path.with_name(path.name + suffix).stat()
    except OSError:
        return b""
    return f"{stat.st_size} {stat.st_mtime_ns}".encode()
