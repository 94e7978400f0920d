"""Kept trials: found again by what they depend on, written by one process at a time, and never lost."""

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from forgeteval.errors import UserError
from forgeteval.run.replay import Answer, Replay
from lethe.gateway.context import Usage
from lethe.jobs import kept
from lethe.jobs.kept import FinishedTrial, KeptTrials, lent_trials

FIRST = FinishedTrial("mine", "a", 0, Replay(inscribed=2, error="RuntimeError: broke"), Usage(3, 10, 1, 0.5))
SECOND = FinishedTrial("mine", "王😀", 1, Replay(answers=[Answer("q", ["x\ny\r\x00"], 1.5, 0.5, True, 2)]), Usage())
THIRD = FinishedTrial("long", "c", 0, Replay(decisions=["purge: 1 of 2 memories"], refused="not offered"), Usage())
TRIALS = {"one": FIRST, "two": SECOND, "three": THIRD}

HOLD = """
import sys
from pathlib import Path
from lethe.jobs.kept import KeptTrials
kept = KeptTrials(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trials" / "system.trials"


@pytest.fixture(autouse=True)
def short_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "PATIENCE_S", 0.3)


def write(path: Path, *keys: str) -> None:
    """Leave trials behind as a killed run does."""
    with KeptTrials(path) as trials:
        for key in keys:
            trials.add(key, TRIALS[key])


def found(path: Path) -> dict[str, FinishedTrial]:
    """What of TRIALS is kept."""
    with KeptTrials(path) as trials:
        return {key: trial for key in TRIALS if (trial := trials.find(key)) is not None}


@contextmanager
def held(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that writes the file until its input ends."""
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        yield holder


# What is in the file


def test_a_new_file_is_empty_and_makes_its_folder(path: Path) -> None:
    assert found(path) == {}
    assert path.read_bytes() == b""


def test_trials_are_found_by_their_keys(path: Path) -> None:
    write(path, "one", "two")
    assert found(path) == {"one": FIRST, "two": SECOND}
    write(path, "three")
    assert found(path) == TRIALS


def test_a_trial_is_in_the_file_when_add_returns(path: Path) -> None:
    with KeptTrials(path) as trials:
        trials.add("one", FIRST)
        (line,) = path.read_text(encoding="utf-8").splitlines()
        assert trials.find("one") == FIRST
    checksum, key, trial = line.split(" ", 2)
    assert (len(checksum), key) == (16, "one")
    assert '"history": "a"' in trial


def test_of_two_trials_with_a_key_the_later_one_counts(path: Path) -> None:
    with KeptTrials(path) as trials:
        trials.add("one", FIRST)
        trials.add("one", SECOND)
        assert trials.find("one") == SECOND
        trials.forget([])
    assert found(path) == {"one": SECOND}
    assert path.read_bytes().count(b"\n") == 1, "the earlier one is gone"


@pytest.mark.parametrize("cut", [1, 2, 10, -1])
def test_a_half_written_line_is_cut_off_and_its_trial_can_run_again(path: Path, cut: int) -> None:
    write(path, "one", "two")
    whole = path.read_bytes()
    start = whole.rstrip(b"\n").rfind(b"\n") + 1
    path.write_bytes(whole[: start + cut] if cut > 0 else whole[:cut])
    assert found(path) == {"one": FIRST}
    write(path, "two")
    assert path.read_bytes() == whole


def test_a_half_written_first_line_leaves_nothing(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"0123456789ab")
    write(path, "one")
    assert found(path) == {"one": FIRST}


def test_a_damaged_line_is_named_and_nothing_is_lost(path: Path) -> None:
    write(path, "one", "two")
    damaged = path.read_bytes().replace(b"mine", b"MINE", 1)
    path.write_bytes(damaged)
    with pytest.raises(UserError) as caught:
        KeptTrials(path)
    assert str(caught.value) == (
        f"{path}: line 1 is not as it was written; restore it, or remove it to run its trials again"
    )
    with pytest.raises(UserError, match="line 1 is not as it was written"):
        lent_trials(path)
    assert path.read_bytes() == damaged


def test_a_line_that_is_removed_is_a_trial_that_runs_again(path: Path) -> None:
    write(path, *TRIALS)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[2])
    assert found(path) == {"one": FIRST, "three": THIRD}


def other_form(key: str) -> bytes:
    """A line as a version may have written it whose trials had other fields."""
    rest = f'{key} {{"case": "a"}}'.encode()
    return kept._checksum(rest) + b" " + rest + b"\n"


def test_a_trial_of_another_form_hinders_nobody_who_does_not_ask_for_it(path: Path) -> None:
    write(path, "one")
    path.write_bytes(other_form("former") + path.read_bytes())
    assert found(path) == {"one": FIRST}
    with KeptTrials(path) as trials:
        with pytest.raises(UserError, match="a trial of another form; remove the file to run its trials again"):
            trials.find("former")
        trials.forget_former({"one": FIRST})
        assert trials.find("former") is None
    assert found(path) == {"one": FIRST}


# What is taken out


def test_forgotten_trials_are_gone_and_others_stay(path: Path) -> None:
    write(path, *TRIALS)
    with KeptTrials(path) as trials:
        trials.forget({"one", "three", "never kept"})
        assert trials.find("one") is None
        trials.add("three", THIRD)
        assert trials.find("three") == THIRD
    assert found(path) == {"two": SECOND, "three": THIRD}


