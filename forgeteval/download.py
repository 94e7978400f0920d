"""Downloading a file of other authors, always on request: the workflow itself never does."""

import http.client
import time
import urllib.request
from pathlib import Path

from forgeteval.errors import UserError

_TIMEOUT_S, _LONGEST_S = 60.0, 3600.0
"""Of a server that sends nothing, and of a whole download."""
_MOST_BYTES = 1 << 30
"""Some four times the largest file that is fetched."""
_BLOCK = 1 << 20


def download(url: str, target: Path, key: str, *, most: int = _MOST_BYTES, longest_s: float = _LONGEST_S) -> None:
    """Write what the address gives to `target`; where that fails, nothing is left there.

    Args:
        key: of the configuration, for the message.
        most: bytes that are taken.
        longest_s: seconds that it may take.

    Raises:
        UserError: where the server gives nothing, too much or too slowly, or the file cannot be written.
    """
    try:
        _copy(url, target, most, time.monotonic() + longest_s)
    except (OSError, ValueError, http.client.HTTPException) as error:
        target.unlink(missing_ok=True)
        said = repr(error) if isinstance(error, http.client.HTTPException) else str(error)
        raise UserError(f"{key}: {url} cannot be fetched ({said:.200}); check it or fetch by hand") from error


def _copy(url: str, target: Path, most: int, until: float) -> None:
    taken = 0
    with urllib.request.urlopen(url, timeout=_TIMEOUT_S) as response, target.open("wb") as stream:
        while block := response.read1(_BLOCK):
            taken += len(block)
            if taken > most:
                raise ValueError(f"more than {most:,} bytes")
            if time.monotonic() > until:
                raise ValueError(f"not done in time, after {taken:,} bytes")
            stream.write(block)
        if getattr(response, "length", None):
            raise ValueError(f"broken off, {response.length:,} bytes before its end")
