"""Environments and embedders that a machine makes for itself: once for all its processes, anew for another lock."""

import json
import multiprocessing
import os
import signal
import time
from pathlib import Path

import pytest

from forgeteval.errors import UserError
from lethe.config.model import Config
from lethe.environments import node
from lethe.environments.build import interpreter
from lethe.environments.here import embedder_folder, see_to_environments
from lethe.environments.node import environment_on_node
from tests.support.config import shipped

BUILT = "echo built >> {0}/builds"


@pytest.fixture
def envs(tmp_path: Path) -> Path:
    """A lock of nothing, whose environment counts how often it is built."""
    folder = tmp_path / "envs"
    folder.mkdir()
    (folder / "plain.lock").write_text("")
    write_command(folder, BUILT.format(tmp_path))
    return folder


def write_command(envs: Path, command: str) -> None:
    (envs / "plain.extras.yaml").write_text(json.dumps({"commands": [["sh", "-c", command]]}))


def builds(folder: Path) -> int:
    return (folder / "builds").read_text().count("built") if (folder / "builds").exists() else 0


def start(environments: Path, envs: Path) -> "multiprocessing.context.SpawnProcess":
    process = multiprocessing.get_context("spawn").Process(
        target=environment_on_node, args=("plain", environments, envs)
    )
    process.start()
    return process


def test_two_processes_build_one_environment(envs: Path, tmp_path: Path) -> None:
    write_command(envs, f"sleep 1; {BUILT.format(tmp_path)}")
    processes = [start(tmp_path / "built", envs) for _ in range(2)]
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    assert builds(tmp_path) == 1
    assert interpreter(tmp_path / "built", "plain").exists()


def test_a_build_that_was_killed_is_made_again(envs: Path, tmp_path: Path) -> None:
    write_command(envs, "touch ../begun; sleep 60")
    process = start(tmp_path / "built", envs)
    deadline = time.monotonic() + 60
    while not (tmp_path / "built" / "begun").exists():
        assert process.is_alive() and time.monotonic() < deadline
        time.sleep(0.05)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join(60)
    write_command(envs, BUILT.format(tmp_path))
    assert "plain.extras.yaml" in environment_on_node("plain", tmp_path / "built", envs).read_text()
    assert builds(tmp_path) == 1


def test_another_lock_is_built_anew_and_the_same_is_not(envs: Path, tmp_path: Path) -> None:
    for lock, expected in (("", 1), ("", 1), ("# another\n", 2)):
        (envs / "plain.lock").write_text(lock)
        environment_on_node("plain", tmp_path / "built", envs)
        assert builds(tmp_path) == expected


def test_what_the_workflow_built_here_is_used_as_it_is(tmp_path: Path) -> None:
    see_to_environments([tmp_path / "nonesuch.freeze.txt"], tmp_path)
    description = tmp_path / "embedders" / "one" / "embedder.json"
    config = Config.of(shipped() | {"environments_dir": str(tmp_path)})
    assert embedder_folder(description, config) == description.parent
    assert list(tmp_path.iterdir()) == []


def test_an_embedder_that_turns_out_another_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    description = {"name": "tiny", "source": "hub", "dim": 3, "max_tokens": 8, "sha256": "a" * 64}
    (tmp_path / "stored").mkdir()
    wanted = tmp_path / "stored" / "embedder.json"
    wanted.write_text(json.dumps(description))
    config = Config.of(shipped() | {"environments_dir": str(tmp_path / "here")})
    made: list[Path] = []

    def prepare(folder: Path, *_: object) -> None:
        made.append(folder)
        folder.mkdir(parents=True)
        sha256 = ("b" if len(made) == 1 else "a") * 64
        (folder / "embedder.json").write_text(json.dumps(description | {"sha256": sha256}))

    monkeypatch.setattr(node, "prepare_embedder", prepare)
    with pytest.raises(UserError, match=r"is not the embedder of the workflow"):
        embedder_folder(wanted, config)
    assert [embedder_folder(wanted, config) for _ in range(2)] == [made[1]] * 2 and len(made) == 2
