"""Where a command stands: the configuration names its files relative to the project's folder."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from forgeteval.errors import UserError


def check_project(root: Path) -> None:
    """Raise UserError for a folder whose pages and configuration are not those of the study, but a user's own."""
    if not (root / "Snakefile").is_file() or not (root / "lethe/schemas.yaml").is_file():
        raise UserError(f"--root {root}: no clone of the study, whose files this command writes; name its folder")


@contextlib.contextmanager
def standing_in(root: Path) -> Iterator[None]:
    """Let the block run in the project's folder; paths that were given before have to be absolute by then.

    Raises:
        UserError: where there is no such folder.
    """
    if not root.is_dir():
        raise UserError(f"--root {root}: no such folder; name that of the Snakefile")
    with contextlib.chdir(root):
        yield
