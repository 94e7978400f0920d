"""Several calls as one transaction: all or nothing, receipts after the end alone, in files, threads and tasks."""

import asyncio
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from lethe.store import AsyncStore, Key, PurgeReceipt, StaysForgotten, Store, verifier
from lethe.store.errors import LetheError
from tests.support.hash_embedder import DIM, Clock, hash_embed

KEY = Key(bytes(range(32)))
SECRET = "the code is quintessence"


class Stop(Exception):
    """What ends a transaction."""


@pytest.fixture
def keyed(path: Path, clock: Clock) -> Store:
    return Store(path, embed=hash_embed, dim=DIM, clock=clock, key=KEY)


def told(store: Store) -> list[tuple[int, str, float]]:
    return [(each.memory_id, each.text, each.depth) for each in store.memories(include_submerged=True)]


def test_all_calls_are_stored_at_the_end(keyed: Store, path: Path) -> None:
    first, second = keyed.inscribe_many(["the key is here", SECRET])
    other = Store(path, embed=hash_embed, dim=DIM, key=KEY)
    before = told(other)
    with keyed.transaction() as receipts:
        third = keyed.supersede(first, "the key is there")
        draft = keyed.purge(second, stay_forgotten=True)
        assert [found.memory_id for found in keyed.recall("key", 1)] == [third]
        assert told(other) == before and receipts == []
    assert told(other) == told(keyed) == [(first, "the key is here", 0.0), (third, "the key is there", 1.0)]
    (receipt,) = receipts
    assert draft.memory_ids == receipt.memory_ids == (second,)
    assert receipt.complete and keyed.verify(receipt) and not keyed.verify(draft)
    verifier.verify(receipt.to_json(), KEY.public.hex(), path)
    assert keyed.receipt_of(second) == receipt
    assert keyed.audit() == []
    assert SECRET.encode() not in keyed.stored_bytes() + path.read_bytes()


def test_of_what_is_undone_nothing_is_left(keyed: Store, path: Path) -> None:
    first, second = keyed.inscribe_many(["the key is here", SECRET])
    before, log, found = told(keyed), keyed.log(), keyed.recall("key", 10)
    new = "a text that was never stored: xylophone " * 20_000
    drafts: list[PurgeReceipt] = []
    with pytest.raises(Stop), keyed.transaction() as receipts:
        keyed.supersede(first, "the key is there")
        keyed.inscribe(new)
        drafts.append(keyed.purge(second, stay_forgotten=True))
        assert [each.memory_id for each in keyed.recall("key", 10)] == [3, 4]
        keyed.recall("key", at=keyed.last_seq())
        raise Stop
    assert (told(keyed), keyed.log(), keyed.recall("key", 10)) == (before, log, found)
    assert receipts == [] and not any(map(keyed.verify, drafts))
    for draft in drafts:
        with pytest.raises(verifier.Refused):
            verifier.verify(draft.to_json(), KEY.public.hex(), path)
    with pytest.raises(LookupError, match="was not purged"):
        keyed.receipt_of(second)
    assert keyed.forgotten([SECRET]) == [False]
    assert b"xylophone" not in path.read_bytes() + path.with_name(f"{path.name}-wal").read_bytes()
    assert keyed.inscribe("another one") == 3
    assert {each.memory_id for each in keyed.recall("key", 10)} == {first, second, 3}
    assert keyed.audit() == []


def test_what_was_told_after_one_was_undone_has_its_own_vector(keyed: Store) -> None:
    keyed.inscribe("one")
    for _ in range(2):
        with pytest.raises(Stop), keyed.transaction(), keyed.transaction():
            keyed.inscribe_many(["two", "three", "four"])
            keyed.recall("two", 10)
            raise Stop
    keyed.inscribe_many(["five", "six", "seven", "eight"])
    assert keyed.recall("six", 1, mode="vector")[0].similarity == pytest.approx(1.0, abs=1e-3)
    assert {memory.text for memory in keyed.recall("one", 10)} == {"one", "five", "six", "seven", "eight"}


def test_a_call_that_raises_changes_nothing_and_the_others_stand(keyed: Store) -> None:
    first = keyed.inscribe(SECRET)
    with keyed.transaction() as receipts:
        keyed.purge(first, stay_forgotten=True)
        with pytest.raises(StaysForgotten):
            keyed.inscribe_many(["left out", SECRET])
        with pytest.raises(LookupError):
            keyed.supersede(99, "left out too")
        second = keyed.inscribe("kept")
    assert told(keyed) == [(second, "kept", 1.0)]
    assert len(receipts) == 1 and keyed.verify(receipts[0])


def test_one_within_another_is_undone_by_itself(keyed: Store) -> None:
    first, second, third = keyed.inscribe_many(["one", "two", "three"])
    with keyed.transaction() as receipts:
        keyed.purge(first)
        with pytest.raises(Stop), keyed.transaction():
            keyed.purge(second)
            assert keyed.recall("one two three", 10)[0].memory_id == third
            raise Stop
        assert {each.memory_id for each in keyed.recall("one two three", 10)} == {second, third}
        with keyed.within(owner="ann").transaction() as inner:
            fourth = keyed.within(owner="ann").inscribe("four")
            keyed.purge(third)
    assert [receipt.memory_ids for receipt in receipts] == [(first,), (third,)] and inner == []
    assert all(map(keyed.verify, receipts)) and keyed.audit() == []
    assert [memory.memory_id for memory in keyed.memories()] == [second, fourth]


