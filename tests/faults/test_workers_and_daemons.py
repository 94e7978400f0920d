"""Systems that break out of a trial, and processes that try to outlive the run that started them."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forgeteval import Hit
from forgeteval.errors import UserError
from lethe.jobs.messages import decode
from lethe.systems.servers import Server
from tests.support.bench import Bench, make_case
from tests.support.config import mistake, put, shipped
from tests.support.disturbed import PASSING, ended, gone, kept, three_cases
from tests.support.paths import ROOT

BROKEN_OUT = {
    "!system_exit": "SystemExit: 4",
    "!keyboard_interrupt": "KeyboardInterrupt: the shelf fell down",
    "!generator_exit": "GeneratorExit: the shelf fell down",
    "!base_exception": "BaseException: the shelf fell down",
    "!mute": "_Mute: it cannot say why (SystemExit)",
}
NO_TEXTS = {
    "number": "TypeError: recall_texts returned a list with an int in it",
    "bytes": "TypeError: recall_texts returned a list with a bytes in it",
    "nothing": "TypeError: recall_texts returned a list with None in it",
    "mixed": "TypeError: recall_texts returned a list with a float in it",
    "text": "TypeError: recall_texts returned a str; return a list",
    "none": "TypeError: recall_texts returned None; return a list",
    "object": "TypeError: recall_texts returned a list with an object in it",
    "much": "ValueError: recalled texts of 73,400,320 letters; at most 1,048,576 are taken",
}


@pytest.mark.parametrize("order", BROKEN_OUT)
def test_what_breaks_out_of_a_trial_is_its_error(bench: Bench, switch: Path, order: str) -> None:
    rows = bench.run(three_cases(order, switch))
    assert [row["verdict"] for row in rows] == ["pass", "error", "pass"]
    assert rows[1]["error"] == BROKEN_OUT[order]


@pytest.mark.parametrize("what", NO_TEXTS)
def test_what_is_recalled_and_is_no_text_is_the_trials_error(bench: Bench, what: str) -> None:
    cases = [make_case("c0", PASSING, "unicycle", ["unicycle"]), make_case("c1", PASSING, what, ["unicycle"])]
    rows = bench.run(cases, "Recalling")
    assert [row["verdict"] for row in rows] == ["pass", "error"]
    assert rows[1]["error"].startswith(NO_TEXTS[what])


@pytest.mark.parametrize(
    ("order", "how"),
    [
        ("!babble", "without an end"),
        ("!drip", "hung"),
        ("!ask_for_ever", "hung"),
        ("!no_json", "no message: b'garbage'"),
        ("!no_message", "no message: "),
        ("!no_lane", "sent what nobody asked for"),
        ("!forged", "sent what belongs to another trial"),
        ("!no_texts", "no message: "),
        ("!no_depth", "no message: "),
        ("!no_answer", "sent what nobody asked for"),
    ],
)
def test_a_worker_that_says_what_is_no_answer_stops_the_run_in_time(
    bench: Bench, switch: Path, order: str, how: str
) -> None:
    started = time.monotonic()
    with pytest.raises(UserError) as caught:
        bench.run(three_cases(order, switch), limit_s=4.0)
    assert time.monotonic() - started < 25
    message = str(caught.value)
    assert how in message and "c1" in message and "\n" not in message
    assert kept(bench) == ["c0"]


@pytest.mark.parametrize("seconds", [25 * 86_400.0, 1e12, 1e308, float("inf")])
def test_a_limit_above_24_days_is_a_limit(bench: Bench, seconds: float) -> None:
    rows = bench.run(three_cases(), limit_s=seconds, start_timeout_s=seconds)
    assert [row["verdict"] for row in rows] == ["pass"] * 3


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_a_limit_that_is_no_number_is_refused(value: float) -> None:
    said = mistake(put(shipped(), "run/case_timeout_s", value))
    assert said.startswith("config: run.case_timeout_s: must be a finite number")


@given(st.binary() | st.text().map(str.encode))
def test_whatever_a_line_holds_it_is_a_message_or_none(line: bytes) -> None:
    with pytest.raises(ValueError, match=r"^no message: "):
        decode(line)


def below(folder: Path) -> list[int]:
    """The processes that work in a folder or below."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.status() != psutil.STATUS_ZOMBIE and Path(process.cwd()).is_relative_to(folder):
                found.append(process.pid)
        except (psutil.Error, OSError):
            continue
    return found


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Path]:
    with ended(tmp_path / "daemon_pid"):
        yield tmp_path / "daemon_pid"


@pytest.mark.usefixtures("each_way_of_starting")
def test_a_daemon_does_not_outlive_a_finished_run(bench: Bench, daemon: Path) -> None:
    rows = bench.run([make_case("c", [*PASSING, f"!daemon {daemon}"], "unicycle", ["unicycle"])])
    assert rows[0]["verdict"] == "pass"
    assert gone(daemon, within_s=0)


