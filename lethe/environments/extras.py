"""What an environment needs besides its Python packages: further environments, source distributions, Node packages.

An environment NAME with such needs has a file envs/NAME.extras.yaml:

    environments: [OTHER]      envs/OTHER.lock is built in ENVIRONMENT/environments/OTHER
    sources: NAME.sources      envs/NAME.sources.lock lists source distributions (with hashes), which are unpacked
                               in ENVIRONMENT/sources
    node: NAME                 envs/NAME/package.json and package-lock.json are installed in ENVIRONMENT/node, by the
                               npm of ENVIRONMENT where it has one; no package's own install script runs
    commands: [[make, ...]]    run in ENVIRONMENT, in this order, its own programs first on the PATH
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from lethe.errors import LetheError
from lethe.fingerprints import PACKAGE

_KEYS = ("environments", "sources", "node", "commands")


def read_extras(envs: Path, name: str) -> dict[str, Any]:
    """The extras of an environment; empty where it has none.

    Raises:
        LetheError: for an unknown key, naming the file.
    """
    path = envs / f"{name}.extras.yaml"
    if not path.is_file():
        return {}
    extras: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    for key in extras:
        if key not in _KEYS:
            raise LetheError(f"{path}: unknown key {key!r}; known keys: {', '.join(_KEYS)}")
    return extras


def extra_files(envs: Path, name: str) -> list[Path]:
    """The files of `envs` that the extras of an environment are built from."""
    extras = read_extras(envs, name)
    files = [envs / f"{name}.extras.yaml"] if extras else []
    files += [envs / f"{other}.lock" for other in extras.get("environments", [])]
    if "sources" in extras:
        files.append(envs / f"{extras['sources']}.lock")
    if "node" in extras:
        files += [envs / extras["node"] / file for file in ("package.json", "package-lock.json")]
    return files


def unpack_sources(lock: Path, folder: Path) -> None:
    """Download the source distributions that `lock` lists, check their hashes and unpack them in `folder`.

    Raises:
        LetheError: where one cannot be had, or has another hash.
    """
    with tempfile.TemporaryDirectory(dir=folder.parent) as downloads:
        fixed = ["--no-deps", "--no-binary=:all:", "--ignore-requires-python", "--require-hashes"]
        run_or_say([sys.executable, "-m", "pip", "download", "--quiet", *fixed, "-d", downloads, "-r", str(lock)], lock)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for archive in sorted(Path(downloads).iterdir()):
            shutil.unpack_archive(archive, folder, filter="data")


def install_node_packages(source: Path, folder: Path) -> None:
    """Install exactly what the package-lock.json in `source` lists into `folder`/node_modules.

    Raises:
        LetheError: where npm is missing, or fails; the message ends with its reason.
    """
    path = _path(folder.parent)
    npm = shutil.which("npm", path=path)
    if npm is None:
        raise LetheError(f"{source}: npm is not on the PATH; install Node.js 20 or newer, or leave its systems out")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(source / name, folder)
    fixed = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", str(folder)]
    run_or_say([npm, "ci", *fixed], source, env=os.environ | {"PATH": path})


def run_commands(commands: list[list[str]], environment: Path, origin: Path) -> None:
    """Run commands in an environment's folder, with its own programs first on the PATH and this package importable.

    Raises:
        LetheError: where one fails; the message names `origin` and ends with the reason.
    """
    env = os.environ | {"PATH": _path(environment), "PYTHONPATH": str(PACKAGE.parent)}
    for command in commands:
        run_or_say(command, origin, cwd=environment, env=env)


def _path(environment: Path) -> str:
    """The PATH with an environment's own programs first."""
    return f"{(environment / 'bin').absolute()}{os.pathsep}{os.environ.get('PATH', '')}"


def run_or_say(command: list[str], origin: Path, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> str:
    """Run a command and return its output.

    Raises:
        LetheError: where it fails; the message names `origin` and ends with what the command said last.
    """
    try:
        done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    except OSError as error:
        raise LetheError(f"{origin}: {command[0]} cannot be run ({error.strerror}); install it") from error
    sys.stderr.write(done.stderr)
    if done.returncode:
        reason = " ".join((done.stderr or done.stdout).split())[-400:]
        raise LetheError(f"{origin}: {Path(command[0]).name} failed: {reason}")
    return done.stdout
