"""The erasure audit of one case: what comes back of a purged memory, level by level.

The first part of a case goes as far as the compaction, with one process; the second begins with another process on the
same folder, and ends with a store that is asked by what the memory held, when all files were looked through. This
module has a worker do one act after the other (`lethe.jobs.acting`), and judges what comes of it in the run's own
process, which no measured system can change.
"""

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from forgeteval.cases.erasure.case import ErasureCase
from forgeteval.errors import UserError
from forgeteval.run.storable import MOST_RECALLED
from forgeteval.scoring.scorers import as_seen
from forgeteval.stores.contract import CLAIMED
from lethe.jobs.acting import ASKED, OWN_SEARCH, SECOND, Act, Acted, folder_of
from lethe.residue.texts import find_marker

BEFORE, LEVELS = "before", ("A0", "A1", "A2", "A3", "A4", "A5", "A6")
READS = ("get", "list", "history", "export", "graph", "summary")
TRACES = ("text", "sentence", "token", "vector")
BYSTANDER, COMPACTION, CLAIM = "bystander", "compaction", "claim"
SAYS_GONE, SAYS_LEFT = "says gone", "says left"
"""What the store claims of its erasure; the detail is of what it speaks, and its words."""
_IN_MEMORY = "it keeps nothing on disk; the bytes of its process are out of scope"
_HAS_TO = ("recall", "search")
"""Acts of which a store that did them before cannot say that it does not have them."""
_UNSIGNED = re.compile(r"(?:\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|[nrtfv])|[\W_])+")
"""What stands between letters and digits, also as Python and JSON write it."""
_PART, _END = 1 << 20, 64
"""Letters of a text that are brought into one form at once, and of the end that is longer than a marker."""


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


class Files(Protocol):
    """What a worker has written."""

    def begin(self, case_id: str) -> None:
        """A part of a case is about to be told: what stands in the folders of others by now is not of it."""

    def scan(self, case_id: str) -> Mapping[str, Sequence[str]]:
        """What is left of the case's memory, by kind of trace.

        Raises:
            UserError: where nobody can say.
        """


Examination = Generator[Act, Acted, Examined]
_Acts = Generator[Act, Acted, None]
_Doing = Generator[Act, Acted, Acted]


def examine(case: ErasureCase, part: int, files: Files, offered: set[str], k: int, gold: bool = False) -> Examination:
    """Yield what a worker is to do for a part of a case, one act after the other, and take what came of it.

    Args:
        part: 0 up to the compaction, 1 from the restart on.
        offered: what the store offered in this audit so far, to which this adds; it may not offer less later.
        k: number of texts that a recall may have.
        gold: the store is told what it is to recall: the control `oracle`, and nobody else.

    Returns:
        The findings; whatever the system raises is one of them.

    Raises:
        ValueError: where what came is of no system that answers as it was asked.
    """
    examination = _Examination(case, files, offered, k, gold)
    try:
        yield from examination.restarted() if part else examination.purged()
    except _BrokeError as reason:
        return Examined(examination.findings, str(reason))
    return Examined(examination.findings)


def is_left(marker: str, texts: Sequence[str]) -> bool:
    """Whether texts, one after the other, hold a half of the marker: as people see it, or in any form that files are
    looked through for."""
    return any(find_marker(content.encode(), marker) for content in ("".join(texts), *_shown(texts)))


def is_kept(marker: str, texts: Sequence[str]) -> bool:
    """Whether texts, one after the other, hold the marker as people see it."""
    [wanted] = _shown([marker])
    return any(wanted in part for part in _shown(texts))


def _shown(texts: Sequence[str]) -> Iterator[str]:
    """The letters and digits of texts as people see them, part by part, each after the end of the one before."""
    whole, part = "".join(texts), ""
    for begin in range(0, len(whole), _PART):
        # Not the cached one: what a store reads of itself may be long.
        part = part[-_END:] + _UNSIGNED.sub("", as_seen.__wrapped__(whole[begin : begin + _PART]))
        yield part


class _BrokeError(Exception):
    """What a system raised, or why nobody can go on with its case."""

    def __init__(self, why: str, not_expressed: bool = False) -> None:
        super().__init__(why)
        self.not_expressed = not_expressed


