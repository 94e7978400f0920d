"""What a worker does with the store of a case of the erasure audit: one act after the other, as it is told.

It is told an act when its turn comes, and what is looked for never, so that no store holds the solution of what it is
yet to be asked. What it answers is judged in the run's own process; see `lethe.jobs.erasing`. This module runs in the
systems' own environments: nothing is imported here that they do not have.
"""

import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from forgeteval.run.raised import describe
from forgeteval.run.storable import check_storable, storable, texts_of
from forgeteval.stores.contract import offers

STORES = "stores"
"""Folder of the worker's HOME with a folder for each case, and the one that they are copies of."""
SHARED = _PREFILLED, _UNFINISHED = "prefilled", "prefilled.unfinished"
"""Folders that are of no case."""
LEFT, SECOND, ASKED = "left", "second-scope", "asked"
OWN_SEARCH = "own search"
"""What a store offers whose recall is not its search."""
_OFFERS = ("open", "compact", "reads", "claim", "past", "work", "search")
_MOST_ANSWERED = 1 << 25
"""Letters of what comes of an act; the export of a thousand memories with their vectors has a quarter of it."""
_MOST_WORDS = 10_000
"""Letters of why one broke, and of the names of its texts."""
_COPIED = (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK)
"""Kinds of files that are copied with a store."""
_BLOCK = 512
"""Bytes of a block as `st_blocks` counts them."""
_PIECE = 1 << 20
"""Bytes of a file with holes that are copied at a time."""


def folder_of(case_id: str, use: str) -> str:
    """The name of a further folder of a case."""
    return f"{case_id}-{use}"


def folders_of(case_id: str) -> list[str]:
    """Names of the folders of a case."""
    return [case_id, *(folder_of(case_id, use) for use in (LEFT, SECOND, ASKED))]


@dataclass(frozen=True, slots=True)
class Act:
    """One thing to do with a store.

    Attributes:
        do: name of the method of `Actor` for it.
        given: texts that it takes, which a system may want vectors of.
        named: the owners or the folder that it is about.
        hit: place of a memory among those that were found.
    """

    do: str
    given: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    hit: int | None = None

    def texts(self) -> list[str]:
        """Each distinct text that a system may want a vector of, in order."""
        return list(dict.fromkeys(self.given))


@dataclass(frozen=True, slots=True)
class Acted:
    """What came of an act; ValueError for what is too much.

    Attributes:
        answered: texts.
        of: what each of them is, where that has to be said.
        error: what the system raised; None where it did not.
        not_expressed: that was NotImplementedError.
    """

    answered: list[str] = field(default_factory=list)
    of: list[str] = field(default_factory=list)
    error: str | None = None
    not_expressed: bool = False

    def __post_init__(self) -> None:
        check_storable([self.answered, self.of, self.error])
        if sum(map(len, self.answered)) + len(self.answered) > _MOST_ANSWERED:
            raise ValueError(f"more than {_MOST_ANSWERED:,} letters")
        if sum(map(len, self.of)) + len(self.of) + len(self.error or "") > _MOST_WORDS:
            raise ValueError(f"names, or an error, of more than {_MOST_WORDS:,} letters")


