"""The gateway's server on loopback, in a thread of the process that runs a system."""

import asyncio
import contextlib
import functools
import secrets
import socket
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.types import ASGIApp

from forgeteval.embed.embedder import Embedder
from forgeteval.errors import UserError
from lethe.gateway.app import Routes, build_app
from lethe.gateway.cache import Cache
from lethe.gateway.chat import ChatService, Mode
from lethe.gateway.context import CallContext, Usage, UsageMeter
from lethe.gateway.models import ModelConfig
from lethe.gateway.recorded import NOTHING_RECORDED, RecordedAnswers
from lethe.gateway.redaction import Redactor
from lethe.gateway.serve import Address, Locate
from lethe.gateway.strangers import ACCEPTED_AT_ONCE, GuardedProtocol
from lethe.installed import require

if TYPE_CHECKING:
    from lethe.gateway.upstream import Upstream

__all__ = ["CallContext", "Gateway", "Mode", "Usage"]

_WAITING = 2048
GRACE_S = 1
"""Seconds that calls in progress have to finish when the gateway stops."""


class Gateway:
    """An OpenAI-compatible server on 127.0.0.1, which runs during a `with` block.

    Modes: `live` answers chat from the cache, else from the endpoint; `replay` from the cache only, without any
    client; so does `recorded`, where a lacking answer fails its call and does not stop the run; `off` refuses chat and
    opens no cache. Embeddings come from `embedder` in every mode, one request at a time.
    `recorded` answers count as kept in the cache. `served` says for models that are served on this machine where their
    servers are; it is asked at their first call.

    Attributes:
        url: "http://127.0.0.1:PORT/v1", inside the block.
        token: the bearer token (API key) of a system that asks the gateway itself; new at each start.
        context: the trial that requests with this token belong to; may be set at any time.
        stop: one line on why the run must stop (a spending cap is reached, replay has no answer, the cache cannot be
            written), else None.

    Raises:
        UserError: in mode `live`, on construction, if the variable of a model's key is not set; on entering, if the
            cache cannot be opened.
    """

    def __init__(
        self,
        models: Mapping[str, ModelConfig],
        cache: Path,
        mode: Mode,
        embedder: Embedder | None = None,
        served: Mapping[str, Locate] | None = None,
        recorded: RecordedAnswers = NOTHING_RECORDED,
    ) -> None:
        self.url = self.token = ""
        self.context = CallContext()
        self.stop: str | None = None
        self._mode, self._served, self._recorded = mode, dict(served or {}), recorded
        self._models, self._cache_path, self._embedder = dict(models), cache, embedder
        self._keys = {name: model.read_key() for name, model in models.items()} if mode == "live" else {}
        self._meter, self._trials = UsageMeter(), dict[str, CallContext]()
        self._ready = threading.Event()
        self._failure: UserError | None = None
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> "Gateway":
        self.token = secrets.token_urlsafe(32)
        self._ready.clear()
        self._thread = threading.Thread(target=self._run, name="gateway", daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._failure is not None:
            self._thread.join()
            raise self._failure
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self._server is not None:
            self._server.should_exit = True
        if self._thread is not None:
            self._thread.join()
        if self._failure is not None and error is None:
            raise self._failure

    def issue(self, context: CallContext) -> str:
        """A token of its own for a trial: whatever else they say, requests with it belong to that trial."""
        token = secrets.token_urlsafe(32)
        self._trials[token] = context
        return token

    def usage(self, context: CallContext) -> Usage:
        """What the chat calls for the suite, system, case and repetition of `context` used in this process so far."""
        return self._meter.of(context)

    def lacking(self, context: CallContext) -> str | None:
        """The first answer that a trial lacks in mode `recorded`; whoever asked may have swallowed the error."""
        return self._meter.lacking(context)

    def _run(self) -> None:
        try:
            with (
                contextlib.nullcontext()
                if self._mode == "off"
                else contextlib.closing(Cache(self._cache_path, self._recorded)) as cache,
                _listen_on_loopback() as listener,
                ThreadPoolExecutor(1, "gateway-cache") as cache_thread,
                ThreadPoolExecutor(1, "gateway-embedder") as embedder_thread,
            ):
                self.url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
                asyncio.run(self._serve(listener, cache, cache_thread, embedder_thread))
        except UserError as error:
            self._failure = error
        except Exception as error:  # noqa: BLE001 - raised in the thread that started the gateway
            self._failure = UserError(f"the gateway failed ({type(error).__name__}: {error})")
        finally:
            self._ready.set()

    async def _serve(
        self,
        listener: socket.socket,
        cache: Cache | None,
        cache_thread: ThreadPoolExecutor,
        embedder_thread: ThreadPoolExecutor,
    ) -> None:
        redact = Redactor([self.token, *(key for key in self._keys.values() if key)])
        async with contextlib.AsyncExitStack() as stack:
            chat = None
            if cache is not None:
                upstreams = self._upstreams(redact)
                for upstream in upstreams.values():
                    stack.push_async_callback(upstream.close)
                miss_stops = self._mode != "recorded"
                chat = ChatService(
                    self._models, upstreams, cache, cache_thread, self._meter, redact, self._halt, miss_stops
                )
                stack.push_async_callback(chat.close)
            routes = Routes(list(self._models), chat, self._embedder, embedder_thread)
            self._server = _Server(build_app(routes, self._whose), self._ready)
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

    def _whose(self, token: str, purpose: str) -> CallContext | None:
        # Looked up by a hash that differs in each process, so that the time it takes says nothing of a token.
        if token in {self.token}:
            return self.context
        context = self._trials.get(token)
        return None if context is None else replace(context, purpose=purpose)

    def _halt(self, reason: str) -> None:
        if self.stop is None:
            self.stop = reason


def _listen_on_loopback() -> socket.socket:
    # asyncio turns off Nagle's algorithm only if the protocol is named; else each answer waits 40 ms for an ACK.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    return listener


class _Server(uvicorn.Server):
    """A silent uvicorn server that sets `ready` once it listens."""

    def __init__(self, app: ASGIApp, ready: threading.Event) -> None:
        silent: dict[str, Any] = {"log_config": None, "log_level": "critical", "access_log": False}
        guarded: dict[str, Any] = {
            "http": functools.partial(GuardedProtocol, strangers={}),
            "backlog": ACCEPTED_AT_ONCE,
            "proxy_headers": False,
        }
        super().__init__(
            uvicorn.Config(app, **silent, **guarded, lifespan="off", ws="none", timeout_graceful_shutdown=GRACE_S)
        )
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        # As many as are accepted at once may wait by now; the rest waits with the system, and costs no descriptor.
        for listener in sockets or ():
            listener.listen(_WAITING)
        self._ready.set()
