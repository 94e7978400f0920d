"""`make env` in a folder with a space and an apostrophe in its name."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.paths import ROOT

PROJECTS = ("pyproject.toml", "lethe/pyproject.toml", "lethe/store/pyproject.toml")
LOCKS = ("site.lock", "pipeline.lock", "build.lock", "extras/wheels.lock")
INPUTS = (*PROJECTS, *(f"envs/{lock}" for lock in LOCKS))


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_a_folder_with_a_space_and_an_apostrophe_is_one_folder(tmp_path: Path) -> None:
    folder = tmp_path / "it's a folder"
    folder.mkdir()
    shutil.copy(ROOT / "Makefile", folder)
    for name in INPUTS:
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).touch()
    outer = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS", "VENV"))}
    told = subprocess.run(
        ["make", "-n", "env-all", "site", "same", "REF=an other", "RESULTS=a run"],
        cwd=folder, env=outer, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert '--results "a run" "an other"' in told
    commands = [line for line in told.splitlines() if str(folder.parent) in line]
    assert len(commands) > 5
    for command in commands:
        words = subprocess.run(
            ["bash", "-c", f"printf '%s\\n' {command.replace('&&', '')}"], capture_output=True, text=True, check=True
        ).stdout
        assert f"{folder}/.venv" in words or f"{folder}/.venv-site" in words, command


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize(
    ("name", "said"), [("notes", "holds something else than an environment of this"), ("my env", "one folder")]
)
@pytest.mark.parametrize("of_another", [False, True])
def test_a_folder_of_something_else_is_not_emptied(tmp_path: Path, name: str, said: str, of_another: bool) -> None:
    folder = tmp_path / name
    for each in {folder, tmp_path / name.split()[0]}:
        each.mkdir()
        (each / "notes.txt").write_text("mine", encoding="utf-8")
        if of_another:
            (each / "pyvenv.cfg").touch()
    outer = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS", "VENV"))}
    for target in ("env", f"{folder}-site/.made-from-lock"):
        done = subprocess.run(
            ["make", target, f"VENV={folder}"], cwd=ROOT, env=outer, capture_output=True, text=True, check=False
        )
        assert done.returncode and said in done.stderr, done.stderr
    assert [path.read_text(encoding="utf-8") for path in tmp_path.rglob("notes.txt")] == ["mine"] * len({*name.split()})


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize(
    ("name", "said"), [(".venv", "a link; name the folder"), ("./../other", "holds something else")]
)
def test_an_environment_elsewhere_is_not_emptied_by_another_name(tmp_path: Path, name: str, said: str) -> None:
    project, other = tmp_path / "project", tmp_path / "other"
    for folder in (project, other):
        folder.mkdir()
    shutil.copy(ROOT / "Makefile", project)
    (project / ".venv").symlink_to("../other")
    for file in ("pyvenv.cfg", "notes.txt"):
        (other / file).touch()
    outer = {each: value for each, value in os.environ.items() if not each.startswith(("MAKE", "MFLAGS", "VENV"))}
    for file in INPUTS:
        (project / file).parent.mkdir(exist_ok=True, parents=True)
        (project / file).touch()
    done = subprocess.run(
        ["make", "env", f"VENV={name}"], cwd=project, env=outer, capture_output=True, text=True, check=False
    )
    assert done.returncode and said in done.stderr, done.stderr
    assert (other / "notes.txt").exists() and (other / "pyvenv.cfg").exists()
