"""Where a command stands: the configuration names its files relative to the project's folder."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from forgeteval.errors import UserError


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