class _Examination:
    """One part of a case on one system.

    Attributes:
        findings: so far.
    """

    def __init__(self, case: ErasureCase, files: Files, offered: set[str], k: int, gold: bool) -> None:
        self._case, self._in, self._offered, self._k, self._gold = case, files, offered, k, gold
        self.findings: list[Finding] = []

    def purged(self) -> _Acts:
        """From an empty store to the compaction."""
        yield from self._settle()
        yield from self._begin()
        self._in.begin(self._case.case_id)
        yield from self._tell()
        self._files(BEFORE)
        yield from self._purge()
        yield from self._recalled("A0", {"question": self._case.question})
        yield from self._bystander("A0")
        yield from self._claimed("A3")
        self._files("A3")
        yield from self._compact()
        yield from self._shut()

    def restarted(self) -> _Acts:
        """In a new process: what is there again, and what brings it back; at last, what another store gives."""
        yield from self._settle()
        case = self._case
        if self._on_disk:
            yield from self._do("restore", named=self._folder())
            self._in.begin(case.case_id)
            yield from self._do("open", named=self._folder())
            yield from self._expect(case.bystander)
            self._files("A5")
            yield from self._recalled("A5", {"question": case.question, "own text": case.target})
            yield from self._bystander("A5")
        else:
            self._note("A5", "restart", "na", [_IN_MEMORY])
            yield from self._begin()
            yield from self._tell()
            yield from self._purge()
        yield from self._come_back()
        yield from self._shut()
        yield from self._asked()
        yield from self._shut()

    def _asked(self) -> _Acts:
        """Tell and purge the same in another store, and ask that one by what the memory held.

        A system may write down what it is asked: these questions would be found in files that are still to be looked
        through.
        """
        case = self._case
        yield from self._begin(ASKED)
        yield from self._tell()
        hit = yield from self._hit()
        yield from self._recalled(BEFORE, {"own text": case.target})
        yield from self._bystander(BEFORE)
        yield from self._purge()
        yield from self._recalled("A0", {"marker": case.marker})
        neighbours = {f"neighbour {number}": text for number, text in enumerate(case.neighbours, 1)}
        yield from self._recalled("A1", {"own text": case.target, **neighbours})
        yield from self._read(hit)

    def _do(self, do: str, *given: str, named: Sequence[str] = (), hit: int | None = None) -> _Doing:
        return (yield from self._act(Act(do, given, tuple(named), hit)))

    def _act(self, act: Act) -> _Doing:
        acted = yield act
        if acted.error is not None:
            raise _BrokeError(acted.error, acted.not_expressed)
        if act.do == "recall" and len(acted.answered) > self._k:
            raise _BrokeError(f"more texts than the {self._k} that were asked for")
        return acted

    def _settle(self) -> _Acts:
        """Settle what the store offers, before it is told anything."""
        acted = yield from self._do("offered")
        if lacking := sorted(self._offered.difference(acted.answered)):
            raise _BrokeError(f"it offered {' and '.join(lacking)} before, and does not any more")
        self._offered.update(acted.answered)

    @property
    def _on_disk(self) -> bool:
        return "open" in self._offered

    def _folder(self, use: str = "") -> list[str]:
        """The name of a folder of this case, where the system has folders."""
        case_id = self._case.case_id
        return [folder_of(case_id, use) if use else case_id] if self._on_disk else []

    def _begin(self, use: str = "") -> _Acts:
        yield from self._do("begin", named=self._folder(use))

    def _tell(self) -> _Acts:
        yield from self._expect(self._case.target, self._case.bystander)
        yield from self._do("inscribe", self._case.target, self._case.bystander)

    def _purge(self) -> _Acts:
        yield from self._do("purge", self._case.target)
        yield from self._expect(self._case.bystander)

    def _expect(self, *gold: str) -> _Acts:
        if self._gold:
            yield from self._do("expect", *gold)

    def _shut(self) -> _Acts:
        if self._on_disk:
            yield from self._do("shut")

    def _hit(self) -> Generator[Act, Acted, int | None]:
        """Where among the memories that the store finds the target is."""
        if "search" not in self._offered:
            return None
        found = yield from self._do("find", self._case.target)
        return next((place for place, text in enumerate(found.answered) if is_left(self._case.marker, [text])), None)

    def _recalled(self, level: str, asked: Mapping[str, str]) -> _Acts:
        """Ask for the erased memory by each text; at A1 also by the search that a system has besides its recall."""
        for place, text in asked.items():
            yield from self._look(level, place, Act("recall", (text,)))
            if level == "A1" and OWN_SEARCH in self._offered:
                yield from self._look(level, f"{place}, search", Act("search", (text,)))

    def _bystander(self, level: str) -> _Acts:
        """Ask for the memory that had to survive, without its marker, which an answer with the question lacks."""
        case, recalled = self._case, list[str]()
        try:
            for text in (case.kept_question, case.kept_words):
                recalled += (yield from self._do("recall", text)).answered
        except _BrokeError as reason:
            self._note(level, BYSTANDER, "error", [str(reason)])
            return
        self._note(level, BYSTANDER, "kept" if is_kept(case.kept_marker, recalled) else "lost")

    def _read(self, hit: int | None) -> _Acts:
        """Every read that the API has; what it lacks is N/A."""
        read: dict[str, str] = {}
        if "reads" in self._offered:
            try:
                acted = yield from self._do("read", hit=hit)
            except _BrokeError as reason:
                self._note("A2", "reads", "error", [str(reason)])
                return
            read = dict(zip(acted.of, acted.answered, strict=True))
        for place in dict.fromkeys((*READS, *read)):
            if place in read:
                self._found("A2", place, [read[place]])
            else:
                self._note("A2", place, "na", ["the API has no such read"])

    def _claimed(self, level: str) -> _Acts:
        """What the store says of its erasure, where it says anything; asked before the files are looked through."""
        if "claim" not in self._offered:
            return
        try:
            acted = yield from self._do("claim")
            of, words = acted.answered
            if of not in CLAIMED:
                raise _BrokeError(f"a claim of {of!r:.80}; it is of reads or of files")
        except _BrokeError as reason:
            self._note(level, CLAIM, "error", [str(reason)])
            return
        if len(of) + len(words) > MOST_RECALLED:
            raise ValueError(f"a claim of more than {MOST_RECALLED:,} letters")
        self._note(level, CLAIM, SAYS_GONE if acted.of else SAYS_LEFT, [of, words])

    def _files(self, level: str) -> None:
        if not self._on_disk:
            if level != BEFORE:
                self._note(level, "files", "na", [_IN_MEMORY])
            return
        try:
            found = self._in.scan(self._case.case_id)
        except UserError as error:
            raise _BrokeError(f"what it wrote cannot be looked through: {error}") from error
        for kind in TRACES:
            self._note(level, kind, "found" if found.get(kind) else "absent", found.get(kind, ()))

    def _compact(self) -> _Acts:
        if not self._on_disk:
            self._note("A4", COMPACTION, "na", [_IN_MEMORY])
        elif "compact" not in self._offered:
            self._note("A4", COMPACTION, "na", ["its makers offer none"])
        else:
            try:
                yield from self._do("compact")
            except _BrokeError as reason:
                self._note("A4", COMPACTION, "failed", [str(reason)])
            yield from self._claimed("A4")
            self._files("A4")
            yield from self._bystander("A4")

    def _come_back(self) -> _Acts:
        """What may bring the memory back: its source, background work, a way back, a summary, another's scope."""
        told, asked = Act("inscribe", (self._case.target,)), Act("recall", (self._case.target,))
        if "work" in self._offered:
            yield from self._look("A6", "background work", Act("work"), asked)
        else:
            self._note("A6", "background work", "na", ["it has none"])
        if "past" in self._offered:
            yield from self._look("A6", "undo", Act("past", asked.given))
        else:
            self._note("A6", "undo", "na", ["it has no way back"])
        self._note("A6", "summary", "na", ["it writes no summaries"])
        yield from self._look("A6", "fed again", told, asked)
        yield from self._bystander("A6")
        if "enter" in self._offered:
            yield from self._look("A6", "second scope", *self._told_by_two())
        else:
            self._note("A6", "second scope", "na", ["it has no scopes"])

    def _told_by_two(self) -> list[Act]:
        """Two tell the same, the first purges it and asks; what the second keeps is another's memory."""
        target, bystander = self._case.target, self._case.bystander
        return [
            Act("begin_empty", named=tuple(self._folder(SECOND))),
            Act("enter", named=("first", "second")),
            Act("inscribe", (target, bystander)),
            Act("enter", named=("first",)),
            Act("purge", (target,)),
            Act("recall", (target,)),
        ]

    def _look(self, level: str, place: str, *acts: Act) -> _Acts:
        """Note whether any text that comes of the last of these acts holds the marker."""
        for act in acts:
            try:
                acted = yield from self._act(act)
            except _BrokeError as reason:
                is_na = reason.not_expressed and act.do not in _HAS_TO
                self._note(level, place, "na" if is_na else "error", [str(reason)])
                return
        self._found(level, place, acted.answered)

    def _found(self, level: str, place: str, texts: Sequence[str]) -> None:
        self._note(level, place, "found" if is_left(self._case.marker, texts) else "absent")

    def _note(self, level: str, place: str, outcome: str, detail: Sequence[str] = ()) -> None:
        self.findings.append(Finding(level, place, outcome, list(detail)))
