"""`make env` in a folder with a space and an apostrophe in its name."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.paths import ROOT


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_a_folder_with_a_space_and_an_apostrophe_is_one_folder(tmp_path: Path) -> None:
    folder = tmp_path / "it's a folder"
    folder.mkdir()
    shutil.copy(ROOT / "Makefile", folder)
    projects = ("pyproject.toml", "lethe/pyproject.toml", "lethe/store/pyproject.toml")
    for name in (*projects, "envs/site.lock", "envs/pipeline.lock", "envs/build.lock"):
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).touch()
    (folder / "envs/extras").mkdir()
    (folder / "envs/extras/wheels.lock").touch()
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
