"""The HTTP interface: routes, bearer tokens, errors in OpenAI's format."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager

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
from lethe.gateway.requests import read_json
from lethe.gateway.streaming import sse_events

EMBEDDING_MODEL = "lethe-embedder"
"""Name of the embedder in `/v1/models`; requests for embeddings may give any name."""
MOST_BYTES = 16 << 20
"""What the body of a request may be long."""
MOST_BYTES_HELD = 256 << 20
"""What the bodies of all requests that are not answered yet may be long together."""
_CLIENT_IS_GONE = 499
_ON_ITS_WAY_S = 0.05


def build_app(
    models: Sequence[str],
    chat: ChatService | None,
    embedder: Embedder | None,
    whose: Callable[[str, str], CallContext | None],
) -> ASGIApp:
    """The whole application.

    Args:
        models: names of the chat models.
        chat: None where chat is off.
        whose: maps (token, purpose) to the trial that a request belongs to; None for a token that nobody was given.
    """
    # Two may be read at once, but the embedder answers one after the other.
    embedding = asyncio.Lock()
    bodies = _Bodies()

    async def chat_completions(request: Request) -> Response:
        if chat is None:
            raise GatewayError(403, "mode_off", "chat is off in this run; set the gateway's mode to live or replay")
        async with bodies.read(request) as body:
            asked = read_json(body)
            response = await chat.complete(asked, request.state.context)
        if asked.get("stream") is True:
            return Response("".join(sse_events(response, asked)), media_type="text/event-stream")
        return Response(response, media_type="application/json")

    async def embeddings(request: Request) -> Response:
        if embedder is None:
            raise GatewayError(404, "no_embedder", "this gateway was started without an embedder")
        # What is read as JSON can take twenty times the memory of the body: one at a time.
        async with bodies.read(request) as body, embedding:
            if await request.is_disconnected():
                return Response(status_code=_CLIENT_IS_GONE)
            return JSONResponse(await asyncio.to_thread(embed, embedder, read_json(body)))

    async def list_models(request: Request) -> Response:
        names = [*models, *([EMBEDDING_MODEL] if embedder is not None else [])]
        data = [{"id": name, "object": "model", "created": 0, "owned_by": "lethe"} for name in names]
        return JSONResponse({"object": "list", "data": data})

    app = Starlette(
        routes=[
            Route("/v1/chat/completions", chat_completions, methods=["POST"]),
            Route("/v1/embeddings", embeddings, methods=["POST"]),
            Route("/v1/models", list_models, methods=["GET"]),
        ],
        exception_handlers=dict.fromkeys((GatewayError, HTTPException, Exception), _on_error),
    )

    async def with_token(scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        scheme, _, token = headers.get("authorization", "").partition(" ")
        context = whose(token, headers.get(PURPOSE_HEADER, "")) if scheme == "Bearer" else None
        if context is None:
            wrong = GatewayError(401, "invalid_api_key", "missing or wrong bearer token of the gateway")
            # The connection ends with the answer. What is still on its way then would have the client lose the answer.
            await asyncio.sleep(_ON_ITS_WAY_S)
            await _error_response(wrong, {"connection": "close"})(scope, receive, send)
            return
        scope["state"]["context"] = context
        scope["state"]["shown"]()
        await app(scope, receive, send)

    return with_token


class _Bodies:
    """The bodies of requests, which are counted together until their requests are answered."""

    def __init__(self) -> None:
        self._held = 0

    @asynccontextmanager
    async def read(self, request: Request) -> AsyncIterator[bytearray]:
        """The body of a request; GatewayError where it, or all of them, would be too long."""
        read = bytearray()
        try:
            async for part in request.stream():
                if len(read) + len(part) > MOST_BYTES:
                    raise GatewayError(413, "invalid_request_error", f"the body has more than {MOST_BYTES >> 20} MiB")
                if self._held + len(part) > MOST_BYTES_HELD:
                    most = f"{MOST_BYTES_HELD >> 20} MiB"
                    raise GatewayError(503, "overloaded", f"the requests under way have more than {most}; ask fewer")
                read += part
                self._held += len(part)
            yield read
        finally:
            self._held -= len(read)


async def _on_error(request: Request, error: Exception) -> Response:
    match error:
        case GatewayError():
            return _error_response(error)
        case HTTPException():
            return _error_response(GatewayError(error.status_code, "invalid_request_error", error.detail))
    return _error_response(GatewayError(500, "gateway_error", f"the gateway failed ({type(error).__name__})"))


def _error_response(error: GatewayError, headers: Mapping[str, str] | None = None) -> Response:
    # The gateway has already retried; OpenAI's clients obey this header.
    given = {"x-should-retry": "false", **(headers or {})}
    return Response(error.body(), error.status, given, media_type="application/json")
