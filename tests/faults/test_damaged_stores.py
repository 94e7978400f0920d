"""Files that are not a store, or no longer one; who may read them; what interrupts and threads leave behind."""

import contextlib
import ctypes
import multiprocessing
import os
import random
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from lethe.store import Store, connection, database
from lethe.store.errors import LetheError, NothingMeets
from tests.support.hash_embedder import DIM, hash_embed


def opened(path: Path | str) -> Store:
    return Store(path, embed=hash_embed, dim=DIM)


def refusal(act: Callable[[], object]) -> str:
    with pytest.raises(LetheError) as caught:
        act()
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memories.db"


@pytest.fixture
def whole(path: Path) -> bytes:
    """The bytes of a store with every kind of memory and event."""
    with opened(path) as store:
        store.inscribe_many([f"alpha {number}" for number in range(40)])
        store.release(3)
        store.edit(4, "gamma")
        store.supersede(5, "delta")
        store.decay(6, 0.5)
        store.purge(8)
        store.scrub()
    return path.read_bytes()


@pytest.mark.parametrize("given", ["", "a\0b"])
def test_what_is_no_path_is_refused(given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "name a file" in refusal(lambda: opened(given))
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_is_refused_and_stays_empty(path: Path) -> None:
    path.touch()
    assert "not a Lethe store" in refusal(lambda: opened(path))
    assert path.read_bytes() == b"" and list(path.parent.iterdir()) == [path]


def test_a_folder_and_a_link_to_nowhere(path: Path) -> None:
    path.mkdir()
    assert "cannot be opened" in refusal(lambda: opened(path))
    (path / "link").symlink_to(path / "target")
    with opened(path / "link") as store:
        store.inscribe("alpha")
    with opened(path / "target") as store:
        assert store.count() == 1


@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_a_store_is_for_its_user_alone(path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        with opened(path) as store:
            store.inscribe("alpha")
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert modes == {"memories.db": 0o600, "memories.db-wal": 0o600, "memories.db-shm": 0o600}


def _inscribe(path: Path, barrier: Any) -> None:
    barrier.wait()
    with opened(path) as store:
        store.inscribe(f"alpha {os.getpid()}")


def test_a_store_that_many_processes_make_at_once_is_one_store(path: Path) -> None:
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(4)
    makers = [context.Process(target=_inscribe, args=(path, barrier)) for _ in range(4)]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join()
    assert [maker.exitcode for maker in makers] == [0] * 4
    with opened(path) as store:
        assert store.count() == 4
    assert list(path.parent.iterdir()) == [path]


def _uses(store: Store) -> Iterator[Callable[[], object]]:
    yield lambda: store.recall("alpha 3")
    yield lambda: store.recall("alpha 3", mode="lexical")
    yield lambda: store.memories(include_submerged=True)
    yield lambda: store.memories(at=30)
    yield lambda: store.recall("alpha", at=20)
    yield lambda: store.verify(store.purge(13))
    yield lambda: store.inscribe("new")
    yield lambda: store.edit(11, "other")
    yield lambda: store.pin(3)
    yield lambda: store.supersede_matching("alpha 20", "x")
    yield lambda: store.release_matching("alpha 22")
    yield lambda: store.purge_matching("alpha 24")
    yield lambda: store.surrender(30, "supersede", text="zz")
    yield lambda: store.consolidate()
    yield lambda: store.log()
    yield lambda: store.blame(5)
    yield lambda: store.scrub()
    yield lambda: store.stored_bytes()


def _damaged(whole: bytes, chance: random.Random) -> bytes:
    content, at = bytearray(whole), chance.randrange(len(whole))
    match chance.randrange(4):
        case 0:
            for _ in range(chance.choice([1, 5, 50, 500])):
                content[chance.randrange(len(content))] = chance.randrange(256)
        case 1:
            del content[at:]
        case 2:
            content[at : at + chance.choice([10, 100, 4096])] = b"\0" * 10
        case _:
            page, other = (chance.randrange(len(whole) // 4096) * 4096 for _ in range(2))
            content[page : page + 4096] = whole[other : other + 4096]
    return bytes(content)


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_store_is_one_line(path: Path, whole: bytes, seed: int) -> None:
    path.write_bytes(_damaged(whole, random.Random(seed)))
    try:
        store = opened(path)
    except LetheError as error:
        assert str(path) in str(error) and "\n" not in str(error)
        return
    for use in _uses(store):
        try:
            use()
        except LetheError as error:
            assert str(path) in str(error) and "\n" not in str(error)
        except (LookupError, ValueError) as error:
            # What is missing now looks like what never was.
            assert isinstance(error, NothingMeets) or "there is no" in str(error), repr(error)
    store.close()


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE store",
        "DELETE FROM store",
        "DROP TRIGGER event_is_never_updated; UPDATE event SET digest = 'x'",
        "UPDATE version SET text = CAST(x'ff' AS TEXT)",
        "DROP TABLE lexical",
        "DELETE FROM version",
        "DELETE FROM sqlite_sequence",
    ],
)
def test_missing_tables_and_other_values_are_damage(path: Path, whole: bytes, sql: str) -> None:
    raw = connection.connect(str(path))
    raw.execute(f"PRAGMA foreign_keys = OFF; {sql}").fetchall()
    raw.close()

    def use() -> None:
        with opened(path) as store:
            store.memories(include_submerged=True)
            store.recall("alpha")
            store.inscribe("new")

    assert "damaged" in refusal(use)


class Interrupt(BaseException):
    """Stands for what a signal raises."""


def _interrupted(act: Callable[[], object], at: int) -> bool:
    """Raise at the `at`-th place where Python looks for signals while a transaction is made; False if it has fewer.

    Those places are the beginning of a function and the end of a call.
    """
    left = at

    def profile(frame: FrameType, event: str, argument: object) -> None:
        nonlocal left
        if event in ("call", "c_return") and frame.f_code.co_filename in (database.__file__, contextlib.__file__):
            left -= 1
            if left < 0:
                sys.setprofile(None)
                raise Interrupt

    sys.setprofile(profile)
    try:
        act()
    except Interrupt:
        return True
    finally:
        sys.setprofile(None)
    return False


@pytest.mark.parametrize("act", [lambda store: store.inscribe("beta"), lambda store: store.count()])
def test_an_interrupt_at_any_instruction_leaves_no_transaction(path: Path, act: Callable[[Store], object]) -> None:
    with opened(path) as store, opened(path) as other:
        store.inscribe("alpha")
        at = 0
        while _interrupted(lambda: act(store), at):
            assert not store._database.connection.in_transaction, at
            assert other.purge_matching("beta", floor=None).complete, at
            at += 1
        assert at > 15
        store.inscribe("gamma")


def test_an_interrupt_from_outside_leaves_no_transaction(path: Path) -> None:
    set_exception = ctypes.pythonapi.PyThreadState_SetAsyncExc
    thread = ctypes.c_ulong(threading.get_ident())
    with opened(path) as store:
        for _ in range(20):
            timer = threading.Timer(0.002, set_exception, (thread, ctypes.py_object(Interrupt)))
            with pytest.raises(Interrupt):
                timer.start()
                while True:
                    store.inscribe("alpha")
            timer.join()
            assert not store._database.connection.in_transaction
            store.count()


def test_another_thread_waits_for_the_one_that_uses_the_store(path: Path) -> None:
    with opened(path) as store:
        with store._database.writing() as open_one:
            thread = threading.Thread(target=store.inscribe, args=["beta"])
            thread.start()
            thread.join(0.2)
            assert thread.is_alive() and open_one.in_transaction
        thread.join()
        assert store.count() == 1


def test_an_operation_within_an_operation_says_what_to_do(path: Path) -> None:
    with opened(path) as store, store._database.writing(), pytest.raises(LetheError, match="of the same thread"):
        store.inscribe("beta")


def test_none_of_the_calls_of_threads_at_once_fails(path: Path) -> None:
    failed: list[Exception] = []

    def use(number: int) -> None:
        for turn in range(10):
            try:
                id = store.inscribe(f"alpha {number} {turn}")
                assert store.recall(f"alpha {number} {turn}", 1)
                assert [memory.memory_id for memory in store.memories(at=1)] in ([1], [])
                store.within(owner="ann").recall("alpha", mode="vector")
                assert store.purge(id).complete
            except (LetheError, LookupError, AssertionError) as error:
                failed.append(error)

    with opened(path) as store:
        threads = [threading.Thread(target=use, args=[number]) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failed == []
        assert (store.count(), store.last_seq()) == (0, 160)
        assert store.verify_log()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_store_that_was_opened_before_a_fork_is_refused_in_the_child(path: Path) -> None:
    with opened(path) as store:
        store.inscribe("alpha")
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                store.inscribe("beta")
            except LetheError as error:
                os.write(writing, str(error).encode())
            finally:
                store.close()
                os._exit(0)
        os.waitpid(child, 0)
        os.close(writing)
        with os.fdopen(reading) as said:
            assert "before this process was forked" in said.read()
        assert store.inscribe("gamma") == 2