def test_what_was_replaced_is_forgotten_and_others_stay(path: Path) -> None:
    write(path, *TRIALS)
    with KeptTrials(path) as trials:
        trials.add("again", replace(FIRST, replay=Replay()))
        trials.add("repetition", replace(FIRST, repetition=1))
        trials.add("suite", replace(FIRST, workload="other"))
        trials.forget_former({"again": replace(FIRST, replay=Replay())})
        assert trials.find("repetition") and trials.find("suite") and trials.find("again")
    assert found(path) == {"two": SECOND, "three": THIRD}


def test_where_nothing_was_replaced_the_file_is_not_written_again(path: Path) -> None:
    write(path, "one", "two")
    before = path.stat().st_ino
    with KeptTrials(path) as trials:
        trials.forget_former({"two": SECOND})
    assert path.stat().st_ino == before


# What is lent


def test_trials_are_lent_apart_from_broken_ones(path: Path) -> None:
    write(path, *TRIALS)
    with held(path) as holder:
        assert lent_trials(path) == {"two": SECOND, "three": THIRD}, "the file may be in use"
        holder.communicate("")
    assert lent_trials(path.with_name("absent.trials")) == {}


# One process at a time


def test_a_second_process_is_refused(path: Path) -> None:
    with held(path) as holder:
        with pytest.raises(UserError) as caught:
            KeptTrials(path)
        assert str(caught.value) == f"{path}: another process is running this configuration; wait for it to end"
        holder.communicate("")
    assert found(path) == {}


def test_a_second_process_is_waited_for(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "PATIENCE_S", 30.0)
    with held(path) as holder:
        assert holder.stdin is not None
        ending = threading.Timer(0.5, holder.stdin.close)
        ending.start()
        assert found(path) == {}
        ending.join()


def test_a_process_that_was_killed_lets_go(path: Path) -> None:
    with held(path) as holder:
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait()
        started = time.monotonic()
        assert found(path) == {}
        assert time.monotonic() - started < kept.PATIENCE_S


def test_a_child_of_the_process_does_not_hold_the_file(path: Path) -> None:
    """A worker that outlives a killed run does not keep the next one waiting."""
    trials = KeptTrials(path)
    trials.add("one", FIRST)
    trials.forget(["two"])
    with subprocess.Popen([sys.executable, "-c", "input()"], close_fds=False, stdin=subprocess.PIPE) as child:
        trials.close()
        assert found(path) == {"one": FIRST}
        child.communicate(b"\n")


def test_a_refused_opener_does_not_touch_the_trials(path: Path) -> None:
    with KeptTrials(path) as trials:
        trials.add("one", FIRST)
        with pytest.raises(UserError):
            KeptTrials(path)
        trials.add("two", SECOND)
    assert found(path) == {"one": FIRST, "two": SECOND}


def test_whoever_waited_while_the_file_was_replaced_opens_the_new_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "PATIENCE_S", 30.0)
    first = KeptTrials(path)
    first.add("one", FIRST)
    first.add("two", SECOND)
    opened: list[KeptTrials] = []
    waiting = threading.Thread(target=lambda: opened.append(KeptTrials(path)))
    waiting.start()
    time.sleep(0.3)
    first.forget(["one"])
    time.sleep(0.3)
    assert opened == [], "nobody comes between while the file is replaced"
    first.add("three", THIRD)
    first.close()
    waiting.join(timeout=10)
    assert opened[0].find("one") is None
    assert (opened[0].find("two"), opened[0].find("three")) == (SECOND, THIRD)
    opened[0].add("one", FIRST)
    opened[0].close()
    assert found(path) == TRIALS


def test_of_several_at_once_one_writes(path: Path) -> None:
    taken: list[KeptTrials] = []
    refused: list[UserError] = []

    def take() -> None:
        try:
            taken.append(KeptTrials(path))
        except UserError as error:
            refused.append(error)

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(taken), len(refused)) == (1, 7)
    taken[0].close()


# What cannot be written


def full_after(room: int) -> Callable[[int, bytes], int]:
    """`os.write` on a disk that has room for so many bytes."""
    left, really_write = room, os.write

    def write(descriptor: int, data: bytes) -> int:
        nonlocal left
        if left == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        data = bytes(data)[:left]
        left -= len(data)
        return really_write(descriptor, data)

    return write


@pytest.mark.parametrize("room", [0, 20])
def test_a_full_disk_names_the_file_and_loses_nothing(path: Path, room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with KeptTrials(path) as trials:
        trials.add("one", FIRST)
        with monkeypatch.context() as full:
            full.setattr(kept.os, "write", full_after(room))
            with pytest.raises(UserError) as caught:
                trials.add("two", SECOND)
        assert f"writing {path}: No space left on device" in str(caught.value)
        assert trials.find("two") is None, "a trial that is not in the file does not count as finished"
        trials.add("three", THIRD)
    assert found(path) == {"one": FIRST, "three": THIRD}, "what was begun of a line is cut off"


def test_a_full_disk_leaves_the_file_as_it_was_when_trials_are_forgotten(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(path, "one", "two")
    before = path.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with KeptTrials(path) as trials:
        with monkeypatch.context() as patch:
            patch.setattr("forgeteval.files.os.fsync", full)
            with pytest.raises(UserError, match=f"writing {path}: No space left on device"):
                trials.forget(["one"])
        assert path.read_bytes() == before
        with pytest.raises(UserError, match="another process"):
            KeptTrials(path)
        trials.add("three", THIRD)
    assert found(path) == TRIALS
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_path_below_a_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UserError, match=str(tmp_path / "file" / "system.trials")):
        KeptTrials(tmp_path / "file" / "system.trials")