@pytest.mark.parametrize(
    "act",
    [
        Store.head,
        Store.scrub,
        Store.reset,
        Store.close,
        Store.stored_bytes,
        Store.receipt_of,
        lambda store: store.extension(store.head()),
        lambda store: store.seal(KEY),
        lambda store: store.backup(store._database.name + ".copy"),
        lambda store: store.reembed("words"),
    ],
)
def test_what_vouches_for_a_state_waits_for_the_end(keyed: Store, path: Path, act: Callable[[Store], Any]) -> None:
    keyed.purge(keyed.inscribe(SECRET))
    with keyed.transaction():
        second = keyed.inscribe("kept")
        with pytest.raises(ValueError, match="not in a transaction"):
            act(keyed)
    assert told(keyed) == [(second, "kept", 1.0)]
    assert list(path.parent.glob("*.copy")) == []


def test_an_empty_file_may_be_filled_by_another_embedder_after_one_was_undone(path: Path) -> None:
    with Store(path, embed=hash_embed, dim=DIM) as store:
        with pytest.raises(Stop), store.transaction():
            store.inscribe("one")
            raise Stop
        with Store(path, embed=lambda texts: -hash_embed(texts), dim=DIM) as other:
            other.inscribe("two")
        with pytest.raises(LetheError, match="another embedder"):
            store.recall("two")


def test_the_file_is_compared_with_its_log_again_after_one_was_undone(keyed: Store, path: Path) -> None:
    first, second = keyed.inscribe_many(["one", "two"])
    keyed.close()
    with apsw.Connection(str(path)) as attacker:
        attacker.execute("UPDATE memory SET depth = 0.5 WHERE memory_id = ?", (second,))
    attacker.close()
    with Store(path, embed=hash_embed, dim=DIM, key=KEY) as store:
        with pytest.raises(Stop), store.transaction():
            store.purge(second)
            assert [memory.memory_id for memory in store.memories()] == [first]
            raise Stop
        with pytest.raises(LetheError, match="changed without its key"):
            store.count()


def test_other_threads_wait(keyed: Store) -> None:
    seen: list[list[tuple[int, str, float]]] = []
    thread = threading.Thread(target=lambda: seen.append(told(keyed)))
    with keyed.transaction():
        first = keyed.inscribe("one")
        thread.start()
        thread.join(0.1)
        assert seen == []
    thread.join(10)
    assert seen == [[(first, "one", 1.0)]]


def test_threads_that_look_back_and_erase_do_not_hold_each_other_up(keyed: Store) -> None:
    ids = keyed.inscribe_many([f"fact {number}" for number in range(40)])
    stop = threading.Event()

    def look_back() -> None:
        while not stop.is_set():
            keyed.recall("fact", at=1)

    thread = threading.Thread(target=look_back, daemon=True)
    thread.start()
    for memory in ids[:20]:
        with keyed.transaction():
            keyed.touch([memory])
            keyed.purge(memory)
    stop.set()
    thread.join(10)
    assert not thread.is_alive() and keyed.count() == 20


def test_tasks(path: Path) -> None:
    async def act() -> None:
        async with AsyncStore(path, embed=hash_embed, dim=DIM, key=KEY) as store:
            ann = store.within(owner="ann")
            first = await ann.inscribe(SECRET)
            with pytest.raises(Stop):
                async with store.transaction():
                    await ann.inscribe("undone")
                    await ann.purge(first)
                    raise Stop
            assert [memory.memory_id for memory in await store.recall("code", 5)] == [first]
            async with ann.transaction() as receipts:
                async with store.transaction():
                    await asyncio.gather(*(ann.inscribe(f"fact {number}") for number in range(10)))
                assert await ann.count() == 11
                await ann.purge(first)
            assert [receipt.memory_ids for receipt in receipts] == [(first,)]
            assert await store.verify(receipts[0]) and await store.count() == 10

    asyncio.run(act())


def test_tasks_outside_wait_with_their_changes_and_read_what_was_before(path: Path) -> None:
    async def act() -> None:
        async with AsyncStore(path, embed=hash_embed, dim=DIM) as store:
            begun, go_on = asyncio.Event(), asyncio.Event()

            async def all_at_once() -> None:
                async with store.transaction():
                    await store.inscribe("one")
                    begun.set()
                    await go_on.wait()

            task = asyncio.create_task(all_at_once())
            await begun.wait()
            waiting = asyncio.create_task(store.inscribe("two"))
            assert await store.count() == 0
            await asyncio.sleep(0.05)
            assert not waiting.done()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await waiting == 1
            assert [memory.text for memory in await store.memories()] == ["two"]

    asyncio.run(act())


@pytest.mark.parametrize("raises", [False, True])
def test_a_forked_child_neither_stores_nor_undoes_the_transaction_of_its_parent(keyed: Store, raises: bool) -> None:
    parent, outcome = os.getpid(), 1
    try:
        with keyed.transaction():
            keyed.inscribe("one " * 100_000)
            child = os.fork()
            if child:
                assert os.waitpid(child, 0)[1] == 0
                keyed.inscribe("two")
            elif raises:
                raise Stop
    except (LetheError, Stop) as error:
        outcome = isinstance(error, Stop) != raises
    finally:
        if os.getpid() != parent:
            os._exit(outcome)
    assert [memory.memory_id for memory in keyed.memories()] == [1, 2] and keyed.audit() == []
