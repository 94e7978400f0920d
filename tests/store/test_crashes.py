"""Kills at any write, losses of power and full disks: afterwards the store is whole, and nothing erased is left.

What is stopped is every kind of change (`tests.support.crashing.STEPS`). A kill between two writes leaves what a kill
at the second leaves, so kills at writes are kills at any moment. With LETHE_CRASHES=all there are 500 kills, 1000
losses of power and a full disk at each write; by default, a fifth of these.
"""

import os
import random
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from lethe.store import PurgeReceipt
from lethe.store.errors import LetheError
from tests.support.crashing import STEPS, State, Write, after_power_loss, check_sound, opened, states, watched

PART = {"all": 1, "": 5}[os.environ.get("LETHE_CRASHES", "")]


@pytest.fixture(scope="module")
def known() -> list[State]:
    return states()


def run(path: Path, watch: Callable[[Write], None], told: Callable[[int, PurgeReceipt | None], None]) -> None:
    """Carry out all steps on a new store; `told` hears of each as soon as it has returned."""
    opened(path).close()
    with watched(watch), opened(path) as store:
        for number, step in enumerate(STEPS, start=1):
            done = step(store)
            told(number, done if isinstance(done, PurgeReceipt) else None)


@pytest.fixture(scope="module")
def writes(tmp_path_factory: pytest.TempPathFactory) -> int:
    """How many changes of files all steps make."""
    counted: list[Write] = []
    run(tmp_path_factory.mktemp("counted") / "m.db", counted.append, lambda number, receipt: None)
    assert Counter(write.what for write in counted).keys() >= {"write", "truncate", "sync"}
    return len(counted)


def killed(path: Path, at: int) -> tuple[int, list[PurgeReceipt]]:
    """Run the steps in another process that is killed at that change; returns what it had told by then."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        left = at

        def watch(write: Write) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

        def tell(number: int, receipt: PurgeReceipt | None) -> None:
            os.write(writing, (receipt.to_json() if receipt else "-").encode() + b"\n")

        try:
            run(path, watch, tell)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        lines = stream.read().splitlines()
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or len(lines) == len(STEPS)
    return len(lines), [PurgeReceipt.from_json(line) for line in lines if line != b"-"]


def kill_and_check(folder: Path, at: int, known: list[State]) -> int:
    folder.mkdir()
    path = folder / "m.db"
    done, receipts = killed(path, at)
    check_sound(path, done, receipts, known)
    return done


def test_kills_at_random_moments(tmp_path: Path, writes: int, known: list[State]) -> None:
    chance = random.Random(0)
    stopped = {kill_and_check(tmp_path / str(i), chance.randint(1, writes), known) for i in range(40)}
    assert len(stopped) > 8, "kills strike in many steps"


@pytest.mark.slow
def test_many_kills(tmp_path: Path, writes: int, known: list[State]) -> None:
    chance = random.Random(1)
    for i in range(500 // PART):
        kill_and_check(tmp_path / str(i), chance.randint(1, writes), known)


def lose_power(tmp_path: Path, known: list[State], monkeypatch: pytest.MonkeyPatch, losses: int, seed: int) -> None:
    path = tmp_path / "m.db"
    opened(path).close()
    before, recorded = {str(path): path.read_bytes()}, list[Write]()
    told: list[tuple[int, PurgeReceipt | None]] = []

    def fsync(file: int) -> None:
        recorded.append(Write("sync", str(Path(f"/proc/self/fd/{file}").readlink())))

    monkeypatch.setattr(os, "fsync", fsync)
    run(path, recorded.append, lambda number, receipt: told.append((len(recorded), receipt)))
    monkeypatch.undo()
    chance = random.Random(seed)
    moments = [when for when, _ in told] + [chance.randint(1, len(recorded)) for _ in range(losses)]
    for loss, at in enumerate(moments):
        folder = tmp_path / f"loss{loss}"
        folder.mkdir()
        for name, content in after_power_loss(before, recorded[:at], chance, least=loss < len(told)).items():
            (folder / Path(name).name).write_bytes(content)
        receipts = [receipt for when, receipt in told if when <= at and receipt is not None]
        check_sound(folder / "m.db", sum(when <= at for when, _ in told), receipts, known)


def test_losses_of_power(tmp_path: Path, known: list[State], monkeypatch: pytest.MonkeyPatch) -> None:
    lose_power(tmp_path, known, monkeypatch, losses=40, seed=0)


@pytest.mark.slow
def test_many_losses_of_power(tmp_path: Path, known: list[State], monkeypatch: pytest.MonkeyPatch) -> None:
    lose_power(tmp_path, known, monkeypatch, losses=1000 // PART, seed=1)


def fill_disk_and_check(folder: Path, at: int, known: list[State]) -> None:
    """The disk is full from that change on; the step in which it is says so, and can be repeated once there is room."""
    folder.mkdir()
    path, left, receipts = folder / "m.db", at, list[PurgeReceipt]()

    def watch(write: Write) -> None:
        nonlocal left
        left -= write.what == "write"
        if left < 1 and write.what == "write":
            raise apsw.FullError("the disk is full")

    opened(path).close()
    done = 0
    with watched(watch), opened(path) as store:
        for step in STEPS:
            try:
                result = step(store)
            except LetheError as error:
                assert "free disk space" in str(error) and "\n" not in str(error)
                break
            done += 1
            receipts += [result] if isinstance(result, PurgeReceipt) else []
        left = 10**9
        assert store.memories(include_submerged=True) == known[done].memories
        if done < len(STEPS):
            STEPS[done](store)
            done += 1
            assert store.memories(include_submerged=True) == known[done].memories
    check_sound(path, done, receipts, known)


@pytest.mark.slow
def test_a_disk_that_is_full_at_any_write(tmp_path: Path, writes: int, known: list[State]) -> None:
    for at in range(1, writes, PART):
        fill_disk_and_check(tmp_path / str(at), at, known)


def test_a_disk_that_is_full_at_some_writes(tmp_path: Path, writes: int, known: list[State]) -> None:
    for at in random.Random(2).sample(range(1, writes), 40):
        fill_disk_and_check(tmp_path / str(at), at, known)
