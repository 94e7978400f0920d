"""What is not trusted runs in a sandbox: it writes in its own folder, reads no case, and reaches nobody."""

import contextlib
import json
import os
import platform
import shutil
import socket
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from forgeteval.errors import UserError
from lethe.jobs.homes import MEMORY
from tests.support.bench import Bench, make_case
from tests.support.paths import ROOT
from tests.support.sandboxed import sandboxed

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
attempt("be a user of its own", lambda: failing(libc.unshare(0x10000000)))
attempt("allow itself to", lambda: open("/proc/sys/user/max_user_namespaces", "w").close())
attempt("mount again to write", lambda: failing(libc.mount(None, b"/usr", None, 4096 | 32, None)))
tried["capabilities"] = pathlib.Path("/proc/self/status").read_text().partition("CapEff:")[2].split()[0]
child = f"open({os.path.join(outside, 'childs')!r}, 'w')"
tried["write outside by a child"] = "refused" if subprocess.run([sys.executable, "-c", child]).returncode else "done"
print(json.dumps(tried))
"""

CALLS = """
import ctypes, errno, json, mmap, os, pathlib, platform, socket
libc = ctypes.CDLL(None, use_errno=True)
wide, keys = {"x86_64": (41, (248, 249, 250)), "aarch64": (198, (217, 218, 219))}[platform.machine()]
said = {}
def call(name, number, *arguments):
    result = libc.syscall(number, *arguments)
    said[name] = "done" if result >= 0 else errno.errorcode[ctypes.get_errno()]
def opened(name, make):
    try:
        make()
        said[name] = "done"
    except OSError as error:
        said[name] = errno.errorcode[error.errno]
session, user = ctypes.c_long(-3), ctypes.c_long(-4)
call("add a key", keys[0], b"user", b"lethe-test", b"x", ctypes.c_size_t(1), session)
call("ask for a key", keys[1], b"user", b"lethe-test", None, session)
call("find the session's keys", keys[2], 0, session, 0)
call("find the user's keys", keys[2], 0, user, 0)
call("have rings", 425, 1, ctypes.create_string_buffer(120))
opened("talk to the machine's host", lambda: socket.socket(40, socket.SOCK_STREAM))
opened("talk to it in pairs", lambda: socket.socketpair(40, socket.SOCK_STREAM))
opened("use the kernel's ciphers", lambda: socket.socket(38, socket.SOCK_SEQPACKET))
call("hide a family in a wide number", wide, ctypes.c_long(1 << 32 | 40), 1, 0)
call("open one by another number", 0x40000000 | wide, 40, 1, 0)
if platform.machine() == "x86_64":
    code = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(bytes([0xB8, 20, 0, 0, 0, 0xCD, 0x80, 0xC3]))
    getpid = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
    result = getpid()
    said["call as with 32 bits"] = "done" if result > 0 else errno.errorcode[-result]
def talk(family, address):
    with socket.create_server((address, 0), family=family) as server:
        with socket.create_connection(server.getsockname()[:2], 5) as one, server.accept()[0] as other:
            one.sendall(b"x")
            assert other.recv(1) == b"x"
opened("talk to itself", lambda: talk(socket.AF_INET, "127.0.0.1"))
if socket.has_ipv6 and os.path.exists("/proc/net/if_inet6"):
    opened("talk to itself, IPv6", lambda: talk(socket.AF_INET6, "::1"))
opened("talk in pairs", lambda: socket.socketpair())
opened("ask for its interfaces", lambda: socket.socket(16, socket.SOCK_RAW, 0).bind((0, 0)))
lists = [path for path in map(pathlib.Path, ("/proc/keys", "/proc/key-users")) if path.exists()]
said["keys listed"] = sum(len(path.read_bytes()) for path in lists)
print(json.dumps(said))
"""

FOUND = """
import json, os, sys
found = {}
for folder, _, files in os.walk(sys.argv[1]):
    for file in files:
        path = os.path.join(folder, file)
        try:
            text = open(path, encoding="utf-8", errors="replace").read(100)
        except FileNotFoundError:
            text = None
        found[os.path.relpath(path, sys.argv[1])] = text
