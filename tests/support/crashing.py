"""Stores that are stopped in the middle, by a file system that records, kills or is full; and what must hold then."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import apsw

from lethe.store import Event, Key, Memory, PurgeReceipt, StaysForgotten, Store, verifier
from lethe.store.normalisation import spelling
from tests.support.hash_embedder import DIM, Clock, hash_embed

KEY = Key(bytes(range(32)))
SECTOR = 512
Step = Callable[[Store], PurgeReceipt | object]
STEPS: list[Step] = [
    lambda store: store.inscribe_many([f"aubergine{number}x alpha beta" for number in range(12)]),
    lambda store: store.within(owner="ann").inscribe("secretone of ann", ttl=1e9),
    lambda store: store.release(2),
    lambda store: store.supersede(3, "secrettwo instead"),
    lambda store: store.edit(4, "secretthree edited"),
    lambda store: store.purge(1, stay_forgotten=True),
    lambda store: store.decay(5, 0.5),
    lambda store: store.purge_matching("secretthree", stay_forgotten=True),
    lambda store: store.inscribe_many([f"filler{number}x gamma " * 40 for number in range(20)]),
    lambda store: store.pin(6),
    lambda store: store.purge_many([14, 2, 3]),
    lambda store: store.scrub(),
    lambda store: store.within(owner="ann").purge_scope(),
    lambda store: store.relearn("aubergine0x ALPHA beta"),
    lambda store: store.consolidate(now=2e9),
    lambda store: store.purge_many([*range(15, 30)]),
    lambda store: store.release_matching("aubergine9x alpha beta"),
]
"""Every kind of change, so that each may be the one that is stopped."""


@dataclass(frozen=True)
class State:
    """What a store holds after a step, and what has been erased by then."""

    memories: list[Memory]
    log: list[Event]
    receipt: PurgeReceipt | None
    erased: frozenset[str]
    forgotten: frozenset[str]


def opened(path: Path | str = ":memory:") -> Store:
    return Store(path, embed=hash_embed, dim=DIM, clock=Clock(), key=KEY)


def states() -> list[State]:
    """The states of an undisturbed store: before all steps, and after each."""
    texts: dict[int, set[str]] = {}
    erased: set[str] = set()
    forgotten: set[str] = set()
    found = [State([], [], None, frozenset(), frozenset())]
    with opened() as store:
        for step in STEPS:
            done = step(store)
            receipt = done if isinstance(done, PurgeReceipt) else None
            for memory_id in receipt.memory_ids if receipt else ():
                erased |= texts[memory_id]
                forgotten |= texts[memory_id] if receipt and receipt.stays_forgotten else set()
            memories = store.memories(include_submerged=True)
            for memory in memories:
                texts.setdefault(memory.memory_id, set()).add(memory.text)
                erased -= {text for text in erased if spelling(text) == spelling(memory.text)}
            forgotten = {text for text in forgotten if store.forgotten([text])[0]}
            found.append(State(memories, store.log(), receipt, frozenset(erased), frozenset(forgotten)))
    return found


def check_sound(path: Path, steps_done: int, receipts: list[PurgeReceipt], known: list[State]) -> None:
    """What must hold of a store's files that were left by a crash after so many steps, perhaps within the next one."""
    content = b"\n".join(file.read_bytes() for file in path.parent.iterdir())
    if not receipts or all(receipt.complete for receipt in receipts):
        check_erased(content, frozenset.intersection(*(state.erased for state in known[steps_done : steps_done + 2])))
    with opened(path) as store:
        sql = store._database.connection
        assert sql.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        sql.execute("INSERT INTO lexical (lexical, rank) VALUES ('integrity-check', 1)")
        assert store.verify_log()
        memories, log = store.memories(include_submerged=True), [_unsigned(event) for event in store.log()]
        candidates = known[steps_done : steps_done + 2]
        at = [[_unsigned(event) for event in state.log] for state in candidates].index(log)
        assert memories == candidates[at].memories
        live = {memory.memory_id for memory in memories if memory.depth > 0}
        assert {memory.memory_id for memory in store.recall("alpha beta", 1000, mode="vector")} == live
        for receipt in receipts:
            assert store.verify(receipt) == receipt.complete
            completed = store.complete(receipt)
            assert completed.complete and store.verify(completed)
            verifier.verify(completed.to_json(), KEY.public.hex(), path)
        for text in candidates[at].forgotten:
            try:
                store.inscribe(text.upper())
            except StaysForgotten:
                continue
            raise AssertionError(f"{text} was taken in again")
        assert store.scrub()
        check_erased(path.read_bytes(), candidates[at].erased)


