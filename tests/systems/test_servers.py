"""Servers end with the process that started them, however that ends, and leave nothing behind."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from lethe.systems.servers import Server, accepts, free_port
from tests.support.paths import ROOT

SERVER = textwrap.dedent(
    """
    import signal, socket, subprocess, sys, time
    stubborn = sys.argv[2] == "stubborn"
    if stubborn:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    print("up", flush=True)
    time.sleep(600)
    """
)


def start(folder: Path, port: int, manner: str = "polite") -> Server:
    data = folder / "data"
    data.mkdir()
    (data / "rows").write_text("kept")
    command = [sys.executable, "-c", SERVER, str(port), manner]
    return Server(command, dict(os.environ), folder, folder / "log", remove=[data])


def until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


def gone(process: psutil.Process) -> bool:
    """Whether it has ended; who adopts it need not have asked how."""
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def family(pid: int) -> list[psutil.Process]:
    process = psutil.Process(pid)
    return [process, *process.children(recursive=True)]


def test_a_server_is_up_and_is_stopped_with_its_children_and_folders(tmp_path: Path) -> None:
    port = free_port()
    server = start(tmp_path, port)
    server.wait_until(lambda: accepts(port), 30)
    processes = family(server.pid)
    assert len(processes) == 2
    server.stop()
    assert all(gone(process) for process in processes)
    assert not (tmp_path / "data").exists()
    assert (tmp_path / "log").read_text().strip() == "up"
    with pytest.raises(ConnectionRefusedError):
        accepts(port)


@pytest.mark.slow
def test_a_stubborn_server_is_killed(tmp_path: Path) -> None:
    port = free_port()
    server = start(tmp_path, port, "stubborn")
    server.wait_until(lambda: accepts(port), 30)
    processes = family(server.pid)
    server.stop()
    until(lambda: all(gone(process) for process in processes))


@pytest.mark.parametrize("manner", ["group", "process"])
def test_a_server_dies_with_an_owner_that_is_killed(tmp_path: Path, manner: str) -> None:
    port = free_port()
    owner_code = textwrap.dedent(
        f"""
        import sys, time
        from pathlib import Path
        from tests.systems.test_servers import accepts, start
        server = start(Path({str(tmp_path)!r}), {port})
        server.wait_until(lambda: accepts({port}), 30)
        print(server.pid, flush=True)
        time.sleep(600)
        """
    )
    root = ROOT
    owner = subprocess.Popen(
        [sys.executable, "-c", owner_code], stdout=subprocess.PIPE, start_new_session=True, cwd=root
    )
    assert owner.stdout is not None
    with owner.stdout:
        processes = family(int(owner.stdout.readline()))
        if manner == "group":
            os.killpg(owner.pid, signal.SIGKILL)
        else:
            owner.kill()
        owner.wait()
    until(lambda: all(gone(process) for process in processes))
    until(lambda: not (tmp_path / "data").exists())


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel call that does this is Linux's")
def test_a_server_dies_with_its_supervisor(tmp_path: Path) -> None:
    port = free_port()
    server = start(tmp_path, port)
    server.wait_until(lambda: accepts(port), 30)
    process = psutil.Process(server.pid)
    parent = process.parent()
    assert parent is not None
    helper = process.children()
    parent.kill()
    until(lambda: gone(process))
    for child in helper:
        child.kill()
    server.stop()


def test_a_server_that_ends_says_why(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "raise SystemExit('the shelf fell down')"]
    server = Server(command, dict(os.environ), tmp_path, tmp_path / "log")
    with pytest.raises(RuntimeError, match="ended while starting; it said last: the shelf fell down"):
        server.wait_until(lambda: False, 30)
    server.stop()


def test_a_server_that_is_not_up_in_time_says_so(tmp_path: Path) -> None:
    port = free_port()
    server = start(tmp_path, port)
    with pytest.raises(RuntimeError, match=r"was not up after 0\.2 s"):
        server.wait_until(lambda: False, 0.2)
    server.stop()


def test_a_program_that_does_not_exist_says_so(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="no-such-server could not be started"):
        Server([tmp_path / "no-such-server"], {}, tmp_path, tmp_path / "log")