print(json.dumps(found))
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
        said = _said(here, str(here / "tries.py"), *arguments)
    assert said == {
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
        "be a user of its own": "refused",
        "allow itself to": "refused",
        "mount again to write": "refused",
        "capabilities": "0" * 16,
    }
    assert sorted(path.name for path in outside.iterdir()) == ["key", "socket"]
    assert (here / "mine").exists()


@pytest.mark.skipif(platform.machine() not in ("x86_64", "aarch64"), reason="no calls are refused on this machine")
def test_the_kernel_refuses_keys_and_sockets_that_no_namespace_holds(tmp_path: Path) -> None:
    said = _said(tmp_path, "-c", CALLS)
    refused = {
        "add a key",
        "ask for a key",
        "find the session's keys",
        "find the user's keys",
        "have rings",
        "talk to the machine's host",
        "talk to it in pairs",
        "use the kernel's ciphers",
        "hide a family in a wide number",
        "open one by another number",
    }
    assert {name for name, came in said.items() if came == "EPERM"} - {"call as with 32 bits"} == refused
    assert said.get("call as with 32 bits", "EPERM") == "EPERM"
    assert said["keys listed"] == 0
    working = {"talk to itself", "talk in pairs", "ask for its interfaces"}
    assert {name for name, came in said.items() if came == "done"} - {"talk to itself, IPv6"} == working
    assert said.get("talk to itself, IPv6", "done") == "done"


def test_settings_that_others_may_not_read_are_not_there(tmp_path: Path) -> None:
    settings, here = tmp_path / "settings", tmp_path / "here"
    here.mkdir()
    files = {"open/a": 0o644, "open/b": 0o604, "mixed/a": 0o644, "mixed/key": 0o640, "shadow": 0o600, "shut/key": 0o644}
    for name, mode in files.items():
        (settings / name).parent.mkdir(parents=True, exist_ok=True)
        (settings / name).write_text(name, encoding="utf-8")
        (settings / name).chmod(mode)
    (settings / "shut").chmod(0o750)
    (settings / "link").symlink_to("shadow")
    (settings / "link of a file outside").symlink_to(ROOT / "README.md")
    os.mkfifo(settings / "pipe", 0o644)
    there = _said(here, "-c", FOUND, str(settings), settings=settings)
    assert there == {
        "link": None,
        "link of a file outside": None,
        "mixed/a": "mixed/a",
        "open/a": "open/a",
        "open/b": "open/b",
    }


def test_of_this_machines_settings_it_finds_those_that_others_may_read(tmp_path: Path) -> None:
    there = _said(tmp_path, "-c", FOUND, "/etc")
    assert "shadow" not in there
    assert there["passwd"]
    assert all(Path("/etc", name).stat().st_mode & stat.S_IROTH for name, text in there.items() if text is not None)


def test_of_what_stands_beside_the_python_that_it_runs_it_reads_nothing(tmp_path: Path) -> None:
    """Python may have been installed into somebody's HOME."""
    home, here, environment = (tmp_path / name for name in ("home", "here", "environment"))
    for folder in (home / "bin", here, environment / "bin"):
        folder.mkdir(parents=True)
    (home / "secret").write_text("a key", encoding="utf-8")
    shutil.copy(Path(sys.executable).resolve(), home / "bin" / "python3")
    (home / "lib").symlink_to(Path(sys.base_prefix, "lib"))
    (environment / "pyvenv.cfg").write_text(f"home = {home / 'bin'}\n", encoding="utf-8")
    (environment / "bin" / "python3").symlink_to(home / "bin" / "python3")
    for place in (environment, home):
        program = "import pathlib, sys; print(pathlib.Path(sys.argv[1]).exists())"
        done = sandboxed(here, [str(place / "bin" / "python3"), "-c", program, str(home / "secret")])
        assert (done.returncode, done.stdout) == (0, "False\n"), done.stderr


def _said(here: Path, *program: str, settings: Path | None = None) -> Any:
    """What a program that writes JSON says in a sandbox, in which `settings` may stand for the system's."""
    start = f"from pathlib import Path; from lethe.jobs import sandbox; sandbox._SETTINGS = Path({str(settings)!r}); "
    way = ["-c", start + "sandbox.main()"] if settings else ["-m", "lethe.jobs.sandbox"]
    done = sandboxed(here, [sys.executable, *program], way)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


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
