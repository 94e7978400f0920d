"""`AsyncStore`: the methods of `Store`, an event loop that is never held up, and files that several share."""

import asyncio
import inspect
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt
import pytest

from lethe.store import AsyncStore, Store
from lethe.store.errors import LetheError
from tests.support.hash_embedder import DIM, hash_embed
from tests.support.paths import ROOT

PATIENCE_S = 60.0
OF_STORE_ALONE = {"let_go"}
PROGRAM = """
import asyncio, sys
from lethe.store import AsyncStore


async def main(number, path):
    async with AsyncStore(path, key="k") as store:
        for turn in range(4):
            id = await store.inscribe(f"process {number} tells {turn}")
            found = await asyncio.gather(*(store.recall(f"process {number} tells {turn}", 1) for _ in range(4)))
            assert {memories[0].text for memories in found} == {f"process {number} tells {turn}"}, found
            if turn % 2:
                await store.purge(id)


asyncio.run(main(int(sys.argv[1]), sys.argv[2]))
"""


def test_it_has_the_methods_of_a_store() -> None:
    methods = {name for name, _ in inspect.getmembers(Store, inspect.isfunction) if not name.startswith("_")}
    assert methods - OF_STORE_ALONE == {
        name for name, _ in inspect.getmembers(AsyncStore, inspect.isfunction) if not name.startswith("_")
    }
    for name in methods - OF_STORE_ALONE - {"within", "transaction"}:
        assert inspect.iscoroutinefunction(getattr(AsyncStore, name)), name


def test_it_does_what_a_store_does(path: Path) -> None:
    async def act() -> None:
        async with AsyncStore(path, embed=hash_embed, dim=DIM, key=path.with_name("k")) as store:
            ines = store.within(owner="ines").within(source="mail")
            first = await ines.inscribe("the key is here")
            second = await ines.supersede(first, "the key is there")
            assert [found.memory_id for found in await ines.recall("key", 5, touch=True)] == [second]
            assert await store.within(owner="tom").recall("key", 5) == []
            assert (await ines.memory(second)).source == "mail"
            with pytest.raises(LookupError):
                await store.within(owner="tom").purge(second)
            receipt = await ines.purge(second, with_line=True, stay_forgotten=True)
            assert receipt.complete and await store.verify(receipt)
            assert await store.forgotten(["The key is there"]) == [True]
            assert await store.audit() == []
        with pytest.raises(LetheError, match="is closed; open it again"):
            await store.count()

    asyncio.run(act())


def test_a_store_in_memory_has_one_state() -> None:
    async def act() -> None:
        async with AsyncStore(embed=hash_embed, dim=DIM) as store:
            await asyncio.gather(*(store.inscribe(f"fact {number}") for number in range(20)))
            assert await store.count() == 20

    asyncio.run(act())


