"""The lease of a file: between processes, between machines, and when a holder was only slow."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from lethe.jobs.journal import Journal
from lethe.jobs.lease import Lease

from forgeteval.errors import UserError
from lethe.jobs import lease


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "system.jsonl"


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in {"BEAT_S": 0.05, "STALE_S": 0.6, "PATIENCE_S": 0.3}.items():
        monkeypatch.setattr(lease, name, seconds)


def left_by(file: Path, host: str, pid: int, began: float, number: int = 1) -> Path:
    path = file.with_name(f"{file.name}.{number}.lease")
    path.write_text(json.dumps({"host": host, "pid": pid, "began": began, "beat": 7}), encoding="utf-8")
    return path


@pytest.fixture
def elsewhere(file: Path) -> Iterator[Callable[[], Path]]:
    """A live holder on another machine: a lease whose count rises."""
    ended = threading.Event()

    def beat(path: Path) -> None:
        while not ended.wait(0.05):
            fields = json.loads(path.read_text(encoding="utf-8"))
            new = path.with_suffix(".new")
            new.write_text(json.dumps({**fields, "beat": fields["beat"] + 1}), encoding="utf-8")
            new.replace(path)

    def start() -> Path:
        path = left_by(file, "node-7", 4711, 0.0)
        thread.append(threading.Thread(target=beat, args=(path,)))
        thread[0].start()
        return path

    thread: list[threading.Thread] = []
    yield start
    ended.set()
    for one in thread:
        one.join()


def test_a_lease_is_let_go_of(file: Path) -> None:
    with Lease(file):
        assert [path.name for path in file.parent.iterdir()] == ["system.jsonl.1.lease"]
    assert not list(file.parent.iterdir())


def test_a_live_holder_on_this_machine_is_named(file: Path) -> None:
    with (
        Lease(file),
        pytest.raises(UserError, match=rf"jsonl: process {os.getpid()} on .* is running this; wait"),
    ):
        Lease(file)


def test_a_holder_that_was_killed_is_taken_over_at_once(file: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    left_by(file, lease._host(), dead.pid, time.time(), number=4)
    started = time.monotonic()
    with Lease(file):
        assert time.monotonic() - started < lease.STALE_S
        assert [path.name for path in file.parent.iterdir()] == ["system.jsonl.5.lease"]


def test_a_process_id_that_was_given_again_is_not_the_holder(file: Path) -> None:
    left_by(file, lease._host(), os.getpid(), psutil.Process().create_time() - 3600)
    Lease(file).release()


def test_a_holder_elsewhere_that_counts_is_refused_and_one_that_does_not_is_taken_over(
    file: Path, elsewhere: Callable[[], Path]
) -> None:
    path = elsewhere()
    with pytest.raises(UserError, match=r"process 4711 on node-7 is running this"):
        Lease(file)
    assert path.exists()


@pytest.mark.parametrize("content", [None, b"", b"{", b"[]", b"\xff"])
def test_a_lease_that_does_not_change_is_stale(file: Path, content: bytes | None) -> None:
    path = left_by(file, "node-7", 4711, 0.0)
    if content is not None:
        path.write_bytes(content)
    with Lease(file):
        assert not path.exists()


def test_of_several_that_find_it_stale_one_takes_it_over(file: Path) -> None:
    left_by(file, "node-7", 4711, 0.0)
    taken: list[Lease] = []
    refused: list[UserError] = []

    def take() -> None:
        try:
            taken.append(Lease(file))
        except UserError as error:
            refused.append(error)

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(taken), len(refused)) == (1, 7)
    taken[0].check()
    taken[0].release()


def test_a_holder_that_was_slow_writes_nothing_more(file: Path) -> None:
    journal = Journal(file, "f")
    content = file.read_bytes()
    left_by(file, "node-7", 4711, 0.0, number=2)
    with pytest.raises(UserError, match="process 4711 on node-7 has taken it over"):
        journal._write({"more": 1})
    journal.close()
    assert file.read_bytes() == content


def test_a_full_disk_leaves_no_lease(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease.json, "dump", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(UserError, match="No space left"):
        Journal(file, "f")
    assert not list(file.parent.iterdir())
