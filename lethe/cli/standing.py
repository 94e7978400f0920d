"""Where a command stands: the configuration names its files relative to the project's folder."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from forgeteval.errors import UserError

_MARKS = ("Snakefile", "config/systems.yaml")
"""What a clone holds at its top. Projects of others have a Snakefile with a config/config.yaml too."""


def is_clone(root: Path) -> bool:
    """Whether a folder is the top of a clone of this project."""
    return all((root / name).is_file() for name in _MARKS)


def check_clone(root: Path) -> None:
    """Raise UserError where a folder is not the top of a clone of this project."""
    if not root.is_dir():
        raise UserError(f"--root {root}: no such folder; name that of the Snakefile")
    if not is_clone(root):
        raise UserError(f"{root.absolute()}: no clone of this project; change to one, or name it by --root")


@contextlib.contextmanager
def standing_in(root: Path) -> Iterator[None]:
    """Let the block run in the project's folder; paths that were given before have to be absolute by then.

    Raises:
        UserError: where it is not one.
    """
    check_clone(root)
    with contextlib.chdir(root):
        yield
