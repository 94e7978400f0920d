"""A store in a process of its own sees, ends and outlives nothing of the run."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from forgeteval import evaluate, load_suite
from forgeteval.errors import UserError
from forgeteval.run.isolated import CannotBuild, IsolatedStore
from forgeteval.run.replay import ReplayOptions
from tests.forgeteval.run.conftest import ASKED, CASE, named
from tests.support.paths import ROOT

CONFINES = "import sys; from forgeteval.run.confinement import confine; sys.exit(confine() is not None)"


SCOPES = "import ctypes, sys; sys.exit(ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1) < 6)"


@pytest.mark.skipif(
    subprocess.run([sys.executable, "-c", CONFINES], check=False).returncode != 0,
    reason="this kernel cannot confine a process",
)
def test_a_store_reads_nothing_of_the_processes_above_it() -> None:
    (trial,) = evaluate(named("Spies"), [ASKED], isolated=True, controls=False).trials
    assert trial.recalled == ["nothing"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of every process")
@pytest.mark.parametrize("ending", ["its end", "being killed"])
def test_no_daemon_outlives_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    monkeypatch.setenv("DAEMON", str(tmp_path / "daemon"))
    store = IsolatedStore(named("LeavesDaemon"), {}, ReplayOptions(5))
    with store:
        daemon = int((tmp_path / "daemon").read_text(encoding="utf-8"))
        os.kill(daemon, 0)
        if ending == "being killed":
            assert store._child is not None
            store._child.kill()
    with pytest.raises(ProcessLookupError):
        os.kill(daemon, 0)


@pytest.mark.skipif(
    subprocess.run([sys.executable, "-c", SCOPES], check=False).returncode != 0,
    reason="this kernel cannot keep a process from signalling others",
)
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGSTOP])
def test_no_store_ends_or_stops_what_ends_its_daemons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sent: signal.Signals
) -> None:
    monkeypatch.setenv("DAEMON", str(tmp_path / "daemon"))
    monkeypatch.setenv("SENT", str(int(sent)))
    with IsolatedStore(named("EndsItsKeeper"), {}, ReplayOptions(5)) as store:
        assert store._child is not None and store._child._process.poll() is None
        assert not (tmp_path / "sent").exists()
        daemon = int((tmp_path / "daemon").read_text(encoding="utf-8"))
        os.kill(daemon, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(daemon, 0)


@pytest.mark.skipif(
    subprocess.run([sys.executable, "-c", SCOPES], check=False).returncode != 0,
    reason="this kernel cannot keep a process from signalling others",
)
def test_a_confined_process_signals_its_own_and_no_other() -> None:
    program = (
        "import os, subprocess, threading, signal\n"
        "from forgeteval.run.confinement import confine\n"
        "def sent(process):\n"
        "    try: os.kill(process, 0)\n"
        "    except PermissionError: return 'refused'\n"
        "    return 'sent'\n"
        "assert confine() is None\n"
        "child = subprocess.Popen(['sleep', '60'])\n"
        "print(sent(os.getppid()), sent(child.pid), sent(os.getpid()))\n"
        "child.kill()\n"
        "print(child.wait())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "refused sent sent\n-9\n"


def test_where_nothing_confines_a_store_a_key_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unable = "import forgeteval.run.confinement as c\nc.confine = lambda: 'no Landlock here'\n"
    (tmp_path / "sitecustomize.py").write_text(unable, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(ROOT)]))
    with IsolatedStore(named("Shelf"), {}, ReplayOptions(5)):
        pass
    with (
        pytest.raises(UserError, match="it could read the API key in SECRET_KEY: no Landlock here; unset it"),
        IsolatedStore(named("Shelf"), {}, ReplayOptions(5), without=("SECRET_KEY",)),
    ):
        pass


@pytest.mark.skipif(
    subprocess.run([sys.executable, "-c", CONFINES], check=False).returncode != 0,
    reason="this kernel cannot confine a process",
)
def test_a_store_that_lacks_the_variable_of_the_models_key_is_told_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHARED_KEY", "of both")
    told = r"'SHARED_KEY' \(SHARED_KEY is the model's key, which a store does not get; .* by --key-env"
    lines = ["import os", "class Built:", "    add = search = lambda *_: None", "    def __init__(self):"]
    (tmp_path / "built.py").write_text("\n".join([*lines, "        os.environ['SHARED_KEY']"]), encoding="utf-8")
    with (
        pytest.raises(CannotBuild, match=told),
        IsolatedStore(f"{tmp_path / 'built.py'}:Built", {}, ReplayOptions(5), without=("SHARED_KEY",)),
    ):
        pass
    lines[3:] = ["    def reset(self):"]
    (tmp_path / "asked.py").write_text("\n".join([*lines, "        os.environ['SHARED_KEY']"]), encoding="utf-8")
    asked, (case,) = f"{tmp_path / 'asked.py'}:Built", load_suite([ASKED])
    history = case.to_history()
    with IsolatedStore(asked, {}, ReplayOptions(5), without=("SHARED_KEY",)) as store:
        assert re.search(told, store.replay(history, 30).error or "")
    with IsolatedStore(asked, {}, ReplayOptions(5)) as store:
        assert "SHARED_KEY" not in (store.replay(history, 30).error or "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no process is forked here")
def test_a_forked_copy_of_a_store_answers_nothing() -> None:
    assert evaluate(named("ComesBackTwice"), [ASKED], isolated=True, controls=False).passed == 1


@pytest.mark.skipif(os.name != "posix", reason="a signal ends no process politely here")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_run_that_is_told_to_end_leaves_neither_process_nor_files(tmp_path: Path, name: str) -> None:
    number = getattr(signal, name)
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", "forgeteval.cli.main", "run", named("Hangs"), "--timeout", "100", "-q"]
    # Where tests run behind `nohup`, a hangup is ignored, and so it stays in what they start.
    before = signal.signal(number, signal.SIG_DFL)
    run = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    signal.signal(number, before)
    marks: list[Path] = []
    until = time.monotonic() + 60
    while not any(b"delete" in mark.read_bytes() for mark in marks) and time.monotonic() < until:
        time.sleep(0.1)
        marks = list(tmp_path.glob("forgeteval-*/method"))
    run.send_signal(number)
    assert run.wait(30) == 128 + number
    assert not list(tmp_path.iterdir())


SLEEPY = """
import os, time

