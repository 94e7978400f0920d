"""The HTTP interface: routes, the bearer token, errors in OpenAI's format."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Executor

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from forgeteval.embed.embedder import Embedder
from lethe.gateway.chat import ChatService
from lethe.gateway.context import PURPOSE_HEADER, CallContext
from lethe.gateway.embeddings import embed
from lethe.gateway.errors import GatewayError
from lethe.gateway.requests import read_json, wants_stream, wants_stream_usage
from lethe.gateway.streaming import sse_events

EMBEDDING_MODEL = "lethe-embedder"
"""Name of the embedder in `/v1/models`; requests for embeddings may give any name."""
MOST_BYTES = 16 << 20
"""What the body of a request may be long."""
Whose = Callable[[str, str], CallContext | None]
"""Maps (token, purpose) to the trial that a request belongs to; None where nobody was given that token."""


class Routes:
    """The endpoints. `chat` is None in mode `off`."""

    def __init__(
        self,
        models: Sequence[str],
        chat: ChatService | None,
        embedder: Embedder | None,
        embedder_thread: Executor,
    ) -> None:
        self._models, self._chat = models, chat
        self._embedder, self._embedder_thread = embedder, embedder_thread

    async def chat_completions(self, request: Request) -> Response:
        if self._chat is None:
            raise GatewayError(403, "mode_off", "chat is off in this run; set the gateway's mode to live or replay")
        asked = read_json(await _body(request))
        response = await self._chat.complete(asked, request.state.context)
        if wants_stream(asked):
            events = "".join(sse_events(response, wants_stream_usage(asked)))
            return Response(events, media_type="text/event-stream")
        return Response(response, media_type="application/json")

    async def embeddings(self, request: Request) -> Response:
        if self._embedder is None:
            raise GatewayError(404, "no_embedder", "this gateway was started without an embedder")
        asked = read_json(await _body(request))
        loop = asyncio.get_running_loop()
        return JSONResponse(await loop.run_in_executor(self._embedder_thread, embed, self._embedder, asked))

    async def models(self, request: Request) -> Response:
        names = [*self._models, *([EMBEDDING_MODEL] if self._embedder is not None else [])]
        data = [{"id": name, "object": "model", "created": 0, "owned_by": "lethe"} for name in names]
        return JSONResponse({"object": "list", "data": data})


class RequireToken:
    """Middleware that answers 401 unless the request carries a bearer token, which says whose it is."""

    def __init__(self, app: ASGIApp, whose: Whose) -> None:
        self._app, self._whose = app, whose

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        scheme, _, token = headers.get("authorization", "").partition(" ")
        context = self._whose(token, headers.get(PURPOSE_HEADER, "")) if scheme == "Bearer" else None
        if context is not None:
            scope["state"]["context"] = context
            scope["state"]["shown"]()
            await self._app(scope, receive, send)
        else:
            wrong = GatewayError(401, "invalid_api_key", "missing or wrong bearer token of the gateway")
            await _error_response(wrong)(scope, receive, send)


def build_app(routes: Routes, whose: Whose) -> ASGIApp:
    """The whole application behind the tokens that `whose` knows."""
    app = Starlette(
        routes=[
            Route("/v1/chat/completions", routes.chat_completions, methods=["POST"]),
            Route("/v1/embeddings", routes.embeddings, methods=["POST"]),
            Route("/v1/models", routes.models, methods=["GET"]),
        ],
        exception_handlers=dict.fromkeys((GatewayError, HTTPException, Exception), _on_error),
    )
    return RequireToken(app, whose)


async def _body(request: Request) -> bytes:
    """The body of a request; GatewayError where it is longer than `MOST_BYTES`."""
    read = bytearray()
    async for part in request.stream():
        read += part
        if len(read) > MOST_BYTES:
            raise GatewayError(413, "invalid_request_error", f"the body has more than {MOST_BYTES >> 20} MiB")
    return bytes(read)


async def _on_error(request: Request, error: Exception) -> Response:
    match error:
        case GatewayError():
            return _error_response(error)
        case HTTPException():
            return _error_response(GatewayError(error.status_code, "invalid_request_error", error.detail))
    return _error_response(GatewayError(500, "gateway_error", f"the gateway failed ({type(error).__name__})"))


def _error_response(error: GatewayError) -> Response:
    # The gateway has already retried; OpenAI's clients obey this header.
    headers = {"x-should-retry": "false"}
    return Response(error.body(), error.status, headers, media_type="application/json")