def check_erased(content: bytes, texts: frozenset[str]) -> None:
    """No text stands in these bytes, no telling word of it and no vector."""
    for text in texts:
        assert text.encode() not in content, text
        assert text.split()[0].encode()[3:] not in content, text
        assert hash_embed([text]).tobytes()[:24] not in content, text


def _unsigned(event: Event) -> tuple[Any, ...]:
    return event.seq, event.operation, event.memory_id, event.depth_before, event.depth_after, event.version_id


@dataclass(frozen=True)
class Write:
    """One call to the file system: "write", "truncate", "sync" or "delete"."""

    what: str
    file: str
    offset: int = 0
    content: bytes = b""


class _File(apsw.VFSFile):
    def __init__(self, watch: Callable[[Write], None], filename: Any, flags: list[int]) -> None:
        self._watch = watch
        self._name = filename if isinstance(filename, str) or filename is None else filename.filename()
        super().__init__("unix", filename, flags)

    def xWrite(self, data: bytes, offset: int) -> None:
        self._watch(Write("write", self._name, offset, bytes(data)))
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:
        self._watch(Write("truncate", self._name, newsize))
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:
        self._watch(Write("sync", self._name))
        super().xSync(flags)


class _FileSystem(apsw.VFS):
    def __init__(self, watch: Callable[[Write], None]) -> None:
        self._watch = watch
        super().__init__("watched", "unix", makedefault=True)

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:
        return _File(self._watch, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        self._watch(Write("delete", filename))
        super().xDelete(filename, syncdir)


@contextmanager
def watched(watch: Callable[[Write], None]) -> Iterator[None]:
    """While this lasts, SQLite tells `watch` before each change of a file; what that raises, the change raises."""
    system = _FileSystem(watch)
    try:
        yield
    finally:
        system.unregister()


def after_power_loss(
    before: dict[str, bytes], writes: list[Write], chance: Random, *, least: bool = False
) -> dict[str, bytes]:
    """The files as a loss of power may leave them: of what was not synced, any part has reached the disk.

    Sectors of a write reach it one by one, in any order. With `least`, nothing has that was not synced.
    """
    files = {name: bytearray(content) for name, content in before.items()}
    synced = {write.file: index for index, write in enumerate(writes) if write.what == "sync"}
    share = 0.0 if least else chance.choice([0.0, 0.3, 0.7, 1.0])
    for index, write in enumerate(writes):
        certain = index < synced.get(write.file, -1)
        if write.what == "delete" and (certain or chance.random() < share):
            files.pop(write.file, None)
        elif write.what == "truncate" and (certain or chance.random() < share):
            content = files.setdefault(write.file, bytearray())
            del content[write.offset :]
            content.extend(bytes(write.offset - len(content)))
        elif write.what == "write":
            for start in range(0, len(write.content), SECTOR):
                if certain or chance.random() < share:
                    _put(
                        files.setdefault(write.file, bytearray()),
                        write.offset + start,
                        write.content[start : start + SECTOR],
                    )
    return {name: bytes(content) for name, content in files.items()}


def _put(content: bytearray, offset: int, part: bytes) -> None:
    content.extend(bytes(max(0, offset + len(part) - len(content))))
    content[offset : offset + len(part)] = part
