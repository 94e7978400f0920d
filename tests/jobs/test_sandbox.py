"""What is not trusted runs in a sandbox: it writes in its own folder, reads no case, and reaches nobody."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from forgeteval.errors import UserError
from lethe.jobs.homes import MEMORY
from tests.support.bench import Bench, make_case
from tests.support.paths import ROOT

TRIES = """
import ctypes, json, os, pathlib, socket, subprocess, sys
outside, port, here, parent = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
libc = ctypes.CDLL(None, use_errno=True)
key = os.path.join(outside, "key")
tried = {}
def attempt(name, call):
    try:
        call()
        tried[name] = "done"
    except OSError as error:
        tried[name] = "refused"
attempt("write here", lambda: open(os.path.join(here, "mine"), "w").close())
attempt("write outside", lambda: open(os.path.join(outside, "yours"), "w").close())
attempt("read outside", lambda: open(os.path.join(outside, "key")).read())
attempt("read a case", lambda: open("suites/adversarial/substring_trap.yaml").read())
attempt("read the code", lambda: open("lethe/__init__.py").read())
attempt("reach this machine", lambda: socket.create_connection(("127.0.0.1", port), 5))
attempt("send away", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 53)))
attempt("talk to itself", lambda: socket.create_server(("127.0.0.1", 0)).close())
def failing(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
attempt("reach a socket in a file", lambda: socket.socket(socket.AF_UNIX).connect(os.path.join(outside, "socket")))
attempt("reach a socket without one", lambda: socket.socket(socket.AF_UNIX).connect("\\0" + outside[-90:]))
attempt("change who may read", lambda: os.chmod(key, 0o777))
attempt("change the system", lambda: os.chmod("/dev/null", 0o666))
attempt("change the code", lambda: os.utime("lethe/__init__.py", (1, 1)))
attempt("change the kernel", lambda: open("/proc/sys/kernel/core_pattern", "r+").close())
attempt("signal another process", lambda: os.kill(parent, 0))
attempt("read its environment", lambda: open(f"/proc/{parent}/environ", "rb").read())
attempt("see it", lambda: os.stat(f"/proc/{parent}"))
attempt("mount", lambda: failing(libc.mount(b"tmpfs", here.encode(), b"tmpfs", 0, None)))
attempt("mount again to write", lambda: failing(libc.mount(None, b"/usr", None, 4096 | 32, None)))
tried["capabilities"] = pathlib.Path("/proc/self/status").read_text().partition("CapEff:")[2].split()[0]
child = f"open({os.path.join(outside, 'childs')!r}, 'w')"
tried["write outside by a child"] = "refused" if subprocess.run([sys.executable, "-c", child]).returncode else "done"
print(json.dumps(tried))
"""


@contextlib.contextmanager
def _listening(path: str) -> Iterator[socket.socket]:
    """A server in a file, and another of a name without one."""
    with socket.socket(socket.AF_UNIX) as in_file, socket.socket(socket.AF_UNIX) as abstract:
        here = os.path.dirname(path)  # noqa: PTH120
        for server, name in ((in_file, path), (abstract, "\0" + here[-90:])):
            server.bind(name)
            server.listen()
        yield in_file


@pytest.fixture(params=["on disk", "in memory"])
def here(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A folder to be written, where the HOME of a worker may be."""
    if request.param == "on disk":
        (tmp_path / "here").mkdir()
        yield tmp_path / "here"
        return
    if not MEMORY.is_dir():
        pytest.skip(f"there is no {MEMORY}")
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        yield Path(folder)


def test_a_sandbox_leaves_its_own_folder_and_nothing_else(tmp_path: Path, here: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "key").write_text("secret", encoding="utf-8")
    (here / "tries.py").write_text(TRIES, encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as server, _listening(str(outside / "socket")) as in_file:
        assert in_file.getsockname()
        arguments = [str(outside), str(server.getsockname()[1]), str(here), str(os.getpid())]
        program = [sys.executable, str(here / "tries.py"), *arguments]
        done = subprocess.run(
            [sys.executable, "-m", "lethe.jobs.sandbox", str(here), *program],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    if "cannot be confined here" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "write here": "done",
        "write outside": "refused",
        "read outside": "refused",
        "read a case": "refused",
        "read the code": "done",
        "reach this machine": "refused",
        "send away": "refused",
        "talk to itself": "done",
        "write outside by a child": "refused",
        "reach a socket in a file": "refused",
        "reach a socket without one": "refused",
        "change who may read": "refused",
        "change the system": "refused",
        "change the code": "refused",
        "change the kernel": "refused",
        "signal another process": "refused",
        "read its environment": "refused",
        "see it": "refused",
        "mount": "refused",
        "mount again to write": "refused",
        "capabilities": "0" * 16,
    }
    assert sorted(path.name for path in outside.iterdir()) == ["key", "socket"]
    assert (here / "mine").exists()


def test_a_system_of_the_atlas_runs_in_it(tmp_path: Path) -> None:
    case = make_case("c", ["a fact"], "fact", ["fact"])
    try:
        [trial] = Bench(tmp_path / "ours").run([case], "naive_sql", environment="atlas-shelf")
    except UserError as error:
        if "cannot be confined here" not in str(error):
            raise
        pytest.skip(str(error))
    assert trial["verdict"] == "pass"
    # What stands beside the packages' code, as this module does, it cannot read.
    assert Bench(tmp_path / "trusted").run([case])[0]["verdict"] == "pass"
    with pytest.raises(UserError, match="tests"):
        Bench(tmp_path / "not trusted").run([case], environment="atlas-shelf")
