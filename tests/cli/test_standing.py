"""Commands of a project that are called in another folder than its own."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from forgeteval.errors import UserError
from lethe import installed
from lethe.config.model import HANDED_IN, Config
from tests.support.commands import app
from tests.support.paths import ROOT

MODEL = "qwen2.5-coder-0.5b"


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a file of configuration that has one model asked and everything written below it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "more.yaml").write_text(
        f"output_dir: {tmp_path}/out\nllm:\n  serve: [{MODEL}]\nrun:\n  systems: [lethe+llm]\n", encoding="utf-8"
    )
    return tmp_path


def called(*words: str) -> str:
    done = CliRunner().invoke(app, [*words, "--root", str(ROOT)], catch_exceptions=False)
    return done.output


def test_an_estimate_reads_the_answers_of_the_project(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = called("estimate", "--configfile", "more.yaml")
    assert "tells what" not in there and "expected: " in there.splitlines()[-1]
    configfile = str(elsewhere / "more.yaml")
    monkeypatch.chdir(ROOT)
    assert called("estimate", "--configfile", configfile) == there


def test_an_estimate_that_the_extra_leaves_nobody_to_ask_says_so_last(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installed, "MODULES", {**installed.MODULES, "endpoints": "no_such_module"})
    last = called("estimate", "--configfile", "more.yaml").splitlines()[-1]
    assert last == ("no chat model is to be asked; 1 was left out for lack of the extra endpoints (make env-all)")


def test_what_is_admitted_is_kept_in_the_project(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Path, Path, Path]] = []
    handed_in: list[Path] = []

    def refuse(file: Path, config: Config, folder: Path, *_: object) -> None:
        handed_in.append(ROOT / HANDED_IN)
        asked.append((file, folder.absolute(), Path.cwd()))
        raise UserError("seen")

    monkeypatch.setattr("lethe.trust.admit.admit", refuse)
    with pytest.raises(UserError, match="seen"):
        called("admit", "bundle.tar.gz")
    assert asked == [(elsewhere / "bundle.tar.gz", handed_in[0], ROOT)]
    with pytest.raises(UserError, match="seen"):
        called("admit", "bundle.tar.gz", "--into", "kept")
    assert asked[-1][1] == elsewhere / "kept" and Path.cwd() == elsewhere


def test_a_folder_that_is_none_is_said() -> None:
    done = CliRunner().invoke(app, ["doctor", "--root", "nowhere"])
    assert str(done.exception) == "--root nowhere: no such folder; name that of the Snakefile"


@pytest.mark.parametrize(
    "words",
    [
        ["docs"],
        ["doctor"],
        ["estimate"],
        ["why", "x.parquet"],
        ["atlas", "list"],
        ["atlas", "run", "x"],
        ["atlas", "new", "x==1"],
    ],
)
def test_a_workflow_of_somebody_else_is_no_clone(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own = {"Snakefile": "rule mine:\n", "config/config.yaml": "samples: 3\n", "docs/data.md": "mine\n"}
    for name, text in own.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = CliRunner().invoke(app, words)
    assert str(done.exception) == f"{tmp_path}: no clone of this project; change to one, or name it by --root"
    found = {path.relative_to(tmp_path).as_posix(): path for path in tmp_path.rglob("*") if path.is_file()}
    assert {name: path.read_text(encoding="utf-8") for name, path in found.items()} == own
