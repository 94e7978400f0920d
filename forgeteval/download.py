"""Downloading a file of other authors, always on request: the workflow itself never does."""

import shutil
import urllib.request
from pathlib import Path

from forgeteval.errors import UserError

_TIMEOUT_S = 60.0


def download(url: str, target: Path, key: str) -> None:
    """Write what the address gives to `target`.

    Args:
        key: of the configuration, for the message.

    Raises:
        UserError: where the server gives nothing, or the file cannot be written.
    """
    try:
        with urllib.request.urlopen(url, timeout=_TIMEOUT_S) as response, target.open("wb") as stream:
            shutil.copyfileobj(response, stream)
    except (OSError, ValueError) as error:
        raise UserError(f"{key}: {url} cannot be fetched ({error}); check it or fetch by hand") from error
