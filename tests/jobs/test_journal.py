"""The journal: a killed run goes on where it was, one process at a time."""

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from lethe.jobs.journal import FinishedTrial, Journal

from forgeteval.errors import UserError
from forgeteval.run.replay import Answer, Replay
from lethe.gateway.context import Usage
from lethe.jobs import lease

FIRST = FinishedTrial("a", 0, Replay(inscribed=2, error="RuntimeError: broke"), Usage(3, 10, 1, 0.5))
SECOND = FinishedTrial("王😀", 1, Replay(answers=[Answer("q", ["x\ny\r\x00"], 1.5, 0.5, True, 2)]), Usage())
THIRD = FinishedTrial("c", 0, Replay(decisions=["purge: 1 of 2 memories"], refused="not offered: release"), Usage())

HOLD = """
import sys
from pathlib import Path
from lethe.jobs.journal import Journal
journal = Journal(Path(sys.argv[1]), "f")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs" / "system.journal"


def written(path: Path, *trials: FinishedTrial, fingerprint: str = "f") -> None:
    """Leave a journal behind as a killed run does."""
    journal = Journal(path, fingerprint)
    for trial in trials:
        journal.append(trial)
    journal.close()


def resumed(path: Path, fingerprint: str = "f") -> list[FinishedTrial]:
    journal = Journal(path, fingerprint)
    journal.close()
    return journal.trials


def test_a_new_journal_is_empty_and_makes_its_folder(path: Path) -> None:
    assert resumed(path) == []
    assert path.is_file()


def test_trials_are_resumed_in_order(path: Path) -> None:
    written(path, FIRST, SECOND)
    assert resumed(path) == [FIRST, SECOND]
    written(path, THIRD)
    assert resumed(path) == [FIRST, SECOND, THIRD]


def test_a_trial_is_in_the_file_when_append_returns(path: Path) -> None:
    journal = Journal(path, "f")
    journal.append(FIRST)
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert all(len(line.pop("checksum")) == 64 for line in lines)
    assert lines == [{"fingerprint": "f"}, asdict(FIRST)]
    assert journal.trials == [FIRST]
    journal.close()


def test_another_fingerprint_starts_anew(path: Path) -> None:
    written(path, FIRST, SECOND)
    assert resumed(path, "other") == []
    assert resumed(path, "f") == [], "the old trials are gone for good"


@pytest.mark.parametrize("cut", [1, 2, 10, -1])
def test_a_half_written_line_is_cut_off_and_its_trial_can_run_again(path: Path, cut: int) -> None:
    written(path, FIRST, SECOND)
    whole = path.read_bytes()
    start = whole.rstrip(b"\n").rfind(b"\n") + 1
    path.write_bytes(whole[: start + cut] if cut > 0 else whole[:cut])
    assert resumed(path) == [FIRST]
    written(path, SECOND)
    assert resumed(path) == [FIRST, SECOND]
    assert path.read_bytes() == whole


def test_a_half_written_first_line_starts_anew(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b'{"finger')
    written(path, FIRST)
    assert resumed(path) == [FIRST]


@pytest.mark.parametrize("change", ["a letter", "removed"])
def test_a_damaged_first_line_loses_no_trials(path: Path, change: str) -> None:
    written(path, FIRST, SECOND)
    whole = path.read_bytes()
    damaged = whole.replace(b'"f"', b'"g"', 1) if change == "a letter" else whole.partition(b"\n")[2]
    path.write_bytes(damaged)
    with pytest.raises(UserError, match="line 1 is not as it was written; restore the file, or remove it"):
        Journal(path, "f")
    assert path.read_bytes() == damaged


def test_discard_removes_the_file(path: Path) -> None:
    journal = Journal(path, "f")
    journal.append(FIRST)
    journal.discard()
    assert not path.exists()
    assert resumed(path) == []


def test_a_second_process_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "PATIENCE_S", 0.2)
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(UserError) as caught:
            Journal(path, "f")
        assert str(path) in str(caught.value)
        assert f": process {holder.pid} on " in str(caught.value)
        holder.communicate("")
    assert resumed(path) == []


def test_a_second_process_is_waited_for(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "PATIENCE_S", 30.0)
    command = [sys.executable, "-c", HOLD.replace("sys.stdin.read()", "import time; time.sleep(0.5)"), str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert resumed(path) == []


def test_a_refused_opener_does_not_touch_the_trials(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "PATIENCE_S", 0.0)
    journal = Journal(path, "f")
    journal.append(FIRST)
    with pytest.raises(UserError):
        Journal(path, "other")
    journal.append(SECOND)
    journal.close()
    assert resumed(path) == [FIRST, SECOND]


@pytest.fixture
def full_journal(path: Path) -> Journal:
    """A journal whose disk fills up after it was opened."""
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    journal = Journal(path, "f")
    journal.append(FIRST)
    full = os.open("/dev/full", os.O_WRONLY)
    os.dup2(full, journal._descriptor)
    os.close(full)
    return journal


def test_a_full_disk_names_the_file(full_journal: Journal, path: Path) -> None:
    with pytest.raises(UserError) as caught:
        full_journal.append(SECOND)
    assert f"writing {path}: No space left on device" in str(caught.value)
    assert full_journal.trials == [FIRST], "a trial that is not in the file does not count as finished"
    full_journal.close()
    assert resumed(path) == [FIRST]


def test_a_journal_on_a_full_disk_can_be_closed(full_journal: Journal) -> None:
    with pytest.raises(UserError):
        full_journal.append(SECOND)
    full_journal.close()


def test_a_path_below_a_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UserError, match=str(tmp_path / "file" / "system.journal")):
        Journal(tmp_path / "file" / "system.journal", "f")
