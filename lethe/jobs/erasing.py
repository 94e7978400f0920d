"""The erasure audit of one case: what comes back of a purged memory, level by level, in the system's own worker.

The first part of a case goes as far as the compaction, with one process; the second begins with another process on the
same folder, and ends with a store that is asked by what the memory held, when all files were looked through. This
module runs in the systems' own environments: nothing is imported here that they do not have.
"""

import errno
import os
import shutil
import stat
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from forgeteval.cases.erasure.case import ErasureCase
from forgeteval.run.raised import describe
from forgeteval.run.storable import texts_of
from forgeteval.stores.contract import Adapter, offers

Scan = Callable[[str], Mapping[str, Sequence[str]]]
"""What the run's own process finds in the files now, at a level, by kind of trace."""

BEFORE, LEVELS = "before", ("A0", "A1", "A2", "A3", "A4", "A5", "A6")
READS = ("get", "list", "history", "export", "graph", "summary")
TRACES = ("text", "sentence", "token", "vector")
BYSTANDER, COMPACTION, CLAIM = "bystander", "compaction", "claim"
SAYS_GONE, SAYS_LEFT = "says gone", "says left"
"""What the store claims of its erasure; the detail is of what it speaks, and its words."""
STORES = "stores"
"""Folder of the worker's HOME with a folder for each case, and the one that they are copies of."""
_PREFILLED, _UNFINISHED = "prefilled", "prefilled.unfinished"
_LEFT, _SECOND, _ASKED = "left", "second-scope", "asked"
_COPIED = (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK)
"""Kinds of files that are copied with a store."""
_BLOCK = 512
"""Bytes of a block as `st_blocks` counts them."""
_PIECE = 1 << 20
"""Bytes of a file with holes that are copied at a time."""
_IN_MEMORY = "it keeps nothing on disk; the bytes of its process are out of scope"


@dataclass(frozen=True, slots=True)
class Finding:
    """What the erasure audit found at one place of a level."""

    level: str
    place: str
    outcome: str
    detail: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Examined:
    """What came of a part of a case: what was found, and what broke."""

    findings: list[Finding] = field(default_factory=list)
    error: str | None = None


def findings_of_files(level: str, found: Mapping[str, Sequence[str]]) -> list[Finding]:
    """What was found in the files at a level, kind by kind."""
    return [Finding(level, kind, "found" if found.get(kind) else "absent", [*found.get(kind, ())]) for kind in TRACES]


def folders_made(case_ids: Collection[str]) -> set[str]:
    """Names of the folders in `STORES` that the audit of these cases makes."""
    others = {f"{case_id}-{use}" for case_id in case_ids for use in (_LEFT, _SECOND, _ASKED)}
    return {_PREFILLED, _UNFINISHED, *case_ids, *others}


def examine(adapter: Adapter, case: ErasureCase, part: int, k: int, haystack: Sequence[str], scan: Scan) -> Examined:
    """The findings of a part of a case; whatever the system raises is one of them.

    Args:
        part: 0 up to the compaction, 1 from the restart on.
        k: how many memories are recalled.
        haystack: unrelated memories that stand in the store beside the two of the case.
    """
    examination = _Examination(adapter, case, k, haystack, scan)
    try:
        examination.restarted() if part else examination.purged()
    except BaseException as reason:  # noqa: BLE001 - whatever a measured system raises is its result, SystemExit too
        return Examined(examination.findings, describe(reason))
    return Examined(examination.findings)


