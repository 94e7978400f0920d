"""The cache lies where the platform keeps such things, unless a variable says otherwise."""

import sys
from pathlib import Path

import pytest

from forgeteval.embed.cache_folder import cache_folder
from forgeteval.errors import UserError


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for name in ("FORGETEVAL_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("platform", "folder"),
    [("linux", ".cache"), ("darwin", "Library/Caches"), ("win32", "AppData/Local"), ("freebsd14", ".cache")],
)
def test_each_platform_has_its_folder(monkeypatch: pytest.MonkeyPatch, home: Path, platform: str, folder: str) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert cache_folder() == home / folder / "forgeteval"


@pytest.mark.parametrize(("platform", "variable"), [("linux", "XDG_CACHE_HOME"), ("win32", "LOCALAPPDATA")])
def test_the_platform_s_variable_counts_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, platform: str, variable: str
) -> None:
    monkeypatch.setenv(variable, str(tmp_path / "caches"))
    monkeypatch.setattr(sys, "platform", platform)
    assert cache_folder() == tmp_path / "caches" / "forgeteval"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache_folder() == tmp_path / "Library/Caches/forgeteval"


def test_a_relative_folder_for_caches_counts_as_unset(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "caches")
    assert cache_folder() == home / ".cache" / "forgeteval"


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_the_own_variable_counts_everywhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, platform: str) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    monkeypatch.setenv("FORGETEVAL_CACHE", str(tmp_path / "mine"))
    assert cache_folder() == tmp_path / "mine"


def test_the_own_variable_may_be_relative(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FORGETEVAL_CACHE", "mine")
    assert cache_folder() == tmp_path / "mine"


def test_without_a_home_the_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(Path, "home", no_home)
    with pytest.raises(UserError, match="set FORGETEVAL_CACHE to a folder"):
        cache_folder()
