"""Runs that resume from a journal, or begin a new one."""

import threading
import time
from pathlib import Path
from typing import Any

import pytest
from lethe.jobs.journal import FinishedTrial, Journal

from forgeteval.errors import UserError
from forgeteval.run.replay import Replay
from lethe.gateway.context import Usage
from lethe.jobs import lease
from tests.support.bench import Bench, make_case
from tests.support.disturbed import PASSING, three_cases, times_run


def test_a_new_fingerprint_starts_anew(bench: Bench, tmp_path: Path, switch: Path) -> None:
    runs = tmp_path / "runs"
    cases = three_cases("!exit", switch, runs=runs)
    with pytest.raises(UserError):
        bench.run(cases, fingerprint="old code")
    switch.unlink()
    bench.run(cases, fingerprint="new code")
    assert times_run(runs) == [2, 2, 1]


@pytest.mark.parametrize("changed", ["k", "repetitions", "policies", "cases"])
def test_another_configuration_starts_anew(bench: Bench, tmp_path: Path, switch: Path, changed: str) -> None:
    runs = tmp_path / "runs"
    cases = three_cases("!exit", switch, runs=runs)
    with pytest.raises(UserError):
        bench.run(cases)
    switch.unlink()
    options: dict[str, dict[str, Any]] = {
        "k": {"k": 5},
        "repetitions": {"repetitions": 2},
        "policies": {"policies": {"purge": "equal_text"}},
        "cases": {},
    }
    if changed == "cases":
        cases[2] = make_case("c2", PASSING, "another question")
    bench.run(cases, **options[changed])
    assert times_run(runs)[0] == (3 if changed == "repetitions" else 2)


def test_a_half_written_trial_is_run_again(bench: Bench, tmp_path: Path, switch: Path) -> None:
    runs = tmp_path / "runs"
    cases = three_cases("!exit", switch, runs=runs, at=2)
    with pytest.raises(UserError):
        bench.run(cases)
    switch.unlink()
    content = bench.kept.read_bytes()
    bench.kept.write_bytes(content[:-20])
    rows = bench.run(cases)
    assert times_run(runs) == [1, 2, 2]
    assert [row["verdict"] for row in rows] == ["pass"] * 3


@pytest.mark.parametrize("content", [b"no journal\n", b"\x00\x00\x00\n", b"\xff\xfe\n", b"[1]\n{}\n", b"\n"])
def test_a_file_that_is_no_journal_is_begun_anew_or_named(bench: Bench, content: bytes) -> None:
    bench.kept.parent.mkdir(parents=True)
    bench.kept.write_bytes(content)
    try:
        rows = bench.run(three_cases())
    except UserError as error:
        assert str(bench.kept) in str(error)
    else:
        assert [row["verdict"] for row in rows] == ["pass"] * 3


def test_two_runs_of_the_same_journal_do_not_mix(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "PATIENCE_S", 0.3)
    held = Journal(bench.kept, "another run")
    try:
        with pytest.raises(UserError, match="is running this"):
            bench.run(three_cases())
    finally:
        held.close()
    assert [row["verdict"] for row in bench.run(three_cases())] == ["pass"] * 3


def test_a_run_that_waited_for_another_to_finish_has_a_journal(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    first = Journal(path, "code")
    opened: list[Journal] = []
    waiting = threading.Thread(target=lambda: opened.append(Journal(path, "code")))
    waiting.start()
    time.sleep(0.5)
    first.discard()
    waiting.join(timeout=10)
    trial = FinishedTrial("c0", 0, Replay(), Usage())
    opened[0].append(trial)
    opened[0].close()
    again = Journal(path, "code")
    assert again.trials == [trial]
    again.close()
