"""Ctrl-C of `lethe`, in a real process."""

import array
import fcntl
import os
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

from forgeteval.errors import INTERRUPTED
from tests.support.paths import ROOT


def unread(pipe: int) -> int:
    """Bytes of a pipe that nobody has read yet."""
    count = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0]


def test_ctrl_c_of_lethe_is_one_line_and_130_and_leaves_no_file(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "lethe.store.cli.main", "inscribe", "m.db", "--embedder", "words"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        # Whoever runs the tests in the background may have had it ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as running:
        assert running.stdin is not None
        running.stdin.write("Tom works in Oslo\n")
        running.stdin.flush()
        until = time.monotonic() + 60
        while unread(running.stdin.fileno()):
            assert time.monotonic() < until, "nothing was read"
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert (running.returncode, out, err) == (INTERRUPTED, "", "interrupted\n")
    assert list(tmp_path.iterdir()) == []
