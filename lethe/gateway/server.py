"""The gateway's server on loopback, in a thread of the process that runs a system."""

import asyncio
import contextlib
import functools
import secrets
import socket
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn

from forgeteval.chat.redaction import Redactor
from forgeteval.embed.embedder import Embedder
from forgeteval.errors import UserError
from lethe.gateway.addresses import Address, Locate
from lethe.gateway.answers import RecordedAnswers
from lethe.gateway.app import build_app
from lethe.gateway.cache import Cache
from lethe.gateway.chat import ChatService, Mode
from lethe.gateway.connections import ACCEPTED_AT_ONCE, GuardedProtocol
from lethe.gateway.context import CallContext, Trials, Usage
from lethe.installed import require

if TYPE_CHECKING:
    from lethe.config.chat_models import ModelConfig
    from lethe.gateway.upstream import Upstream

__all__ = ["CallContext", "Gateway", "Mode", "Usage"]

GRACE_S = 1
"""Seconds that calls in progress have to finish when the gateway stops."""
_WAITING = 2048
"""Connections that may wait to be accepted; they cost no descriptor."""


class Gateway(Trials):
    """An OpenAI-compatible server on 127.0.0.1, which runs during a `with` block.

    Modes: `live` answers chat from the cache, else from the endpoint; `replay` from the cache only, without any
    client; so does `recorded`, where a lacking answer fails its call and does not stop the run; `off` refuses chat and
    opens no cache. Embeddings come from `embedder` in every mode, one request at a time.
    `recorded` answers count as kept in the cache. `served` says for models that are served on this machine where their
    servers are; it is asked at their first call.

    Attributes:
        url: "http://127.0.0.1:PORT/v1", inside the block.

    Raises:
        UserError: in mode `live`, on construction, if the variable of a model's key is not set; on entering, if the
            cache cannot be opened.
    """

    def __init__(
        self,
        models: "Mapping[str, ModelConfig]",
        cache: Path,
        mode: Mode,
        embedder: Embedder | None = None,
        served: Mapping[str, Locate] | None = None,
        recorded: RecordedAnswers | None = None,
    ) -> None:
        super().__init__()
        self.url = ""
        self._mode, self._served, self._recorded = mode, served or {}, recorded
        self._models, self._cache_path, self._embedder = dict(models), cache, embedder
        self._keys = {name: model.read_key() for name, model in models.items()} if mode == "live" else {}
        self._ready = threading.Event()
        self._failure: UserError | None = None
        self._server: uvicorn.Server | None = None
        self._thread = threading.Thread(target=self._run, name="gateway", daemon=True)

    def __enter__(self) -> "Gateway":
        self.token = secrets.token_urlsafe(32)
        self._thread.start()
        self._ready.wait()
        if self._failure is not None:
            self._thread.join()
            raise self._failure
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self._server is not None:
            self._server.should_exit = True
        self._thread.join()
        if self._failure is not None and error is None:
            raise self._failure

    def _run(self) -> None:
        off = self._mode == "off"
        try:
            with (
                contextlib.nullcontext()
                if off
                else contextlib.closing(Cache(self._cache_path, self._recorded)) as cache,
                _listen_on_loopback() as listener,
            ):
                self.url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
                asyncio.run(self._serve(listener, cache))
        except UserError as error:
            self._failure = error
        except Exception as error:  # noqa: BLE001 - raised in the thread that started the gateway
            self._failure = UserError(f"the gateway failed ({type(error).__name__}: {error})")
        finally:
            self._ready.set()

    async def _serve(self, listener: socket.socket, cache: Cache | None) -> None:
        redact = Redactor([self.token, *(key for key in self._keys.values() if key)])
        async with contextlib.AsyncExitStack() as stack:
            chat = None
            if cache is not None:
                upstreams = self._upstreams(redact)
                for upstream in upstreams.values():
                    stack.push_async_callback(upstream.close)
                chat = ChatService(self._models, upstreams, cache, self, redact, self._mode != "recorded")
                stack.push_async_callback(chat.close)
            app = build_app(list(self._models), chat, self._embedder, self.whose)
            options: dict[str, Any] = {
                "http": functools.partial(GuardedProtocol, unauthenticated={}),
                "backlog": ACCEPTED_AT_ONCE,
                "proxy_headers": False,
                "lifespan": "off",
                "ws": "none",
                "timeout_graceful_shutdown": GRACE_S,
                "log_config": None,
                "log_level": "critical",
                "access_log": False,
            }
            self._server = _Server(uvicorn.Config(app, **options), self._ready)
            await self._server.serve(sockets=[listener])

    def _upstreams(self, redact: Redactor) -> "dict[str, Upstream]":
        """The endpoints of the models that may be asked."""
        if not self._keys:
            return {}
        require("endpoints", "asking a chat model")
        # Their client takes half a second to import, which replaying answers needs not wait.
        from lethe.gateway.upstream import Upstream

        return {name: Upstream(self._models[name], self._locate(name), redact) for name in self._keys}

    def _locate(self, name: str) -> Locate:
        """Where a model's endpoint is: at its configured address, or where its server says."""
        address = Address(self._models[name].base_url, self._keys[name])
        return self._served.get(name, lambda: address)


def _listen_on_loopback() -> socket.socket:
    # asyncio turns off Nagle's algorithm only if the protocol is named; else each answer waits 40 ms for an ACK.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    return listener


class _Server(uvicorn.Server):
    """Sets `ready` once it listens."""

    def __init__(self, config: uvicorn.Config, ready: threading.Event) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        # `backlog` limits both how many are accepted at once and how many may wait; the latter need not be few.
        for listener in sockets or ():
            listener.listen(_WAITING)
        self._ready.set()