class Sleepy:
    def planned(self, *given):
        open(os.environ["TOLD"], "w").close()
        time.sleep(600)

    supersede = release = purge = planned
"""


@pytest.mark.skipif(os.name != "posix", reason="a signal ends no process politely here")
@pytest.mark.parametrize(
    "given", [(named("HangsAndTells"), "--in-process"), (named("Shelf"), "--planner", "sleepy:Sleepy")]
)
def test_being_told_to_end_is_no_error_of_a_store_or_a_planner(tmp_path: Path, given: tuple[str, ...]) -> None:
    told, out = tmp_path / "told", tmp_path / "out.json"
    (tmp_path / "sleepy.py").write_text(SLEEPY)
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    command = [sys.executable, "-m", "forgeteval.cli.main", "run", *given, "--limit", "12", "-q", "--out", str(out)]
    run = subprocess.Popen(command, env={**os.environ, "TOLD": str(told), "PYTHONPATH": path}, cwd=ROOT)
    until = time.monotonic() + 60
    while not told.exists() and time.monotonic() < until:
        time.sleep(0.1)
    run.terminate()
    assert run.wait(30) == 128 + signal.SIGTERM
    assert not out.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of every process")
def test_no_daemon_outlives_the_command_where_a_store_has_ended_its_keeper(tmp_path: Path) -> None:
    old = "import forgeteval.run.confinement as c\nc._SCOPING = 10**6\n"
    (tmp_path / "sitecustomize.py").write_text(old, encoding="utf-8")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)]),
        "DAEMON": str(tmp_path / "daemon"),
        "SENT": str(int(signal.SIGKILL)),
    }
    options = ["--suite", "adversarial_sample", "--limit", "1", "--no-controls", "--quiet"]
    command = ["-c", "from forgeteval.cli.main import main; main()", "run", "tests.support.stores:EndsItsKeeper"]
    subprocess.run([sys.executable, *command, *options], cwd=ROOT, env=environment, capture_output=True, check=False)
    assert (tmp_path / "sent").exists()
    assert not is_running(int(waited_for(tmp_path / "daemon")))


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a process is not told that its parent is gone")
def test_a_store_that_hangs_ends_with_a_parent_that_was_killed(tmp_path: Path) -> None:
    code = (
        "import forgeteval; from tests.support.stores import HangsAndTells;"
        f"forgeteval.evaluate('tests.support.stores:HangsAndTells', [{CASE!r}], isolated=True, case_timeout_s=60)"
    )
    environment = {**os.environ, "TOLD": str(tmp_path / "pid")}
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=environment)
    pid = int(waited_for(tmp_path / "pid"))
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 20
    while (running := is_running(pid)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not running


def waited_for(path: Path) -> str:
    deadline = time.monotonic() + 30
    while not path.exists() or not path.read_text():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return path.read_text()


def is_running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
