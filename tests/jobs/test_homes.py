"""Where a worker's HOME stands: in memory where there is room, and nowhere once the run is over."""

import hashlib
import json
import os
import subprocess
from pathlib import Path

import psutil
import pytest

from forgeteval.errors import UserError
from lethe.jobs import homes
from lethe.processes import folder_prefix, private_folder
from tests.support.bench import Bench, make_case, timeless

CASES = [make_case("c", ["The cellar key is green."], "Which key?", ["green"])]
MINE = folder_prefix()


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "memory"
    folder.mkdir()
    monkeypatch.setattr(homes, "MEMORY", folder)
    return folder


def home_of(bench: Bench) -> Path:
    bench.kept.unlink(missing_ok=True)
    (trial,) = bench.run(CASES, "Surroundings", in_memory=True)
    return Path(json.loads(trial["recalled"][0])["home"])


def test_in_memory_where_there_is_room(bench: Bench, memory: Path) -> None:
    assert home_of(bench).is_relative_to(memory)
    assert list(memory.iterdir()) == []


def test_beside_the_kept_trials_where_somebody_else_holds_the_name(bench: Bench, memory: Path) -> None:
    (memory / f"{MINE}-99999999999999999999-1-x").mkdir()
    (memory / f"{MINE}-x-1-x").mkdir()
    assert home_of(bench).is_relative_to(memory)
    homes_of_this = private_folder(memory, psutil.Process(), "probe").name.rsplit("-", 1)[0]
    name = hashlib.sha256(str(bench.kept.absolute()).encode()).hexdigest()[:16]
    (memory / f"{homes_of_this}-{name}").write_text("")
    assert home_of(bench) == bench.kept.with_suffix(".home").absolute() / "home"


@pytest.mark.parametrize("room", [1 << 60, None])
def test_beside_the_kept_trials_without_room(
    bench: Bench, memory: Path, room: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if room is None:
        memory.rmdir()
    else:
        monkeypatch.setattr(homes, "_ROOM_BYTES", room)
    assert home_of(bench) == bench.kept.with_suffix(".home").absolute() / "home"


def test_trials_are_equal(tmp_path: Path, memory: Path) -> None:
    kept = Bench(tmp_path / "kept").run(CASES, "naive_sql", in_memory=True)
    assert timeless(kept) == timeless(Bench(tmp_path / "disk").run(CASES, "naive_sql"))


def test_what_a_killed_run_left_is_removed(memory: Path) -> None:
    with subprocess.Popen(["true"]) as ended:
        pass
    left = memory / f"{MINE}-{ended.pid}-1-home"
    (left / "home").mkdir(parents=True)
    kept = private_folder(memory, psutil.Process(), "home")
    assert list(memory.iterdir()) == [kept]
    assert kept.stat().st_mode & 0o777 == 0o700


def test_what_belongs_to_other_process_numbers_stays(memory: Path) -> None:
    """Containers may share /dev/shm; a process of another one cannot be seen from here."""
    other = memory / f"lethe-{os.getuid()}-1-{2**22 - 1}-1-home"
    other.mkdir()
    kept = private_folder(memory, psutil.Process(), "home")
    assert sorted(memory.iterdir()) == sorted([kept, other])


def test_a_folder_that_others_may_enter_is_refused(memory: Path) -> None:
    private_folder(memory, psutil.Process(), "home").chmod(0o755)
    with pytest.raises(UserError, match="belongs to somebody else"):
        private_folder(memory, psutil.Process(), "home")
