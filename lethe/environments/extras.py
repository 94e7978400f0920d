"""The extras of an environment besides its Python packages: other environments, sources, Node packages, commands.

An environment NAME with extras has a file envs/NAME.extras.yaml:

    environments: [OTHER]      envs/OTHER.lock is built in ENVIRONMENT/environments/OTHER
    sources: NAME.sources      the source distributions listed in envs/NAME.sources.lock (with hashes) are unpacked in
                               ENVIRONMENT/sources; what pip prepares them with is listed in envs/build.lock
    node: NAME                 envs/NAME/package.json and package-lock.json are installed in ENVIRONMENT/node, by the
                               npm of ENVIRONMENT if it has one; install scripts of packages are not run
    built: [NAME, ...]         packages of the lock that are built from their sources, with what envs/build.lock lists;
                               no other is, and no build fetches anything else
    commands: [[make, ...]]    commands run in ENVIRONMENT, in this order, with its own programs first on the PATH
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from forgeteval.errors import UserError
from forgeteval.run.confinement import confine
from forgeteval.yaml_data import read_yaml
from lethe.fingerprints import PACKAGE
from lethe.folders import unpack_tar

BUILD_LOCK = "build.lock"


@dataclass(frozen=True, slots=True)
class Extras:
    """The keys of envs/NAME.extras.yaml, as described above."""

    environments: Sequence[str] = ()
    sources: str | None = None
    node: str | None = None
    built: Sequence[str] = ()
    commands: Sequence[Sequence[str]] = ()


def read_extras(envs: Path, name: str) -> Extras:
    """The extras of an environment; all empty if it has none.

    Raises:
        UserError: for an unknown key, naming the file.
    """
    path = envs / f"{name}.extras.yaml"
    if not path.is_file():
        return Extras()
    given: dict[str, Any] = read_yaml(path)
    known = [field.name for field in fields(Extras)]
    for key in given:
        if key not in known:
            raise UserError(f"{path}: unknown key {key!r}; known keys: {', '.join(known)}")
    return Extras(**given)


def extra_files(envs: Path, name: str) -> list[Path]:
    """The files of `envs` that the extras of an environment are built from."""
    extras = read_extras(envs, name)
    files = [] if extras == Extras() else [envs / f"{name}.extras.yaml"]
    files += [envs / f"{other}.lock" for other in extras.environments]
    files += [envs / BUILD_LOCK] if extras.built or extras.sources else []
    if extras.sources is not None:
        files.append(envs / f"{extras.sources}.lock")
    if extras.node is not None:
        files += [envs / extras.node / file for file in ("package.json", "package-lock.json")]
    return files


def unpack_sources(lock: Path, folder: Path, tools: Path) -> None:
    """Download the source distributions that `lock` lists, check their hashes and unpack them in `folder`.

    Args:
        tools: interpreter of an environment with what pip prepares a distribution's metadata with.

    Raises:
        UserError: if one cannot be downloaded or has another hash.
    """
    with tempfile.TemporaryDirectory(dir=folder.parent) as downloads:
        fixed = [
            "--no-deps",
            "--no-binary=:all:",
            "--no-build-isolation",
            "--ignore-requires-python",
            "--require-hashes",
        ]
        pip = [sys.executable, "-m", "pip", "--python", str(tools), "download", "--quiet"]
        run_or_say([*pip, *fixed, "-d", downloads, "-r", str(lock)], lock)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for archive in sorted(Path(downloads).iterdir()):
            unpack_tar(archive, folder)


def install_node_packages(source: Path, folder: Path) -> None:
    """Install exactly what the package-lock.json in `source` lists, into `folder`/node_modules.

    Raises:
        UserError: if npm is missing or fails; the message ends with the reason.
    """
    path = _path(folder.parent)
    npm = shutil.which("npm", path=path)
    if npm is None:
        raise UserError(f"{source}: npm is not on the PATH; install Node.js 20 or newer, or leave out its systems")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(source / name, folder)
    fixed = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", str(folder)]
    run_or_say([npm, "ci", *fixed], source, env=os.environ | {"PATH": path})


def run_commands(commands: Sequence[Sequence[str]], environment: Path, origin: Path) -> None:
    """Run commands in the folder of an environment, with its programs first on the PATH and this package importable.

    Raises:
        UserError: if one fails; the message names `origin` and ends with the reason.
    """
    env = os.environ | {"PATH": _path(environment), "PYTHONPATH": str(PACKAGE.parent)}
    for command in commands:
        run_or_say(command, origin, cwd=environment, env=env)


def _path(environment: Path) -> str:
    """The PATH with the programs of an environment first."""
    return f"{(environment / 'bin').absolute()}{os.pathsep}{os.environ.get('PATH', '')}"


_NEEDED = re.compile(
    r"(UV|PIP|NPM|SSL|XDG|LC|GIT)_\w+|\w+_PROXY|NODE_EXTRA_CA_CERTS|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE|NETRC|PATH|PYTHONPATH|"
    r"LD_LIBRARY_PATH|HOME|USER|LANG|TMPDIR|TMP|TEMP|TZ",
    re.IGNORECASE,
)
"""What builds an environment gets of this process's variables: settings of the package index, of certificates and of
proxies, and where things are."""


def run_or_say(
    command: Sequence[str], origin: Path, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> str:
    """Run a command, which sees no other processes where the kernel allows that and no variable that it does not need,
    and return its output.

    Raises:
        UserError: if it fails; the message names `origin` and ends with the end of the command's output.
    """
    needed = {name: value for name, value in (env or os.environ).items() if _NEEDED.fullmatch(name)}
    try:
        done = subprocess.run(
            command, cwd=cwd, env=needed, capture_output=True, text=True, check=False, preexec_fn=confine
        )
    except OSError as error:
        raise UserError(f"{origin}: {command[0]} cannot be run ({error.strerror}); install it") from error
    sys.stderr.write(done.stderr)
    if done.returncode:
        reason = " ".join((done.stderr or done.stdout).split())[-400:]
        raise UserError(f"{origin}: {Path(command[0]).name} failed: {reason}")
    return done.stdout
