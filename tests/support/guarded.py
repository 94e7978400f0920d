"""Registered backends behind a guard against the network, or that can be told to die; they run inside workers."""

import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from forgeteval.embed.embedder import Embedder
from lethe.systems.backends import backend_class
from tests.support.misbehaving import Obedient, obey

FORBIDDEN = "NETWORK:"
"""Text in a guarded system's log for each attempt to leave the machine."""
GUARD = Path(__file__).parent / "guard"


def __getattr__(name: str) -> Any:
    """`guarded_BACKEND` is that backend behind `_guard`; `killable_BACKEND` obeys "!sigkill" in a fact."""
    wrappers = {"guarded_": _guarded, "killable_": _killable}
    for prefix, wrap in wrappers.items():
        if name.startswith(prefix):
            module, _, attribute = backend_class(name.removeprefix(prefix)).partition(":")
            return wrap(module, attribute)
    raise AttributeError(name)


def _guarded(module: str, attribute: str) -> Any:
    _guard()
    return getattr(importlib.import_module(module), attribute)


def _killable(module: str, attribute: str) -> Any:
    factory: Any = getattr(importlib.import_module(module), attribute)
    taking = "inscribe" if hasattr(factory, "inscribe") else "add"

    class Killable(factory):  # type: ignore[misc]
        pass

    def take(self: Any, texts: Sequence[str]) -> None:
        for text in texts:
            if text.startswith("!"):
                obey(*text[1:].split())
        getattr(factory, taking)(self, [text for text in texts if not text.startswith("!")])

    setattr(Killable, taking, take)
    return Killable


def _guard() -> None:
    """Refuse, and report in the worker's log, every name look-up and connection beyond loopback, in children too."""
    if sys.platform == "linux":
        os.environ["GUARD_REPORT"] = str(Path("/proc/self/fd/2").readlink())
    os.environ |= {
        "PYTHONPATH": f"{GUARD}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
        "NODE_OPTIONS": f"--require {GUARD / 'guard.js'}",
    }
    sys.path.insert(0, str(GUARD))
    sys.modules.pop("sitecustomize", None)
    importlib.import_module("sitecustomize")
    sys.path.remove(str(GUARD))


class Chatty(Obedient):
    """Tries to reach another machine and swallows what comes of it; shows that the guard sees it."""

    def __init__(self, embedder: Embedder) -> None:
        import socket

        super().__init__()
        _guard()
        for family, address in ((socket.AF_INET, ("192.0.2.1", 9)), (socket.AF_INET6, ("2001:db8::1", 9))):
            with socket.socket(family, socket.SOCK_DGRAM) as udp:
                _try(lambda udp=udp, address=address: udp.connect(address))
                _try(lambda udp=udp, address=address: udp.sendto(b"x", address))
        _try(lambda: socket.create_connection(("example.invalid", 80), timeout=1))
        call = "import socket; socket.create_connection(('child.invalid', 80), timeout=1)"
        subprocess.run([sys.executable, "-c", call], check=False, stdin=subprocess.DEVNULL, capture_output=True)
        if shutil.which("node") is not None:
            for call in ("require('net').connect(80, 'node.invalid')", "fetch('http://fetch.invalid/')"):
                subprocess.run(["node", "-e", call], check=False, stdin=subprocess.DEVNULL, capture_output=True)


def _try(call: Callable[[], object]) -> None:
    try:
        call()
    except OSError:
        return
