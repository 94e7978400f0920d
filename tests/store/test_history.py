"""The event log: append-only, chained, and enough to rebuild every earlier state."""

import contextlib
import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import apsw
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lethe.store import PINNED, Event, Memory, PurgeReceipt, Store, log_root, versions
from lethe.store.errors import LetheError
from tests.support.hash_embedder import DIM, Clock, hash_embed

PARTS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.lists(st.integers())
TEXTS = ["sun", "moon star", "sun moon", "sea", "star sea sky", "sky sun"]
OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "inscribe",
                "inscribe",
                "decay",
                "release",
                "supersede",
                "edit",
                "purge",
                "pin",
                "unpin",
                "age",
                "touch",
            ]
        ),
        st.integers(0, 7),
        st.sampled_from(TEXTS),
        st.sampled_from([0.9, 0.5, 0.2]),
    ),
    max_size=25,
)


class Model:
    """What a store should hold, kept as plainly as possible."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self.store = store
        self.clock = clock
        self.memories: dict[int, tuple[str, float] | None] = {}
        self.used: dict[int, float] = {}
        self.uses: dict[int, int] = {}
        self.consolidated = 0.0

    def apply(self, operation: str, index: int, text: str, factor: float) -> None:
        self.clock.pass_days(index)
        if operation == "inscribe" or not self.memories:
            self.add(self.store.inscribe(text), text)
        elif operation == "age":
            self.age()
        else:
            memory_id = index % len(self.memories) + 1
            memory = self.memories[memory_id]
            if memory is None:
                for refused in (self.store.purge, self.store.pin):
                    with pytest.raises(LookupError, match="was purged"):
                        refused(memory_id)
            else:
                getattr(self, operation)(memory_id, memory, text, factor)

    def add(self, memory_id: int, text: str) -> None:
        assert memory_id not in self.memories
        self.memories[memory_id] = (text, 1.0)
        self.used[memory_id], self.uses[memory_id] = self.clock.now, 0

    def decay(self, memory_id: int, memory: tuple[str, float], text: str, factor: float) -> None:
        depth = self.store.decay(memory_id, factor)
        assert depth <= memory[1]
        assert (depth == PINNED) == (memory[1] == PINNED)
        expected = memory[1] * factor
        self.memories[memory_id] = (memory[0], expected if expected >= 0.05 else 0.0)

    def release(self, memory_id: int, memory: tuple[str, float], text: str, factor: float) -> None:
        self.store.release(memory_id)
        self.memories[memory_id] = (memory[0], 0.0)

    def supersede(self, memory_id: int, memory: tuple[str, float], text: str, factor: float) -> None:
        self.add(self.store.supersede(memory_id, text), text)
        self.memories[memory_id] = (memory[0], 0.0)

    def edit(self, memory_id: int, memory: tuple[str, float], text: str, factor: float) -> None:
        self.store.edit(memory_id, text)
        self.memories[memory_id] = (text, memory[1])

    def purge(self, memory_id: int, memory: tuple[str, float], text: str, factor: float) -> None:
        assert self.store.purge(memory_id).memory_ids == (memory_id,)
        self.memories[memory_id] = None

    def pin(self, memory_id: int, memory: tuple[str, float], text: str, factor: float) -> None:
        self.store.pin(memory_id)
        self.memories[memory_id] = (memory[0], PINNED)

    def unpin(self, memory_id: int, memory: tuple[str, float], text: str, factor: float) -> None:
        self.store.unpin(memory_id)
        self.memories[memory_id] = (memory[0], 1.0 if memory[1] == PINNED else memory[1])

    def touch(self, memory_id: int, memory: tuple[str, float], text: str, factor: float) -> None:
        self.store.touch([memory_id])
        if memory[1] > 0:
            self.used[memory_id] = self.clock.now
            self.uses[memory_id] += 1

    def age(self) -> None:
        self.store.consolidate(half_life_days=8)
        for memory_id, memory in self.memories.items():
            if memory is not None and 0 < memory[1] <= 1:
                days = (self.clock.now - max(self.used[memory_id], self.consolidated)) / 86_400
                sunk = memory[1] * 2 ** (-days / 8)
                risen = 1 - (1 - memory[1]) / 2 ** self.uses[memory_id]
                depth = risen if self.uses[memory_id] else sunk
                self.memories[memory_id] = (memory[0], depth if depth >= 0.05 else 0.0)
            self.uses[memory_id] = 0
        self.consolidated = self.clock.now

    def listed(self) -> list[Memory]:
        return [Memory(i, *memory) for i, memory in sorted(self.memories.items()) if memory is not None]


def assert_same_memories(found: list[Memory], expected: list[Memory]) -> None:
    assert [(memory.memory_id, memory.text) for memory in found] == [
        (memory.memory_id, memory.text) for memory in expected
    ]
    assert [memory.depth for memory in found] == pytest.approx([memory.depth for memory in expected], rel=1e-9)


def assert_indexes_hold_the_live_memories(store: Store) -> None:
    connection = store._database.connection
    connection.execute("INSERT INTO lexical (lexical, rank) VALUES ('integrity-check', 1)")
    live = {memory.memory_id: memory.text for memory in store.memories()}
    matrix = store._database.index
    matrix.catch_up(connection)
    resident = {int(i): matrix._vectors[row].tobytes() for row, i in enumerate(matrix._ids[: matrix._used])}
    assert resident == {memory_id: hash_embed([text]).tobytes() for memory_id, text in live.items()}
    assert matrix._places == {memory_id: row for row, memory_id in enumerate(resident)}
    assert not matrix._vectors[matrix._used :].any(), "rows of memories that left are overwritten"
    count = connection.execute("SELECT count(*) FROM lexical_docsize").fetchall()
    assert count == [(len(live),)]


@settings(max_examples=120, deadline=None)
@given(operations=OPERATIONS)
def test_any_history(operations: list[tuple[str, int, str, float]]) -> None:
    """The memories are what was asked for, the log replays to them, and a purge is for good."""
    clock = Clock()
    with Store(embed=hash_embed, dim=DIM, clock=clock) as store:
        model = Model(store, clock)
        past = {}
        for operation in operations:
            before = as_logged(store)
            seq = store.last_seq()
            model.apply(*operation)
            after = as_logged(store)
            assert_same_memories(store.memories(include_submerged=True), model.listed())
            assert_each_transition_is_logged_once(store.log()[seq:], before, after)
            past[store.last_seq()] = store.memories(include_submerged=True), store.recall("sun moon", 3)
        assert_indexes_hold_the_live_memories(store)
        assert store.verify_log()
        void = {memory_id for memory_id, memory in model.memories.items() if memory is None}
        for seq, (memories, recalled) in past.items():
            assert store.memories(include_submerged=True, at=seq) == [r for r in memories if r.memory_id not in void]
            again = store.recall("sun moon", 3, at=seq)
            assert not void & {memory.memory_id for memory in again}
            if not void & {memory.memory_id for memory in memories}:
                assert again == recalled


def as_logged(store: Store) -> list[Memory]:
    """The memories with the depths of their last events, without what has sunk by itself since."""
    depths = dict(store._database.connection.execute("SELECT memory_id, depth FROM memory").fetchall())
    return [
        replace(memory, depth=depths[memory.memory_id])  # type: ignore[arg-type]
        for memory in store.memories(include_submerged=True)
    ]


def assert_each_transition_is_logged_once(events: list[Event], before: list[Memory], after: list[Memory]) -> None:
    old = {memory.memory_id: memory.depth for memory in before}
    new = {memory.memory_id: memory.depth for memory in after}
    moved = {i: (old.get(i), new.get(i)) for i in old.keys() | new.keys() if old.get(i) != new.get(i)}
    logged = {event.memory_id: (event.depth_before, event.depth_after) for event in events}
    assert len(logged) == len(events)
    assert moved.items() <= logged.items()
    for event in events:
        if event.memory_id not in moved:  # an edit, a submerged memory that is superseded, one that was used
            assert event.operation in ("edit", "supersede", "consolidate")
            assert event.depth_before == event.depth_after


def test_time_travel(store: Store) -> None:
    store.inscribe_many(["sun one", "sun two"])
    start = store.last_seq()
    store.edit(1, "moon one")
    store.release(2)
    store.inscribe("sun three")
    assert [memory.text for memory in store.recall("sun", mode="lexical", at=start)] == ["sun one", "sun two"]
    assert store.memories(at=0) == []
    assert store.memories(at=start + 1) == [Memory(1, "moon one", 1.0), Memory(2, "sun two", 1.0)]
    assert store.memories(at=store.last_seq()) == store.memories()
    for seq in (-1, store.last_seq() + 1):
        with pytest.raises(ValueError, match="no event"):
            store.recall("sun", at=seq)


def test_time_travel_does_not_embed_again() -> None:
    asked: list[str] = []

    def embed(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        asked.extend(texts)
        return hash_embed(texts)

    with Store(embed=embed, dim=DIM) as store:
        store.inscribe_many(["sun one", "sun two"])
        asked.clear()
        store.recall("sun", at=1)
    assert asked == ["sun"]


def test_the_last_state_replayed_is_kept_until_a_purge(store: Store) -> None:
    store.inscribe_many(["sun one", "sun two"])
    first = store._past._state(2)
    store.inscribe("sun three")
    assert store._past._state(2) is first
    assert store._past._state(1) is not first
    store.recall("sun", at=2)
    store.purge(1)
    assert [memory.memory_id for memory in store.recall("sun", at=2)] == [2]
    store.recall("sun", at=2)
    store.purge_matching("two")
    assert store.recall("sun", at=2) == []


def test_a_purge_by_another_store_reaches_a_kept_state(path: Path, file_store: Store, clock: Clock) -> None:
    file_store.inscribe_many(["sun one", "sun two"])
    assert len(file_store.recall("sun", at=2)) == 2
    kept = file_store._past._replayed
    assert kept is not None
    with Store(path, embed=hash_embed, dim=DIM, clock=clock) as other:
        other.purge(1)
    file_store.count()
    assert file_store._past._replayed is None, "whatever the store is used for"
    with pytest.raises(LetheError, match="closed"):
        kept.serialized()
    assert [memory.memory_id for memory in file_store.recall("sun", at=2)] == [2]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event SET at = 0",
        "UPDATE event SET memory_id = 2 WHERE seq = 1",
        "DELETE FROM event",
        "DELETE FROM event WHERE seq = 1",
        "INSERT OR REPLACE INTO event SELECT seq, 0.0, operation, memory_id, NULL, 1.0, version_id, NULL,"
        " NULL, digest, NULL FROM event",
        "DELETE FROM memory WHERE memory_id = 1",
        "UPDATE memory SET depth = 1.0, version_id = 1 WHERE memory_id = 1",
    ],
)
def test_log_and_tombstones_cannot_be_changed_by_any_connection(path: Path, file_store: Store, statement: str) -> None:
    file_store.inscribe_many(["sun one", "sun two"])
    file_store.purge(1)
    log = file_store.log()
    connection = apsw.Connection(str(path))
    with pytest.raises(apsw.ConstraintError, match=r"append-only|stays void|never deleted"):
        connection.execute(statement).fetchall()
    connection.close()
    assert file_store.log() == log


def test_an_event_holds_no_text(store: Store) -> None:
    store.inscribe("xylophone one")
    store.edit(1, "xylophone two")
    store.supersede(1, "xylophone three")
    for event in store.log():
        assert "xylophone" not in repr(event)


def test_the_digest_of_an_event(store: Store, clock: Clock) -> None:
    store.inscribe("sun")
    store.pin(1)
    ((checksum,),) = store._database.connection.execute("SELECT checksum FROM version").fetchall()
    told = [1, clock.now, "inscribe", 1, None, 1.0, 1, None, checksum.hex()]
    first = hashlib.sha256(b"\0" + json.dumps(told).encode()).digest()
    second = hashlib.sha256(b"\0" + f'[2, {clock.now}, "pin", 1, 1.0, Infinity, 1, null]'.encode()).digest()
    assert [event.digest for event in store.log()] == [first.hex(), second.hex()]
    assert log_root(store.log()) == hashlib.sha256(b"\1" + first + second).hexdigest()
    assert log_root([]) == hashlib.sha256().hexdigest()


def receipt_of_two(store: Store) -> PurgeReceipt:
    store.inscribe_many(["sun one", "sun two", "sun three"])
    store.edit(1, "moon")
    return store.purge_many([1, 3, 1])


def test_a_receipt_names_what_was_erased(store: Store) -> None:
    receipt = receipt_of_two(store)
    log = store.log()
    assert (receipt.memory_ids, receipt.event_seqs, receipt.versions) == ((1, 3), (5, 6), (2, 1))
    assert (receipt.versions_erased, receipt.last_seq, receipt.complete) == (3, 6, True)
    assert (receipt.root, receipt.keyed_hashes, receipt.signature) == (log_root(log), (), "")
    assert [(log[seq - 1].operation, log[seq - 1].memory_id) for seq in receipt.event_seqs] == [
        ("purge", 1),
        ("purge", 3),
    ]
    store.inscribe("later")
    assert store.verify(receipt)
    nothing = store.purge_many([1])
    assert (nothing.memory_ids, nothing.event_seqs, nothing.versions_erased) == ((), (), 0)
    assert not store.verify(nothing)


def test_a_receipt_of_another_purge_is_not_verified(store: Store) -> None:
    receipt = receipt_of_two(store)
    first, second = receipt.events
    assert not store.verify(replace(receipt, events=(first, second.replace('"purge", 3', '"purge", 2'))))
    assert not store.verify(replace(receipt, events=(second, first)))
    assert not store.verify(replace(receipt, before=3))
    assert not store.verify(replace(receipt, root="00" * 32))
    assert not store.verify(replace(receipt, path=()))
    with Store(embed=hash_embed, dim=DIM) as other:
        assert not other.verify(receipt)


OF_ANOTHER_EVENT = [
    "DROP TRIGGER event_is_never_updated; UPDATE event SET at = at + 1 WHERE seq = 2",
    "DROP TRIGGER event_is_never_deleted; DELETE FROM event WHERE seq = 2",
    "UPDATE node SET digest = x'00' WHERE level = 1 AND number = 0",
]


@pytest.mark.parametrize(
    "tampering",
    [
        "DROP TRIGGER event_is_never_updated; UPDATE event SET at = at + 1 WHERE seq = 6",
        "DROP TRIGGER event_is_never_updated; UPDATE event SET digest = x'00' WHERE seq = 6",
        "DROP TRIGGER event_is_never_deleted; DELETE FROM event WHERE seq = 6",
        "UPDATE node SET digest = zeroblob(32) WHERE level = 2 AND number = 0",
        "DROP TRIGGER memory_stays_void; UPDATE memory SET depth = 0.0, version_id = 1 WHERE memory_id = 1",
        "INSERT INTO version (memory_id, text, vector, salt, checksum) VALUES (3, 'sun three', x'00', x'00', x'00')",
    ],
)
def test_verification_sees_tampering(path: Path, file_store: Store, tampering: str) -> None:
    receipt = receipt_of_two(file_store)
    assert file_store.verify(receipt)
    with contextlib.closing(apsw.Connection(str(path))) as connection:
        connection.execute(tampering).fetchall()
    assert not file_store.verify(receipt)


@pytest.mark.parametrize("tampering", OF_ANOTHER_EVENT)
def test_reading_the_whole_log_sees_what_no_receipt_is_about(path: Path, file_store: Store, tampering: str) -> None:
    receipt = receipt_of_two(file_store)
    assert file_store.verify_log()
    with contextlib.closing(apsw.Connection(str(path))) as connection:
        connection.execute(tampering).fetchall()
    assert file_store.verify(receipt), "takes no look at other events"
    assert not file_store.verify_log()


@given(st.lists(PARTS))
def test_what_digests_are_made_of_is_written_as_json_writes_it(parts: list[object]) -> None:
    assert versions.json_array(parts) == json.dumps(parts)
