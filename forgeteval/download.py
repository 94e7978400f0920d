"""Downloading a file of other authors, always on request: the workflow itself never does."""

import http.client
import urllib.request
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit, urlunsplit

from forgeteval.errors import UserError
from forgeteval.foreign import Ended, apart
from forgeteval.limits import Limits

_TIMEOUT_S, _LONGEST_S = 60.0, 3600
"""Of a server that sends nothing, and of a whole download."""
_MOST_BYTES = 1 << 30
"""Some four times the largest file that is fetched."""
_MEMORY = 256 << 20
_BLOCK = 1 << 20
_NO_ADDRESS = "it, or a proxy in https_proxy or http_proxy, is no address"


class _NotAsPromisedError(Exception):
    """What a server gave is too much, or not all."""


def download(url: str, target: Path, key: str, *, most: int = _MOST_BYTES, longest_s: int = _LONGEST_S) -> None:
    """Write what the address gives to `target`; where that fails, nothing is left there.

    A process of its own does it, since headers, redirects and the rest of HTTP have limits of neither size nor time.

    Args:
        key: of the configuration, for the message.
        most: bytes that are taken.
        longest_s: seconds that it may take.

    Raises:
        UserError: where the server gives nothing, too much or too slowly, or the file cannot be written.
    """
    try:
        problem = apart(_copied, url, target, most, limits=Limits(memory=_MEMORY, seconds=longest_s))
    except Ended as error:
        problem = error.problem
    if problem:
        target.unlink(missing_ok=True)
        raise UserError(f"{key}: {_shown(url)} cannot be fetched ({problem:.200}); check it or fetch by hand")


def _shown(url: str) -> str:
    """The address without what may be secret in it.

    >>> _shown("https://me:secret@host/cases.jsonl?key=secret")
    'https://host/cases.jsonl'
    """
    try:
        parts = urlsplit(url)
        # Raises as well, where a password with / or # in it is cut off as one.
        _ = parts.port
    except ValueError:
        return "the address"
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _copied(url: str, target: Path, most: int) -> str:
    """Why a file was not copied; empty where it was.

    The library's words on addresses are left out: they quote passwords, also those of proxies.
    """
    try:
        _copy(url, target, most)
    except (http.client.InvalidURL, ValueError):
        return _NO_ADDRESS
    except http.client.HTTPException as error:
        return repr(error)
    except (OSError, _NotAsPromisedError) as error:
        if isinstance(error, URLError) and not isinstance(error, HTTPError) and isinstance(error.reason, str):
            return _NO_ADDRESS
        return str(error) or type(error).__name__
    return ""


def _copy(url: str, target: Path, most: int) -> None:
    taken = 0
    with urllib.request.urlopen(url, timeout=_TIMEOUT_S) as response, target.open("wb") as stream:
        while block := response.read1(_BLOCK):
            taken += len(block)
            if taken > most:
                raise _NotAsPromisedError(f"more than {most:,} bytes")
            stream.write(block)
        if getattr(response, "length", None):
            raise _NotAsPromisedError(f"broken off, {response.length:,} bytes before its end")
