"""One server for many jobs: who starts it, who joins, and that it ends with the workflow."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path

import psutil
import pytest

from forgeteval.errors import UserError
from lethe.processes import folder_prefix
from lethe.serving.sharing import SharedServer
from tests.serving.conftest import Options
from tests.support.paths import ROOT

PATIENCE_S = 30.0
JOB = """
import json, sys, time
from pathlib import Path
from lethe.serving.keeper import ServerOptions
from lethe.serving.sharing import SharedServer

folder, fields = Path(sys.argv[1]), json.loads(sys.argv[2])
with SharedServer("m", ServerOptions(**fields), folder / "server.log", lambda: None) as server:
    print(server.address().base_url, flush=True)
    time.sleep(600)
"""


def started(folder: Path) -> list[int]:
    """Process ids of the servers that were started."""
    file = folder / "started"
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.05)


def ended(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def shared(options: Options, folder: Path, behaviour: str = "answers", idle_s: float = 0.5) -> SharedServer:
    return SharedServer("m", options(behaviour), folder / "logs" / "m.log", lambda: None, idle_s)


def test_jobs_share_one_server_which_ends_when_nobody_asks(options: Options, tmp_path: Path) -> None:
    with shared(options, tmp_path) as one, shared(options, tmp_path) as other:
        with ThreadPoolExecutor(2) as pool:
            first, second = pool.map(lambda server: server.address(), [one, other])
        assert first == second == one.address()
        time.sleep(1.5)
        assert len(started(tmp_path)) == 1 and not ended(started(tmp_path)[0])
    wait_until(lambda: ended(started(tmp_path)[0]))


def test_a_job_that_asks_nothing_starts_none(options: Options, tmp_path: Path) -> None:
    with shared(options, tmp_path):
        pass
    assert started(tmp_path) == []


def test_a_server_that_ended_is_started_again(options: Options, tmp_path: Path) -> None:
    with shared(options, tmp_path) as server:
        first = server.address()
        os.kill(started(tmp_path)[0], signal.SIGKILL)
        wait_until(lambda: ended(started(tmp_path)[0]))
        assert server.address() != first
        assert len(started(tmp_path)) == 2


def test_a_server_does_not_outlive_its_keeper(options: Options, tmp_path: Path) -> None:
    with shared(options, tmp_path) as server:
        server.address()
        (pid,) = started(tmp_path)
        keeper = psutil.Process(pid).parent()
        assert keeper is not None and "lethe.serving.keeper" in keeper.cmdline()
        keeper.kill()
        wait_until(lambda: ended(pid))
        server.address()
        assert len(started(tmp_path)) == 2


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_server_ends_with_its_workflow_however_that_ends(options: Options, tmp_path: Path, number: int) -> None:
    command = [sys.executable, "-c", JOB, str(tmp_path), json.dumps(asdict(options()))]
    job = subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert job.stdout is not None and job.stdout.readline().startswith(b"http://127.0.0.1:")
    (pid,) = started(tmp_path)
    assert list(tmp_path.glob("lethe-*"))
    job.send_signal(number)
    job.wait()
    wait_until(lambda: ended(pid) and not list(tmp_path.glob("lethe-*")))


def test_the_token_is_seen_by_this_user_alone(options: Options, tmp_path: Path) -> None:
    with shared(options, tmp_path) as server:
        token = server.address().key
        assert token is not None and len(token) > 30
        (folder,) = tmp_path.glob("lethe-*")
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE((folder / "address.json").stat().st_mode) == 0o600
        process = psutil.Process(started(tmp_path)[0])
        for one in (process, process.parent()):
            assert one is not None and token not in " ".join([*one.cmdline(), *one.environ().values()])
        assert token not in (tmp_path / "logs" / "m.log").read_text()


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [("fails", r"the tensors are missing"), ("dies", r"it ended with code 3 before it answered; see .*m\.log")],
)
def test_a_server_that_cannot_start_says_why(options: Options, tmp_path: Path, behaviour: str, reason: str) -> None:
    with shared(options, tmp_path, behaviour) as server, pytest.raises(UserError) as raised:
        server.address()
    assert str(raised.value).startswith("model m: its server cannot be started: ")
    assert raised.match(reason)


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("words", r"it says 'loading the weights\\n', which is no address of this machine"),
        ("bytes", r"it says '\\xff\\xfe\\n', which is no address"),
        ("number", r"it says '5\\n', which is no address"),
        ("null", r"it says 'null\\n', which is no address"),
        ("numbered", r"url.*5.*which is no address"),
        ("afar", r"192\.0\.2\.1.*which is no address of this machine"),
        ("beyond", r"99999.*which is no address"),
        ("disguised", r"which is no address of this machine"),
        ("floods", r"it says 'x{60}', which is no address"),
        ("closes", r"it closed its output before it answered"),
        ("refuses", r"it does not answer at http://127\.0\.0\.1:\d+, as it says \(401\)"),
    ],
)
def test_a_server_that_says_nothing_usable_is_ended_with_the_cause_and_a_remedy(
    options: Options, tmp_path: Path, behaviour: str, reason: str
) -> None:
    begun = time.monotonic()
    with shared(options, tmp_path, behaviour) as server, pytest.raises(UserError) as raised:
        server.address()
    assert time.monotonic() - begun < PATIENCE_S
    assert raised.match(
        rf"^model m: its server cannot be started: .*{reason}.*; see .*m\.log; to build its environment"
    )
    wait_until(lambda: ended(started(tmp_path)[0]))
    assert not list(tmp_path.glob("lethe-*/address.json"))


@pytest.mark.parametrize("behaviour", ["silent", "drips", "trickles"])
def test_a_server_that_takes_connections_and_never_answers_whole_is_not_ready(
    options: Options, tmp_path: Path, behaviour: str
) -> None:
    begun = time.monotonic()
    with (
        SharedServer("m", options(behaviour), tmp_path / "m.log", lambda: None, 0.5, answer_s=1.0) as server,
        pytest.raises(UserError) as raised,
    ):
        server.address()
    assert time.monotonic() - begun < PATIENCE_S
    assert raised.match(
        r"^model m: its server cannot be started: it does not answer at http://127\.0\.0\.1:\d+, as it says "
        r"\(no whole answer within 1 s\); see .*m\.log; to build its environment again"
    )
    wait_until(lambda: ended(started(tmp_path)[0]))


def test_an_address_where_nobody_answers_is_not_returned(options: Options, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with shared(options, tmp_path, str(port)) as server, pytest.raises(UserError) as raised:
        server.address()
    assert raised.match(rf"it does not answer at http://127\.0\.0\.1:{port}, as it says \(.*refused\); see .*m\.log")
    wait_until(lambda: ended(started(tmp_path)[0]))


def test_a_reason_is_one_line_that_shows_as_it_is(options: Options, tmp_path: Path) -> None:
    with shared(options, tmp_path, "escapes") as server, pytest.raises(UserError) as raised:
        server.address()
    assert str(raised.value) == "model m: its server cannot be started: no [31m weights"


def test_an_interpreter_that_is_gone_is_named_with_the_remedy(options: Options, tmp_path: Path) -> None:
    python = tmp_path / "environments" / "llama_cpp" / "bin" / "python"
    gone = replace(options(), python=str(python))
    with SharedServer("m", gone, tmp_path / "m.log", lambda: None) as server, pytest.raises(UserError) as raised:
        server.address()
    environment = tmp_path / "environments" / "llama_cpp"
    assert str(raised.value) == (
        f"model m: its server cannot be started: {python}: No such file or directory; see {tmp_path}/m.log; "
        f"to build its environment again, remove {environment}.freeze.txt and run again"
    )


def test_a_log_that_cannot_be_written_is_named(options: Options, tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("")
    with shared(options, tmp_path) as server, pytest.raises(UserError, match=rf"started: {tmp_path}/logs: File exists"):
        server.address()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells whose child a daemon was")
def test_what_a_server_has_started_ends_with_it(options: Options, tmp_path: Path) -> None:
    with shared(options, tmp_path, "leaves") as server:
        server.address()
        left = int((tmp_path / "left").read_text())
        assert not ended(left)
        os.kill(started(tmp_path)[0], signal.SIGKILL)
        wait_until(lambda: ended(left))


def test_folders_of_workflows_that_ended_are_removed(options: Options, tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    started = f"{psutil.Process().create_time():.0f}"
    processes = [(gone.pid, started), (os.getpid(), "1"), (os.getpid(), started)]
    left_behind = [tmp_path / f"{folder_prefix()}-{pid}-{time}-name" for pid, time in processes]
    for folder in left_behind:
        folder.mkdir()
    shared(options, tmp_path)
    assert [folder.exists() for folder in left_behind] == [False, False, True]


def test_a_folder_that_others_can_read_is_not_used(options: Options, tmp_path: Path) -> None:
    shared(options, tmp_path)
    (folder,) = tmp_path.glob("lethe-*")
    folder.chmod(0o755)
    with pytest.raises(UserError, match="belongs to somebody else; remove it"):
        shared(options, tmp_path)
