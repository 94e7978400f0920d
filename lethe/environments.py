"""The systems' own virtual environments, each built from its lock by uv."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from lethe.errors import LetheError
from lethe.parquet import write_text

PIPELINE = "pipeline"
"""The environment that the workflow itself runs in; it is built by `make env`."""


def interpreter(environments: Path, name: str) -> Path:
    """The Python of an environment."""
    return Path(sys.executable) if name == PIPELINE else (environments / name / "bin" / "python").absolute()


def build_environment(lock: Path, folder: Path, freeze: Path) -> None:
    """Make `folder` hold exactly what `lock` lists (hashes checked) and write the list of packages to `freeze`.

    Raises:
        LetheError: where uv is missing or cannot build the environment; the message ends with uv's own reason.
    """
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if uv is None:
        raise LetheError("uv is not installed; it comes with envs/pipeline.lock: run `make env`")
    environment = {"UV_SYSTEM_CERTS": "true"} | os.environ
    # What a machine tells pip about its package index holds for uv too.
    for pip_name, uv_name in (("PIP_INDEX_URL", "UV_DEFAULT_INDEX"), ("PIP_CERT", "SSL_CERT_FILE")):
        if pip_name in environment:
            environment.setdefault(uv_name, environment[pip_name])

    def run(*arguments: str) -> str:
        done = subprocess.run([uv, *arguments], env=environment, capture_output=True, text=True, check=False)
        sys.stderr.write(done.stderr)
        if done.returncode:
            reason = " ".join(done.stderr.split())[-400:]
            raise LetheError(f"{lock}: the environment {folder} cannot be built: {reason}")
        return done.stdout

    run("venv", "--quiet", "--clear", "--python", sys.executable, str(folder))
    python = str(folder / "bin" / "python")
    run("pip", "sync", "--quiet", "--require-hashes", "--python", python, str(lock))
    write_text(freeze, run("pip", "freeze", "--quiet", "--python", python))
