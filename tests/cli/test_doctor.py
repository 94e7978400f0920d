"""`forgeteval doctor`."""

import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from forgeteval.errors import UserError
from lethe.cli import machine
from tests.support.commands import app
from tests.support.paths import ROOT


def examined(*words: str) -> tuple[int, dict[str, str]]:
    """The exit code, and each line by what was looked for, after its sign."""
    done = CliRunner().invoke(app, ["doctor", "--root", str(ROOT), *words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    signs = (line.split(maxsplit=1) for line in done.output.splitlines())
    return done.exit_code, {rest.split(": ")[0]: f"{sign} {rest}" for sign, rest in signs}


@pytest.fixture(autouse=True)
def index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "try_index", lambda lock, folder: None)


def test_a_machine_with_everything_can_run() -> None:
    code, lines = examined()
    assert code == 0 and lines["package index"].startswith("ok")
    assert lines["a store in SQLite, with full-text search"].endswith("works (1 memory recalled)")
    assert lines["model smollm2-135m"].startswith("ok")


def lack_of_index(patch: pytest.MonkeyPatch) -> None:
    def unreached(lock: Path, folder: Path) -> None:
        raise UserError("envs/build.lock: uv failed: nobody there")

    patch.setattr(machine, "try_index", unreached)


def lack_of_disk(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=10**9))


def lack_of_store(patch: pytest.MonkeyPatch) -> None:
    def broken(**options: object) -> None:
        raise UserError("no extension can be loaded")

    patch.setattr(machine, "Store", broken)


def test_folders_that_cannot_be_written_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a file/cache"))
    code, lines = examined()
    found = lines[f"folder {tmp_path}/a file/cache"]
    assert code == 1 and found.startswith("needed") and "set XDG_CACHE_HOME or HOME to a folder of yours" in found
    assert lines["folder . (output_dir)"].endswith("can be written")


@pytest.mark.parametrize(
    ("lack", "what", "said"),
    [
        (lack_of_index, "package index", "only environments that are built already can be used"),
        (lack_of_disk, "disk at .environments", "set environments_dir or output_dir to a larger disk"),
        (lack_of_store, "a store in SQLite, with full-text search", "no store works"),
    ],
)
def test_without_what_is_needed_the_exit_code_says_so(
    lack: Callable[[pytest.MonkeyPatch], None], what: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lack(monkeypatch)
    code, lines = examined()
    assert code == 1 and lines[what].startswith("needed") and said in lines[what]


def test_what_is_not_needed_costs_something_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shutil, "which", lambda *given, **options: None)
    code, lines = examined()
    assert code == 0 and "OpenMemory cannot be built once run.heavy is switched on" in lines["g++"]
    extra = tmp_path / "extra.yaml"
    extra.write_text("run: {heavy: true}\ndatasets: nowhere\nllm: {answers: nowhere}\n")
    code, lines = examined("--configfile", str(extra))
    assert code == 1 and lines["g++"].startswith("needed")
    assert "not run: no data at nowhere/memora/weekly; `forgeteval fetch memora` brings it" in lines["benchmark memora"]
    assert "no answers recorded" in lines["model smollm2-135m"]


LIVE = {"family": "f", "base_url": "http://127.0.0.1:9/v1", "model": "m"}
ENTRIES: dict[str, dict[str, Any]] = {
    "hook": {"systems": ["lethe+llm"], "api_key_env": "DOCTORS_KEY"},
    "judge": {"systems": [], "api_key_env": "DOCTORS_KEY"},
    "keyless": {"systems": []},
}


def with_models(tmp_path: Path, **config: object) -> list[str]:
    """The option that brings the models in."""
    extra = tmp_path / "extra.yaml"
    models = {name: {**LIVE, **entry} for name, entry in ENTRIES.items()}
    extra.write_text(yaml.safe_dump({"models": models, **config}))
    return ["--configfile", str(extra)]


@pytest.mark.parametrize(("key", "problem"), [("", "is not set"), ("two words", "has characters that no key can have")])
def test_a_model_that_would_be_asked_lacks_its_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, problem: str
) -> None:
    monkeypatch.setenv("DOCTORS_KEY", key)
    code, lines = examined(*with_models(tmp_path))
    for name, lost in {"hook": "configurations", "judge": "judgements"}.items():
        line = lines[f"model {name}"]
        assert line.startswith(f"lacks model {name}: the variable DOCTORS_KEY {problem}; ")
        assert line.endswith(f" -- its {lost} are not made, and the run ends with exit code 1")
    assert lines["model keyless"] == "ok model keyless: answers recorded, or asked live"
    assert lines["model smollm2-135m-judge"].startswith("ok") and code == 0


def test_no_key_lacks_where_it_is_set_or_nobody_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replayed = with_models(tmp_path, llm={"mode": "replay"})
    _, lines = examined(*replayed)
    assert lines["model hook"].startswith("ok") and lines["model judge"].startswith("ok")
    left_out = with_models(tmp_path, run={"systems": ["lethe"], "suites": ["held_out"]})
    _, lines = examined(*left_out)
    assert lines["model hook"].startswith("ok") and lines["model judge"].startswith("ok")
    monkeypatch.setenv("DOCTORS_KEY", "sk-1")
    _, lines = examined(*with_models(tmp_path))
    assert lines["model hook"].startswith("ok") and lines["model judge"].startswith("ok")


def test_a_faulty_configuration_is_one_line(tmp_path: Path) -> None:
    extra = tmp_path / "extra.yaml"
    extra.write_text("- a list\n")
    with pytest.raises(UserError, match=r"extra\.yaml: a configuration maps keys to values"):
        CliRunner().invoke(app, ["doctor", "--root", str(ROOT), "--configfile", str(extra)], catch_exceptions=False)
