"""Whether a server of this machine answers."""

import contextlib
import http.client
import socket
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit

from forgeteval.chat.connecting import is_this_machine
from lethe.gateway.addresses import Address

WITHIN_S = 30.0
"""How long a whole answer may take."""
_MOST_BYTES = 1 << 20


def is_local(url: str) -> bool:
    """Whether a text is the address of a server on this machine, and nothing more; no other is to see its token.

    >>> is_local("http://127.0.0.1:8000"), is_local("http://127.0.0.1:99999"), is_local("http://192.0.2.1:80")
    (True, False, False)
    """
    try:
        parts = urlsplit(url)
        whole = url == f"http://{parts.netloc}" and "@" not in url
        return whole and is_this_machine(url) and bool(parts.port)
    except ValueError:
        return False


def status_of(address: Address, within_s: float = WITHIN_S) -> int | str:
    """What a server answers to the question for its models: the status, or why there is none.

    Args:
        within_s: how long the whole answer may take; a server that sends it byte by byte has no longer.
    """
    parts = urlsplit(address.base_url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=within_s)
    over = threading.Event()
    try:
        connection.connect()
        with _ended_after(within_s, connection.sock, over):
            connection.request("GET", f"{parts.path}/models", headers={"Authorization": f"Bearer {address.key}"})
            response = connection.getresponse()
            response.read(_MOST_BYTES)
        found: int | str = response.status
    except (OSError, http.client.HTTPException) as error:
        found = str(error) or type(error).__name__
        if isinstance(error, TimeoutError):
            over.set()
    finally:
        connection.close()
    return f"no whole answer within {within_s:g} s" if over.is_set() else found


@contextlib.contextmanager
def _ended_after(seconds: float, connected: socket.socket, over: threading.Event) -> Iterator[None]:
    """End what goes over a socket after so many seconds, which is then noted; a socket's own limit is of each read."""

    def end() -> None:
        over.set()
        with contextlib.suppress(OSError):
            connected.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
