"""Environments with extras: other environments, Node packages, commands; one clear line if something is wrong."""

import hashlib
import io
import json
import re
import shutil
import sys
import tarfile
from pathlib import Path

import pytest

from forgeteval.errors import UserError
from lethe.environments.build import build_environment
from lethe.environments.extras import (
    Extras,
    extra_files,
    install_node_packages,
    read_extras,
    run_commands,
    unpack_sources,
)
from tests.support.paths import ROOT


@pytest.fixture
def envs(tmp_path: Path) -> Path:
    folder = tmp_path / "envs"
    folder.mkdir()
    for name in ("plain", "whole", "other"):
        (folder / f"{name}.lock").write_text("")
    (folder / "whole.extras.yaml").write_text(
        "environments: [other]\ncommands: [[sh, -c, 'command -v python > made']]\n"
    )
    return folder


def test_an_environment_without_extras_has_none(envs: Path) -> None:
    assert read_extras(envs, "plain") == Extras()
    assert extra_files(envs, "plain") == []


def test_extras_are_built_and_listed(envs: Path, tmp_path: Path) -> None:
    folder, freeze = tmp_path / "built" / "whole", tmp_path / "built" / "whole.freeze.txt"
    build_environment(envs / "whole.lock", folder, freeze)
    assert (folder / "environments/other/bin/python").exists()
    assert (folder / "made").read_text().strip() == str(folder / "bin/python")
    listed = freeze.read_text()
    assert "# other\n" in listed and "# whole.extras.yaml " in listed and "# other.lock " in listed


def test_the_files_that_extras_are_built_from(envs: Path) -> None:
    (envs / "all.extras.yaml").write_text("environments: [other]\nsources: all.sources\nnode: all\ncommands: []\n")
    names = [str(path.relative_to(envs)) for path in extra_files(envs, "all")]
    assert names[:4] == ["all.extras.yaml", "other.lock", "build.lock", "all.sources.lock"]
    assert names[4:] == ["all/package.json", "all/package-lock.json"]


def test_an_unknown_key_is_named(envs: Path) -> None:
    (envs / "odd.extras.yaml").write_text("enviroments: [other]\n")
    with pytest.raises(UserError, match=r"odd\.extras\.yaml: unknown key 'enviroments'; known keys: environments"):
        read_extras(envs, "odd")


def test_a_command_that_fails_is_one_line(envs: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"here\.yaml: sh failed: the nail is bent$"):
        run_commands([["sh", "-c", "echo the nail is bent >&2; exit 3"]], tmp_path, Path("here.yaml"))
    with pytest.raises(UserError, match=r"here\.yaml: no-such-tool cannot be run .*; install it$"):
        run_commands([["no-such-tool"]], tmp_path, Path("here.yaml"))


def test_without_npm_node_packages_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    with pytest.raises(UserError, match="npm is not on the PATH; install Node"):
        install_node_packages(tmp_path, tmp_path / "node")


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
def test_node_packages_are_those_of_the_lock(tmp_path: Path) -> None:
    source = tmp_path / "mine"
    source.mkdir()
    package = {"name": "mine", "version": "1.0.0"}
    (source / "package.json").write_text(json.dumps(package))
    lock = {**package, "lockfileVersion": 3, "packages": {"": package}}
    (source / "package-lock.json").write_text(json.dumps(lock))
    install_node_packages(source, tmp_path / "node")
    assert (tmp_path / "node/package-lock.json").exists()

    (source / "package.json").write_text(json.dumps({**package, "dependencies": {"left-out": "1.0.0"}}))
    with pytest.raises(UserError, match="mine: npm failed: "):
        install_node_packages(source, tmp_path / "node")


@pytest.mark.slow
def test_nothing_is_built_that_is_not_named_and_no_build_fetches_what_is_not_locked(envs: Path, tmp_path: Path) -> None:
    folder, freeze = tmp_path / "environment", tmp_path / "freeze.txt"
    (envs / "build.lock").write_bytes((ROOT / "envs" / "build.lock").read_bytes())
    lock = _lock_of_sources(envs, tmp_path)
    with pytest.raises(UserError, match="Building source distributions is disabled"):
        build_environment(lock, folder, freeze)
    (envs / "made.extras.yaml").write_text("built: [made]\n")
    build_environment(lock, folder, freeze)
    assert "made" in freeze.read_text() and "build.lock" in freeze.read_text()
    wrong = re.sub("sha256:[0-9a-f]{8}", "sha256:00000000", (envs / "build.lock").read_text())
    (envs / "build.lock").write_text(wrong)
    with pytest.raises(UserError, match=r"(?i)hash"):
        build_environment(_lock_of_sources(envs, tmp_path, version="2"), folder, freeze)


def test_sources_are_unpacked_with_the_tools_that_are_given(
    envs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    tools = tmp_path / "tools.sh"
    tools.write_text(f'#!/bin/sh\necho used > {tmp_path}/used\nexec {sys.executable} "$@"\n', encoding="utf-8")
    tools.chmod(0o755)
    lock = _lock_of_sources(envs, tmp_path, build='requires = ["of-no-index"]\nbuild-backend = "flit_core.buildapi"')
    unpack_sources(lock, tmp_path / "sources", tools)
    assert (tmp_path / "sources/made-1/made.py").exists() and (tmp_path / "used").exists()


def _lock_of_sources(envs: Path, tmp_path: Path, version: str = "1", build: str = 'requires = ["setuptools"]') -> Path:
    """The lock of a package `made` that is there as sources alone; `build` is its table build-system."""
    archive, name = tmp_path / f"made-{version}.tar.gz", f"made-{version}"
    project = f'[build-system]\n{build}\n[project]\nname = "made"\nversion = "{version}"\ndescription = "made"\n'
    info = f"Metadata-Version: 2.1\nName: made\nVersion: {version}\n"
    with tarfile.open(archive, "w:gz") as packed:
        for file, text in {"pyproject.toml": project, "PKG-INFO": info, "made.py": ""}.items():
            member = tarfile.TarInfo(f"{name}/{file}")
            member.size = len(text)
            packed.addfile(member, io.BytesIO(text.encode()))
    lock = envs / "made.lock"
    lock.write_text(f"made @ {archive.as_uri()} --hash=sha256:{hashlib.sha256(archive.read_bytes()).hexdigest()}\n")
    return lock
