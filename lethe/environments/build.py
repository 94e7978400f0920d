"""The systems' virtual environments: each is built from its lock by uv, together with its extras."""

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from forgeteval.errors import UserError
from forgeteval.files import read_file, write_text
from lethe.config.configurations import PIPELINE
from lethe.environments.extras import (
    BUILD_LOCK,
    extra_files,
    install_node_packages,
    read_extras,
    run_commands,
    run_or_say,
    unpack_sources,
)
from lethe.fingerprints import file_fingerprint


def interpreter(environments: Path, name: str) -> Path:
    """The Python of an environment."""
    return Path(sys.executable) if name == PIPELINE else (environments / name / "bin" / "python").absolute()


def build_environment(lock: Path, folder: Path, freeze: Path) -> None:
    """Build in `folder` exactly what `lock` and the extras beside it list, and write the list of packages to `freeze`.

    Hashes are checked.

    Raises:
        UserError: if uv is missing or something cannot be built; the message ends with the reason.
    """
    envs, name = lock.parent, lock.stem
    extras = read_extras(envs, name)
    listed = _build_python(lock, folder, extras.built)
    for other in extras.environments:
        listed += f"# {other}\n" + _build_python(envs / f"{other}.lock", folder / "environments" / other)
    if extras.sources is not None:
        _build_python(envs / BUILD_LOCK, folder / "tools")
        unpack_sources(envs / f"{extras.sources}.lock", folder / "sources", folder / "tools" / "bin" / "python")
        shutil.rmtree(folder / "tools")
    if extras.node is not None:
        install_node_packages(envs / extras.node, folder / "node")
    run_commands(extras.commands, folder, envs / f"{name}.extras.yaml")
    listed += "".join(f"# {file.relative_to(envs)} {file_fingerprint(file)}\n" for file in extra_files(envs, name))
    write_text(freeze, listed)


def _build_python(lock: Path, folder: Path, built: Sequence[str] = ()) -> str:
    """Build one virtual environment and return the list of its packages.

    Once they are there its interpreter is not started, and no bytecode compiled: a file `.pth` runs code with it.

    Args:
        built: packages that are built from their sources; of all others the wheels are taken.
    """

    def run(*arguments: str) -> str:
        return _run_uv(lock, *arguments)

    _check_lock(lock)
    if not (folder / "pyvenv.cfg").is_file() and any(path.is_file() for path in folder.rglob("*")):
        raise UserError(f"{folder}: holds no environment, and something else; move it, or change environments_dir")
    run("venv", "--quiet", "--clear", "--python", sys.executable, str(folder))
    python = str(folder / "bin" / "python")
    sources = [option for name in built for option in ("--no-binary", name)]
    if sources:
        sources += ["--build-constraints", str(lock.parent / BUILD_LOCK)]
    wheels = ["--require-hashes", "--only-binary", ":all:"]
    run("pip", "sync", "--quiet", *wheels, *sources, "--python", python, str(lock))
    places = [option for place in sorted(folder.glob("lib/python*/site-packages")) for option in ("--path", str(place))]
    return run("pip", "freeze", "--quiet", "--python", sys.executable, *places)


def _check_lock(lock: Path) -> None:
    """Raise UserError where a lock says from which server a package comes: that is the machine's to say."""
    try:
        lines = read_file(lock).decode("utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise UserError(f"{lock}: cannot be read ({error})") from error
    for number, line in enumerate(lines, 1):
        said = line.split("#")[0].strip()
        if (said.startswith("-") and not said.startswith("--hash=")) or "://" in said.replace("file://", ""):
            raise UserError(
                f"{lock}:{number}: {said!r:.80}: a lock names packages with hashes, and no index or address"
            )


def try_index(lock: Path, folder: Path) -> None:
    """Ask the package index, and no cache of the machine, for what `lock` lists, as if to install it in `folder`.

    Raises:
        UserError: if uv is missing or the index cannot be used; the message ends with the reason.
    """
    _run_uv(
        lock,
        "pip",
        "install",
        "--quiet",
        "--dry-run",
        "--cache-dir",
        str(folder / "cache"),
        "--no-deps",
        "--target",
        str(folder),
        "-r",
        str(lock),
    )


def _run_uv(lock: Path, *arguments: str) -> str:
    """Run uv with the machine's settings of the package index, and return its output."""
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if uv is None:
        raise UserError("uv is not installed; it comes with envs/pipeline.lock: run `make env`")
    return run_or_say([uv, *arguments], lock, env=uv_settings())


def uv_settings() -> dict[str, str]:
    """The environment that uv is run with: a machine's settings of the package index for pip apply to it as well.

    It compiles nothing, whatever the machine's settings are: that would start the interpreter among foreign packages.
    """
    environment = {"UV_SYSTEM_CERTS": "true"} | os.environ | {"UV_COMPILE_BYTECODE": "false"}
    for pip_name, uv_name in (("PIP_INDEX_URL", "UV_DEFAULT_INDEX"), ("PIP_CERT", "SSL_CERT_FILE")):
        if pip_name in environment:
            environment.setdefault(uv_name, environment[pip_name])
    return environment