@pytest.mark.parametrize("order", ["!hang", "!sigkill", "!exit", "!close_channel_and_hang", "!no_json"])
@pytest.mark.usefixtures("each_way_of_starting")
def test_a_daemon_does_not_outlive_a_worker_that_ends_badly(
    bench: Bench, daemon: Path, switch: Path, order: str
) -> None:
    with pytest.raises(UserError):
        bench.run([make_case("c", [f"!daemon {daemon}", f"{order} {switch}"], "q")], limit_s=2.0)
    assert gone(daemon, within_s=0)


PARENT = """
import os, signal, sys
from pathlib import Path
from lethe.jobs.worker_process import WorkerProcess
from tests.support.bench import Bench, make_case

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

folder, when = Path(sys.argv[1]), sys.argv[2]
if when == "while the worker starts":
    WorkerProcess._receive = die
elif when == "before it is told what to build":
    WorkerProcess._send = die
case = make_case("c", [f"!pid {folder / 'pid'}", f"!daemon {folder / 'daemon_pid'}", f"!hang {folder}"], "q")
options = {} if when == "in a trial" else {"backend": "TellingItsPid", "options": {"pid": str(folder / "pid")}}
Bench(folder).run([case], **options)
"""


def _until(condition: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)
    return condition()


@pytest.mark.parametrize("when", ["before it is told what to build", "while the worker starts", "in a trial"])
def test_nothing_outlives_a_parent_that_is_killed(tmp_path: Path, daemon: Path, when: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(tmp_path), when], env=environment, cwd=ROOT)
    if when == "in a trial":
        assert _until(lambda: daemon.exists() and daemon.read_text() != "", 60)
        parent.kill()
    parent.wait(timeout=120)
    try:
        assert _until(lambda: below(tmp_path) == [], 60), "a worker that starts takes a while to notice"
        if when == "in a trial":
            assert gone(daemon, within_s=5)
    finally:
        for pid in below(tmp_path):
            os.kill(pid, signal.SIGKILL)


DAEMON = textwrap.dedent(
    """
    import sys, time
    from pathlib import Path
    from tests.support.misbehaving import start_daemon
    start_daemon(Path(sys.argv[1]))
    time.sleep(600)
    """
)


def _server(folder: Path, daemon: Path) -> Server:
    (folder / "data").mkdir()
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", DAEMON, str(daemon)]
    return Server(command, environment, folder, folder / "log", remove=[folder / "data"])


def test_a_daemon_does_not_outlive_its_server(tmp_path: Path, daemon: Path) -> None:
    server = _server(tmp_path, daemon)
    server.wait_until(lambda: daemon.exists() and daemon.read_text() != "", 60)
    server.stop()
    assert gone(daemon, within_s=0)
    assert not (tmp_path / "data").exists()


def test_a_server_whose_worker_is_gone_before_it_can_say_so_is_ended(tmp_path: Path, daemon: Path) -> None:
    """The supervisor writes the server's process id to a pipe that nobody reads any more."""
    code = textwrap.dedent(
        """
        import os, subprocess, sys
        from pathlib import Path
        from lethe.systems import servers
        from tests.faults.test_workers_and_daemons import _server

        class Deaf(subprocess.Popen):
            def __init__(self, *args, **options):
                super().__init__(*args, **options)
                self.stdout.close()
                self.stdout = self

            def readline(self):
                os.kill(os.getpid(), 9)

        servers.subprocess.Popen = Deaf
        _server(Path(sys.argv[1]), Path(sys.argv[2]))
        """
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", code, str(tmp_path), str(daemon)], env=environment, cwd=ROOT, check=False)
    assert _until(lambda: below(tmp_path) == [], 60)
    assert _until(lambda: not (tmp_path / "data").exists(), 20)


class Serving:
    """A system with a server of its own that takes a second to put its folder away."""

    SERVER = (
        "import signal, sys, time\n"
        "from pathlib import Path\n"
        "def end(*_):\n"
        "    time.sleep(1)\n"
        "    Path(sys.argv[1]).write_text('put away')\n"
        "    sys.exit()\n"
        "signal.signal(signal.SIGTERM, end)\n"
        "Path(sys.argv[1]).write_text('up')\n"
        "time.sleep(600)\n"
    )

    def __init__(self, note: str) -> None:
        command = [sys.executable, "-c", self.SERVER, note]
        self._server = Server(command, {}, Path.cwd(), Path(note).with_suffix(".log"))
        self._server.wait_until(lambda: Path(note).exists(), 30)

    def reset(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def add(self, texts: list[str]) -> None: ...

    def search(self, query: str, k: int) -> list[Hit]:
        return []

    def delete(self, id: str) -> None: ...

    def close(self) -> None: ...


def test_a_server_may_put_its_things_away_when_its_worker_is_killed(bench: Bench, tmp_path: Path) -> None:
    note = tmp_path / "note"
    with pytest.raises(UserError, match="signal SIGKILL"):
        bench.run([make_case("c", PASSING, "q")], f"{__name__}:Serving", options={"note": str(note)})
    assert note.read_text() == "put away"
    assert below(bench.kept.parent) == []
