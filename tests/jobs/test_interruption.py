"""Parents that are killed or interrupted, and what they leave running."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.case import Case
from forgeteval.embed.embedder import Vectors
from tests.support.bench import Bench, HashEmbedder, make_case, timeless
from tests.support.disturbed import PASSING, ended, gone, kept, left_behind, three_cases, times_run
from tests.support.paths import ROOT

DRIVER = """
import json, signal, sys, time
from pathlib import Path
from forgeteval.errors import UserError
from forgeteval.cases.interchange import case_from_json
from tests.support.bench import Bench, HashEmbedder

class Slow(HashEmbedder):
    def embed(self, texts):
        time.sleep(spec["embedding_s"])
        return super().embed(texts)

# Tests that run in the background of a shell inherit an ignored interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)
spec = json.loads(sys.stdin.read())
cases = [case_from_json(case, "bench", "driver") for case in spec["cases"]]
try:
    rows = Bench(Path(spec["folder"])).run(cases, embedder=Slow(), **spec["settings"])
except UserError as error:
    print(f"UserError: {error}")
else:
    print(json.dumps(rows))
"""


def start_parent(
    folder: Path, cases: Sequence[Case], embedding_s: float = 0.0, **settings: Any
) -> subprocess.Popen[str]:
    spec = {
        "folder": str(folder),
        "cases": [case.to_json() for case in cases],
        "settings": settings,
        "embedding_s": embedding_s,
    }
    parent = subprocess.Popen(
        [sys.executable, "-c", DRIVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert parent.stdin is not None
    parent.stdin.write(json.dumps(spec))
    parent.stdin.close()
    parent.stdin = None
    return parent


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 30
    while not (path.exists() and path.read_text()):
        assert time.monotonic() < deadline, f"{path} was never written"
        time.sleep(0.05)


@pytest.fixture
def pids(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "worker_pid", tmp_path / "child_pid"


def test_a_killed_parent_leaves_no_worker_and_its_run_goes_on(
    bench: Bench, tmp_path: Path, switch: Path, pids: tuple[Path, Path]
) -> None:
    runs, (worker, _) = tmp_path / "runs", pids
    cases = three_cases(runs=runs)
    facts = (*PASSING, f"!count {runs}-c1", f"!pid {worker}", f"!hang {switch}")
    cases[1] = make_case("c1", facts, "unicycle", ["unicycle"])
    parent = start_parent(tmp_path, cases)
    with ended(worker):
        wait_for(worker)
        parent.kill()
        parent.communicate()
        assert gone(worker, within_s=5)
    assert kept(bench) == ["c0"]
    switch.unlink()
    resumed = bench.run(cases)
    assert times_run(runs) == [1, 2, 1]
    assert timeless(resumed) == timeless(Bench(tmp_path / "undisturbed").run(cases))
    assert left_behind(bench) == ["sut.trials"]


def test_a_killed_parent_leaves_no_children_of_the_worker(
    tmp_path: Path, switch: Path, pids: tuple[Path, Path]
) -> None:
    worker, child = pids
    parent = start_parent(
        tmp_path, [make_case("c", [f"!child {child}", f"!pid {worker}", f"!hang {switch}"], "q", ["q"])]
    )
    with ended(worker, child):
        wait_for(worker)
        parent.kill()
        parent.communicate()
        assert gone(worker, within_s=5)
        assert gone(child, within_s=5)


def test_an_interrupted_parent_leaves_nothing_running(tmp_path: Path, switch: Path, pids: tuple[Path, Path]) -> None:
    worker, child = pids
    parent = start_parent(
        tmp_path, [make_case("c", [f"!child {child}", f"!pid {worker}", f"!hang {switch}"], "q", ["q"])]
    )
    with ended(worker, child):
        wait_for(worker)
        parent.send_signal(signal.SIGINT)
        parent.communicate(timeout=20)
        assert gone(worker, within_s=1)
        assert gone(child, within_s=1)


def answer_of(parent: subprocess.Popen[str], within_s: float) -> str:
    try:
        return parent.communicate(timeout=within_s)[0]
    except subprocess.TimeoutExpired:
        parent.kill()
        parent.communicate()
        return "the parent itself hung"


def test_a_worker_that_loses_its_channel_and_hangs_does_not_hang_the_parent(
    tmp_path: Path, switch: Path, pids: tuple[Path, Path]
) -> None:
    """Some packages close every file descriptor, as daemons do."""
    facts = [f"!pid {pids[0]}", f"!close_channel_and_hang {switch}"]
    with ended(*pids):
        parent = start_parent(tmp_path, [make_case("c", facts, "q", ["q"])], limit_s=2.0)
        assert answer_of(parent, within_s=40).startswith("UserError: sut: ")


def test_a_worker_that_stops_between_two_cases_does_not_hang_the_parent(
    tmp_path: Path, switch: Path, pids: tuple[Path, Path]
) -> None:
    """The next case is larger than the pipe, so that sending it has to wait for the worker."""
    cases = [
        make_case("c0", [*PASSING, f"!pid {pids[0]}", f"!stop_soon {switch}"], "q", ["q"]),
        make_case("c1", ["a large fact " * 20_000], "q", ["q"]),
    ]
    with ended(*pids):
        parent = start_parent(tmp_path, cases, embedding_s=1.0, limit_s=2.0)
        rows = json.loads(answer_of(parent, within_s=40))
        assert [row["case_id"] for row in rows] == ["c0", "c1"], "the next worker is not stopped"


def test_a_slow_embedder_of_the_parent_is_not_counted_against_the_worker(bench: Bench) -> None:
    class Slow(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> Vectors:
            time.sleep(1.5)
            return super().embed(texts)

    case = make_case("c", PASSING, "unicycle")
    rows = bench.run([case], "EmbeddingThenPausing", embedder=Slow(), limit_s=1.0)
    assert rows[0]["verdict"] == "pass"