def test_the_loop_goes_on_while_texts_are_embedded_and_read(path: Path) -> None:
    """Each embedding waits until the loop has turned again: a loop that waited for one would never let it go."""
    turned = threading.Event()

    def embed(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        turned.clear()
        if not turned.wait(PATIENCE_S):
            raise TimeoutError("the event loop stood still")
        return hash_embed(texts)

    async def turn() -> None:
        while True:
            turned.set()
            await asyncio.sleep(0)

    async def act() -> None:
        async with AsyncStore(path, embed=embed, dim=DIM) as store:
            turning = asyncio.create_task(turn())
            tasks = (
                store.inscribe(f"fact {number}") if number % 2 else store.recall(f"fact {number}", 3)
                for number in range(64)
            )
            await asyncio.gather(*tasks)
            assert await store.count() == 32
            turning.cancel()

    asyncio.run(act())


def test_what_was_erased_leaves_the_memory_of_every_reader(path: Path) -> None:
    async def act() -> None:
        async with AsyncStore(path, embed=hash_embed, dim=DIM) as store:
            ids = await store.inscribe_many(["one secret", "another fact"])
            barrier = threading.Barrier(4)

            def meet(reader: Store) -> None:
                reader.recall("secret", 1)
                barrier.wait(PATIENCE_S)

            await asyncio.gather(*(store._threads.read(meet) for _ in range(4)))
            readers: list[Any] = store._threads._readers
            assert len(readers) == 4
            secret = hash_embed(["one secret"])[0]
            assert all((each._database.index._vectors == secret).all(axis=1).any() for each in readers)
            await store.purge(ids[0])
            assert not any((each._database.index._vectors == secret).all(axis=1).any() for each in readers)
            await store.reset()
            assert not any(each._database.index._vectors.any() for each in readers)
            assert await store.recall("fact", 1) == []

    asyncio.run(act())


def test_a_call_that_is_cancelled_leaves_the_store_whole(path: Path) -> None:
    async def act() -> None:
        async with AsyncStore(path, embed=hash_embed, dim=DIM) as store:
            tasks = [asyncio.create_task(store.inscribe(f"fact {number}")) for number in range(20)]
            await asyncio.sleep(0)
            for task in tasks[::2]:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            assert await store.audit() == []

    asyncio.run(act())


def test_a_change_that_is_cancelled_while_it_waits_has_its_effect(path: Path) -> None:
    goes_on = threading.Event()

    def embed(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        if not goes_on.wait(PATIENCE_S):
            raise TimeoutError("nobody let it go on")
        return hash_embed(texts)

    async def act() -> None:
        async with AsyncStore(path, embed=embed, dim=DIM, key=path.with_name("k")) as store:
            goes_on.set()
            secret = await store.inscribe("one secret")
            goes_on.clear()
            busy = asyncio.create_task(store.inscribe("another fact"))
            waiting = [asyncio.create_task(store.purge(secret)), asyncio.create_task(store.purge(7))]
            await asyncio.sleep(0)
            for task in waiting:
                task.cancel()
            cancelled = await asyncio.gather(*waiting, return_exceptions=True)
            assert [type(error) for error in cancelled] == [asyncio.CancelledError] * 2
            goes_on.set()
            await busy
            begun = asyncio.create_task(store.transaction().__aenter__())
            await asyncio.sleep(0)
            begun.cancel()
            await asyncio.gather(begun, return_exceptions=True)
            await store.inscribe("a third fact")
            assert [memory.text for memory in await store.memories()] == ["another fact", "a third fact"]
            assert await store.audit() == []

    asyncio.run(act())


def test_a_mistake_is_told_where_it_is_awaited(path: Path) -> None:
    async def act() -> None:
        with pytest.raises(ValueError, match="readers must be"):
            AsyncStore(path, readers=0)
        apsw.Connection(str(path)).execute("CREATE TABLE mine (a)")
        with pytest.raises(LetheError, match="not a Lethe store"):
            async with AsyncStore(path):
                pass

    asyncio.run(act())


def test_a_store_in_memory_that_is_closed_says_so_too() -> None:
    async def act() -> None:
        store = AsyncStore(embed=hash_embed, dim=DIM)
        await store.inscribe("the key is here")
        await store.close()
        with pytest.raises(LetheError, match="store :memory: is closed; open it again"):
            await store.inscribe("the key is there")
        await store.close()

    asyncio.run(act())


def test_five_processes_share_a_file(tmp_path: Path) -> None:
    Store(tmp_path / "m.db", key=tmp_path / "k").close()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(number), "m.db"],
            cwd=tmp_path,
            env={"PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(5)
    ]
    told = [process.communicate()[1] for process in processes]
    assert [process.returncode for process in processes] == [0] * 5, told
    with Store(tmp_path / "m.db", key=tmp_path / "k") as store:
        assert store.count() == 10 and store.audit() == []


def test_a_missing_key_of_a_sealed_store_is_not_made(path: Path) -> None:
    with Store(path, embed=hash_embed, dim=DIM, key=path.with_name("k")) as store:
        store.inscribe("alpha")

    async def act() -> None:
        store = AsyncStore(path, embed=hash_embed, dim=DIM, key=path.with_name("typo"))
        with pytest.raises(LetheError, match=r"typo is not there, and store .* is sealed under a key"):
            await store.count()
        await store.close()

    asyncio.run(act())
    assert not path.with_name("typo").exists()
