"""Where what is kept for later runs lies."""

import os
import sys
from pathlib import Path

from forgeteval.errors import UserError

CACHE_VARIABLE = "FORGETEVAL_CACHE"


def cache_folder() -> Path:
    """The folder that FORGETEVAL_CACHE names, else `forgeteval` in the platform's folder for caches; it may be missing.

    Raises:
        UserError: if nobody knows the user's home folder.
    """
    if given := os.environ.get(CACHE_VARIABLE):
        return Path(given).expanduser().absolute()
    return _platform_folder() / "forgeteval"


def _platform_folder() -> Path:
    if sys.platform == "win32" and (local := os.environ.get("LOCALAPPDATA")):
        return Path(local)
    # By the convention, a relative path counts as unset.
    if sys.platform not in ("win32", "darwin") and (given := Path(os.environ.get("XDG_CACHE_HOME", ""))).is_absolute():
        return given
    try:
        home = Path.home()
    except RuntimeError as error:
        raise UserError(f"no home folder is known for the cache; set {CACHE_VARIABLE} to a folder") from error
    return home / {"win32": "AppData/Local", "darwin": "Library/Caches"}.get(sys.platform, ".cache")
