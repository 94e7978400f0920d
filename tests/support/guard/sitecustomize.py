"""Refuses, and reports, every name look-up and connection beyond loopback in this Python process and its children.

Python imports a module of this name at start where its folder is on PYTHONPATH. The report goes to standard error, or
appended to the file that GUARD_REPORT names.
"""

import os
import sys
from pathlib import Path
from typing import Any

FORBIDDEN = "NETWORK:"
"""Text in the report for each attempt to leave the machine."""
_LOOPBACK = {"127.0.0.1", "::1", "localhost", "", None}
_CONNECTING = ("socket.connect", "socket.sendto")
_LOOKING_UP = ("socket.getaddrinfo", "socket.gethostbyname")


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event not in _CONNECTING + _LOOKING_UP:
        return
    host = arguments[0] if event in _LOOKING_UP else arguments[-1]
    if isinstance(host, tuple):
        host = host[0]
    elif event in _CONNECTING:
        return  # a UNIX socket's path
    if isinstance(host, bytes):
        host = host.decode()
    if host not in _LOOPBACK:
        line = f"{FORBIDDEN} {event} {host}\n"
        if "GUARD_REPORT" in os.environ:
            with Path(os.environ["GUARD_REPORT"]).open("a") as report:
                report.write(line)
        else:
            sys.stderr.write(line)
            sys.stderr.flush()
        raise OSError(f"{event} to {host} is forbidden in this test")


sys.addaudithook(_hook)
