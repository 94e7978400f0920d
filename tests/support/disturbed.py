"""Cases that disturb a session, and what a disturbed run leaves."""

import contextlib
import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from forgeteval.cases.case import Case
from tests.support.bench import Bench, make_case

PASSING, FAILING = ["Alice rides a tandem", "Bob rides a unicycle"], ["Alice rides a tandem"]


def three_cases(order: str = "!count", *paths: Path, at: int = 1, runs: Path | None = None) -> list[Case]:
    """Cases c0, c1, c2; c1 (or the one `at`) gives an order as well. With `runs`, each notes that it ran."""
    cases = []
    for number in range(3):
        facts = list(PASSING)
        if runs is not None:
            facts.append(f"!count {runs}-c{number}")
        if paths and number == at:
            facts.extend(f"{order} {path}" for path in paths)
        mutations = [("purge", "alice tandem")]
        cases.append(make_case(f"c{number}", facts, "who rides", ["unicycle"], ["tandem"], mutations))
    return cases


def times_run(runs: Path) -> list[int]:
    paths = [Path(f"{runs}-c{number}") for number in range(3)]
    return [path.read_text().count("ran") if path.exists() else 0 for path in paths]


def kept(bench: Bench) -> list[str]:
    """The histories of the trials that are kept, in the order in which they were finished."""
    lines = bench.kept.read_text(encoding="utf-8").splitlines()
    return [json.loads(line.split(" ", 2)[2])["history"] for line in lines]


def left_behind(bench: Bench) -> list[str]:
    """What stands where the trials are kept, and below."""
    return sorted(path.name for path in bench.kept.parent.rglob("*"))


def alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def gone(pid_file: Path, within_s: float) -> bool:
    pid, deadline = int(pid_file.read_text()), time.monotonic() + within_s
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    return not alive(pid)


@contextlib.contextmanager
def ended(*pid_files: Path) -> Iterator[None]:
    """Kill what a failed test would leave running."""
    try:
        yield
    finally:
        for path in pid_files:
            if path.exists() and alive(int(path.read_text())):
                os.kill(int(path.read_text()), signal.SIGKILL)