class _Examination:
    """One case on one system.

    Attributes:
        findings: so far.
    """

    def __init__(self, adapter: Adapter, case: ErasureCase, k: int, haystack: Sequence[str], scan: Scan) -> None:
        self._case, self._k, self._haystack, self._scan = case, k, haystack, scan
        self._adapter: Any = adapter
        self._store: Any = getattr(adapter, "backend", adapter)
        self._stores = Path(os.environ["HOME"]) / STORES
        self._folder = self._stores / case.case_id
        self.findings: list[Finding] = []

    def purged(self) -> None:
        """From an empty store to the compaction."""
        self._tell(self._folder)
        self._files(BEFORE)
        self._purge()
        self._recalled("A0", {"question": self._case.question})
        self._bystander("A0")
        self._claimed("A3")
        self._files("A3")
        self._compact()
        self._shut()

    def restarted(self) -> None:
        """In a new process: what is there again, and what brings it back; at last, what another store gives."""
        if offers(self._store, "open"):
            self._restore()
            self._store.open(self._folder)
            self._expect(self._case.bystander)
            self._files("A5")
            self._recalled("A5", {"question": self._case.question, "own text": self._case.target})
            self._bystander("A5")
        else:
            self._note("A5", "restart", "na", [_IN_MEMORY])
            self._tell(self._folder)
            self._purge()
        self._come_back()
        self._shut()
        self._asked()
        self._shut()

    def _asked(self) -> None:
        """Tell and purge the same in another store, and ask that one by what the memory held.

        A system may write down what it is asked: these questions would be found in files that are still to be looked
        through.
        """
        case = self._case
        self._tell(self._folder.with_name(f"{case.case_id}-{_ASKED}"))
        id = self._id()
        self._recalled(BEFORE, {"own text": case.target})
        self._bystander(BEFORE)
        self._purge()
        self._recalled("A0", {"marker": case.marker})
        neighbours = {f"neighbour {number}": text for number, text in enumerate(case.neighbours, 1)}
        self._recalled("A1", {"own text": case.target, **neighbours})
        self._read(id)

    def _tell(self, folder: Path) -> None:
        """Tell both memories to a store in this folder."""
        self._begin(folder)
        self._expect(self._case.target, self._case.bystander)
        self._adapter.inscribe([self._case.target, self._case.bystander])

    def _purge(self) -> None:
        self._adapter.purge(self._case.target)
        self._expect(self._case.bystander)

    def _shut(self) -> None:
        if offers(self._store, "open"):
            self._store.shut()

    def _begin(self, folder: Path) -> None:
        """A store with the haystack alone, made once and copied for each case where the system has a folder."""
        if not offers(self._store, "open"):
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
        shutil.rmtree(folder, ignore_errors=True)
        _copy(prefilled, folder)
        self._store.open(folder)

    def _restore(self) -> None:
        """Put the store back as the first part left it, where this part was begun before."""
        left = self._folder.with_name(f"{self._case.case_id}-{_LEFT}")
        if left.is_dir():
            shutil.rmtree(self._folder, ignore_errors=True)
            _copy(left, self._folder)
        elif self._folder.is_dir():
            _copy_whole(self._folder, left)
        else:
            raise FileNotFoundError(
                f"{self._folder} is gone; remove the kept trials beside it to start the audit again"
            )

    def _expect(self, *gold: str) -> None:
        if offers(self._adapter, "expect"):
            self._adapter.expect(gold)

    def _id(self) -> Any:
        hits = self._store.search(self._case.target, self._k) if offers(self._store, "search") else []
        return next((hit.id for hit in hits if self._case.marker in hit.text), None)

    def _recalled(self, level: str, asked: Mapping[str, str]) -> None:
        """Ask for the erased memory by each text; at A1 also by the search that a system has besides its recall."""
        searches = level == "A1" and self._store is self._adapter and offers(self._store, "search")
        for place, text in asked.items():
            self._look(level, place, partial(self._recall, text))
            if searches:
                self._look(level, f"{place}, search", partial(self._search, text))

    def _recall(self, text: str) -> list[str]:
        return texts_of(self._adapter.recall_texts(text, self._k))

    def _search(self, text: str) -> list[str]:
        return [hit.text for hit in self._store.search(text, self._k)]

    def _bystander(self, level: str) -> None:
        case = self._case
        try:
            recalled = [*self._recall(case.kept_question), *self._recall(case.bystander)]
        except BaseException as reason:  # noqa: BLE001 - see above
            self._note(level, BYSTANDER, "error", [describe(reason)])
            return
        self._note(level, BYSTANDER, "kept" if any(case.kept_marker in text for text in recalled) else "lost")

    def _read(self, id: Any) -> None:
        """Every read that the API has; what it lacks is N/A."""
        try:
            read = self._store.reads(id) if offers(self._store, "reads") else {}
        except BaseException as reason:  # noqa: BLE001 - see above
            self._note("A2", "reads", "error", [describe(reason)])
            return
        for place in dict.fromkeys((*READS, *read)):
            if place in read:
                self._found("A2", place, [read[place]])
            else:
                self._note("A2", place, "na", ["the API has no such read"])

    def _claimed(self, level: str) -> None:
        """What the store says of its erasure, where it says anything; asked before the files are looked through."""
        if not offers(self._store, "claim"):
            return
        try:
            claim = self._store.claim()
            self._note(level, CLAIM, SAYS_GONE if claim.gone else SAYS_LEFT, [claim.of, claim.words])
        except BaseException as reason:  # noqa: BLE001 - see above
            self._note(level, CLAIM, "error", [describe(reason)])

    def _files(self, level: str) -> None:
        if not offers(self._store, "open"):
            if level != BEFORE:
                self._note(level, "files", "na", [_IN_MEMORY])
            return
        self.findings += findings_of_files(level, self._scan(level))

    def _compact(self) -> None:
        if not offers(self._store, "open"):
            self._note("A4", COMPACTION, "na", [_IN_MEMORY])
        elif not offers(self._store, "compact"):
            self._note("A4", COMPACTION, "na", ["its makers offer none"])
        else:
            try:
                self._store.compact()
            except BaseException as reason:  # noqa: BLE001 - see above
                self._note("A4", COMPACTION, "failed", [describe(reason)])
            self._claimed("A4")
            self._files("A4")
            self._bystander("A4")

    def _come_back(self) -> None:
        """What may bring the memory back: its source, background work, a way back, a summary, another's scope."""
        self._work()
        if offers(self._store, "past"):
            self._look("A6", "undo", lambda: self._store.past(self._case.target, self._k))
        else:
            self._note("A6", "undo", "na", ["it has no way back"])
        self._note("A6", "summary", "na", ["it writes no summaries"])
        self._fed_again()
        self._bystander("A6")
        self._second_scope()

    def _work(self) -> None:
        if not offers(self._store, "work"):
            self._note("A6", "background work", "na", ["it has none"])
            return

        def worked() -> list[str]:
            self._store.work()
            return self._recall(self._case.target)

        self._look("A6", "background work", worked)

    def _fed_again(self) -> None:
        def fed() -> list[str]:
            self._adapter.inscribe([self._case.target])
            return self._recall(self._case.target)

        self._look("A6", "fed again", fed)

    def _second_scope(self) -> None:
        """Two tell the same, the first purges it and asks; what the second keeps is another's memory."""
        if not offers(self._store, "enter") or not offers(self._adapter, "enter"):
            self._note("A6", "second scope", "na", ["it has no scopes"])
            return

        def told_by_two() -> list[str]:
            self._begin_empty(self._folder.with_name(f"{self._case.case_id}-{_SECOND}"))
            self._adapter.enter(["first", "second"])
            self._adapter.inscribe([self._case.target, self._case.bystander])
            self._adapter.enter(["first"])
            self._adapter.purge(self._case.target)
            return self._recall(self._case.target)

        self._look("A6", "second scope", told_by_two)

    def _begin_empty(self, folder: Path) -> None:
        if offers(self._store, "open"):
            self._store.shut()
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            self._store.open(folder)
        else:
            self._adapter.reset()

    def _look(self, level: str, place: str, look: Callable[[], Sequence[str]]) -> None:
        """Note whether any text that `look` gives holds the marker."""
        try:
            self._found(level, place, look())
        except NotImplementedError as reason:
            self._note(level, place, "na", [describe(reason)])
        except BaseException as reason:  # noqa: BLE001 - see above
            self._note(level, place, "error", [describe(reason)])

    def _found(self, level: str, place: str, texts: Sequence[str]) -> None:
        marker = self._case.marker
        self._note(level, place, "found" if any(marker in text.lower() for text in texts) else "absent")

    def _note(self, level: str, place: str, outcome: str, detail: Sequence[str] = ()) -> None:
        self.findings.append(Finding(level, place, outcome, list(detail)))


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

    shutil.copytree(folder, copy, symlinks=True, ignore=ignored, copy_function=_copy_file)


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
