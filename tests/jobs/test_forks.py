"""Processes that a server forks: what they are given, how they end, and what of them outlives nothing."""

import os
import resource
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lethe.jobs.forks import ForkServer, NotForked, Order, Place
from tests.support.disturbed import gone
from tests.support.paths import ROOT

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.fixture
def server() -> Iterator[ForkServer]:
    started = ForkServer.started(sys.executable, ["json"], ENVIRONMENT)
    yield started
    started.close()


@pytest.fixture
def said(tmp_path: Path) -> Path:
    return tmp_path / "said"


def order(folder: Path, code: str, **options: object) -> Order:
    """An order to run `code` in `folder`."""
    script = folder / "script.py"
    script.write_text(textwrap.dedent(code), encoding="utf-8")
    return Order(str(script), ["an argument"], {"A": "variable"}, str(folder), **options)  # type: ignore[arg-type]


def run(server: ForkServer, wanted: Order, said: Path, *descriptors: int) -> int:
    with said.open("wb") as output:
        return server.start(wanted, [0, output.fileno(), output.fileno()], descriptors).wait(timeout=60)


def spent_on_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_a_process_has_what_was_ordered_and_what_the_server_imported(
    server: ForkServer, tmp_path: Path, said: Path
) -> None:
    code = """
        import os, sys
        print(sys.argv[1:], dict(os.environ), os.getcwd(), "json" in sys.modules, os.getppid() == os.getsid(0))
        sys.exit(3)
        """
    assert run(server, order(tmp_path, code), said) == 3
    assert said.read_text().startswith(f"['an argument'] {{'A': 'variable'}} {tmp_path} True")


def test_descriptors_are_passed_on_by_number(server: ForkServer, tmp_path: Path, said: Path) -> None:
    reading, writing = os.pipe()
    assert run(server, order(tmp_path, "import os, sys; os.write(int(sys.argv[1]), b'heard')"), said, writing) == 0
    os.close(writing)
    assert os.read(reading, 100) == b"heard"
    assert os.read(reading, 100) == b"", "nobody else holds the other end"
    os.close(reading)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("", 0),
        ("raise SystemExit('no more')", 1),
        ("raise ValueError('no more')", 1),
        ("import os; os.kill(os.getpid(), 9)", -9),
    ],
)
def test_the_end_of_a_process_is_told(server: ForkServer, tmp_path: Path, said: Path, code: str, expected: int) -> None:
    assert run(server, order(tmp_path, code), said) == expected
    assert ("no more" in said.read_text()) == ("no more" in code)


def test_time_and_memory_are_those_of_all_that_a_process_waited_for(
    server: ForkServer, tmp_path: Path, said: Path
) -> None:
    busy = "import time\nwhile time.process_time() < 0.3: pass"
    elsewhere = f"""
        import json, sys
        from pathlib import Path
        from lethe.jobs.forks import Order, Place, server_here
        Path("busy.py").write_text({busy!r})
        place = Place(sys.executable, ["json"], {{"PYTHONPATH": {str(ROOT)!r}}})
        ordered = Order({str(tmp_path / "busy.py")!r}, [], {{}}, ".", place=place)
        assert server_here().start(ordered, [0, 1, 2]).wait() == 0
        """
    process = server.start(order(tmp_path, elsewhere), [0, 1, 2])
    assert process.wait(timeout=60) == 0
    assert process.ended is not None
    assert process.ended.cpu_s > 0.3
    assert process.ended.peak_mb > 10


def test_the_time_of_what_was_forked_counts_as_the_servers(tmp_path: Path) -> None:
    before = spent_on_children()
    server = ForkServer.started(sys.executable, [], ENVIRONMENT)
    busy = "import time\nwhile time.process_time() < 1.5: pass"
    place = Place(sys.executable, [], ENVIRONMENT)
    assert server.start(order(tmp_path, busy, place=place), [0, 1, 2]).wait(timeout=60) == 0
    server.close()
    assert spent_on_children() - before > 1.5


def test_what_waits_too_long_is_told_so(server: ForkServer, tmp_path: Path) -> None:
    process = server.start(order(tmp_path, "import time; time.sleep(600)"), [0, 1, 2])
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=0.1)
    process.kill()
    assert process.wait(timeout=60) == -9


@pytest.mark.parametrize(
    "modules", [["tests.support.no_such_module"], ["tests.support.starting_a_thread"]], ids=["unknown", "threaded"]
)
def test_a_server_that_must_not_fork_does_not(tmp_path: Path, server: ForkServer, modules: list[str]) -> None:
    place = Place(sys.executable, modules, ENVIRONMENT)
    for _ in range(2):
        with pytest.raises(NotForked):
            server.start(order(tmp_path, "", place=place), [0, 1, 2])


@pytest.mark.parametrize("killed", [False, True])
def test_an_import_without_an_end_is_not_waited_for_and_ends_with_the_server(tmp_path: Path, killed: bool) -> None:
    server, pid = ForkServer.started(sys.executable, [], ENVIRONMENT), tmp_path / "pid"
    place = Place(sys.executable, ["tests.support.never_imported"], {**ENVIRONMENT, "NEVER_IMPORTED": str(pid)})
    with pytest.raises(TimeoutError):
        server.start(order(tmp_path, "", place=place), [0, 1, 2], seconds=0.1)
    while not (pid.is_file() and pid.read_text()):
        time.sleep(0.01)
    assert server._process is not None
    if killed:
        server._process.kill()
    server.close()
    assert gone(pid, within_s=5)


def test_what_a_server_forked_ends_with_it(tmp_path: Path) -> None:
    server = ForkServer.started(sys.executable, [], ENVIRONMENT)
    pid = tmp_path / "pid"
    process = server.start(order(tmp_path, "import time; time.sleep(600)"), [0, 1, 2])
    pid.write_text(str(process.pid))
    server.close()
    assert gone(pid, within_s=5)
    assert process.wait(timeout=60) == -9