class Actor:
    """The store of one trial; whatever the system raises is part of what comes of an act.

    Args:
        adapter: of the system.
        k: how many memories are recalled.
        haystack: unrelated memories that stand in the store beside the two of the case.
        home: HOME of the worker; a system may name another one in its own process.
    """

    def __init__(self, adapter: Any, k: int, haystack: Sequence[str], home: Path) -> None:
        self._adapter = adapter
        self._store: Any = getattr(adapter, "backend", adapter)
        self._k, self._haystack = k, haystack
        self._stores = home / STORES
        self._ids: list[Any] = []
        self._does: Mapping[str, Callable[[Act], Acted | None]] = {
            "offered": self._offered,
            "begin": self._begin,
            "begin_empty": self._begin_empty,
            "restore": self._restore,
            "open": lambda act: self._store.open(self._folder(act)),
            "shut": lambda _: self._store.shut(),
            "expect": lambda act: self._adapter.expect(act.given),
            "enter": lambda act: self._adapter.enter(list(act.named)),
            "inscribe": lambda act: self._adapter.inscribe(list(act.given)),
            "purge": lambda act: self._adapter.purge(*act.given),
            "recall": lambda act: Acted(texts_of(self._adapter.recall_texts(*act.given, self._k))),
            "find": self._find,
            "search": lambda act: Acted(texts_of([hit.text for hit in self._store.search(*act.given, self._k)])),
            "past": lambda act: Acted(texts_of(self._store.past(*act.given, self._k))),
            "read": self._read,
            "claim": self._claim,
            "compact": lambda _: self._store.compact(),
            "work": lambda _: self._store.work(),
        }

    def act(self, told: Act) -> Acted:
        """Do it."""
        try:
            came = self._does[told.do](told)
            return came if isinstance(came, Acted) else Acted()
        except BaseException as reason:  # noqa: BLE001 - whatever a measured system raises is its result, SystemExit too
            return Acted(error=describe(reason), not_expressed=issubclass(type(reason), NotImplementedError))

    def _offered(self, _: Act) -> Acted:
        offered = [name for name in _OFFERS if offers(self._store, name)]
        if "search" in offered and self._store is self._adapter:
            offered.append(OWN_SEARCH)
        if offers(self._store, "enter") and offers(self._adapter, "enter"):
            offered.append("enter")
        return Acted(offered)

    def _folder(self, act: Act) -> Path:
        return self._stores.joinpath(*act.named)

    def _begin(self, act: Act) -> None:
        """A store with the haystack alone, made once and copied for each case where the system has a folder."""
        if not act.named:
            self._adapter.reset()
            if self._haystack:
                self._adapter.inscribe(self._haystack)
            return
        prefilled = self._stores / _PREFILLED
        if not prefilled.is_dir():
            unfinished = self._stores / _UNFINISHED
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(parents=True)
            self._store.open(unfinished)
            if self._haystack:
                self._adapter.inscribe(self._haystack)
            self._store.shut()
            unfinished.rename(prefilled)
        shutil.rmtree(self._folder(act), ignore_errors=True)
        _copy(prefilled, self._folder(act))
        self._store.open(self._folder(act))

    def _begin_empty(self, act: Act) -> None:
        if not act.named:
            self._adapter.reset()
            return
        self._store.shut()
        shutil.rmtree(self._folder(act), ignore_errors=True)
        self._folder(act).mkdir()
        self._store.open(self._folder(act))

    def _restore(self, act: Act) -> None:
        """Put the store back as the first part left it, where this part was begun before."""
        folder = self._folder(act)
        left = folder.with_name(folder_of(folder.name, LEFT))
        if left.is_dir():
            shutil.rmtree(folder, ignore_errors=True)
            _copy(left, folder)
        elif folder.is_dir():
            _copy_whole(folder, left)
        else:
            raise FileNotFoundError(f"{folder} is gone; remove the kept trials beside it to start the audit again")

    def _find(self, act: Act) -> Acted:
        """Search, and keep the ids of what is found."""
        hits = list(self._store.search(*act.given, self._k))
        self._ids = [hit.id for hit in hits]
        return Acted(texts_of([hit.text for hit in hits]))

    def _read(self, act: Act) -> Acted:
        read = self._store.reads(None if act.hit is None else self._ids[act.hit])
        return Acted([storable(text) for text in read.values()], [storable(place) for place in read])

    def _claim(self, _: Act) -> Acted:
        claim = self._store.claim()
        return Acted(texts_of([claim.of, claim.words]), ["gone"] if claim.gone else [])


def _copy_whole(folder: Path, copy: Path) -> None:
    """Copy a folder; `copy` is there once it is whole."""
    unfinished = copy.with_suffix(".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    _copy(folder, unfinished)
    unfinished.rename(copy)


def _copy(folder: Path, copy: Path) -> None:
    """Copy a folder, without the sockets and pipes in it: a process that is there no more listened at them."""

    def ignored(within: str, names: list[str]) -> list[str]:
        return [name for name in names if stat.S_IFMT(Path(within, name).lstat().st_mode) not in _COPIED]

    try:
        shutil.copytree(folder, copy, symlinks=True, ignore=ignored, copy_function=_copy_file)
    except shutil.Error as error:
        # A list of what could not be copied.
        raise OSError(f"a store's folder cannot be copied: {error.args[0][0][-1]}") from None


def _copy_file(path: str, copy: str) -> None:
    """Copy a file as `shutil.copy2` does, and leave its holes: as zeros they may be more than the disk holds."""
    status = Path(path).stat()
    if status.st_blocks * _BLOCK >= status.st_size:
        shutil.copy2(path, copy)
        return
    with Path(path).open("rb") as file, Path(copy).open("wb") as copied:
        for begin, end in _data(file.fileno(), status.st_size):
            file.seek(begin)
            copied.seek(begin)
            while piece := file.read(min(end - file.tell(), _PIECE)):
                copied.write(piece)
        copied.truncate(status.st_size)
    shutil.copystat(path, copy)


def _data(file: int, size: int) -> Iterator[tuple[int, int]]:
    """Where the data of a file begin and end, piece by piece; the whole file where its file system does not say."""
    end = 0
    while end < size:
        try:
            begin = os.lseek(file, end, os.SEEK_DATA)
            end = os.lseek(file, begin, os.SEEK_HOLE)
        except OSError as error:
            if error.errno == errno.ENXIO:
                return
            if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP):
                raise
            begin, end = end, size
        yield begin, end
