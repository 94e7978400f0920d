"""Standard input of `lethe mcp`, line by line: what is no message is answered, where the SDK would say nothing."""

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

MOST_BYTES = 16 * 1024 * 1024
"""How long a line of standard input can be."""
_PATIENCE = 60
"""How many seconds requests have left to be answered when standard input has ended."""


@asynccontextmanager
async def streams() -> AsyncIterator[tuple[Any, Any]]:
    """The SDK's streams of standard input and output."""
    lines = _Lines()
    async with stdio_server(stdin=lines) as (messages, answers):
        lines.serve(answers)
        yield messages, _Answers(answers, lines)


class _Answers:
    """The SDK's stream of answers; what is answered is told to the lines."""

    def __init__(self, answers: Any, lines: "_Lines") -> None:
        self._answers, self._lines = answers, lines

    async def send(self, message: SessionMessage) -> None:
        await self._answers.send(message)
        self._lines.answered(getattr(message.message, "id", None))

    async def aclose(self) -> None:
        await self._answers.aclose()

    async def __aenter__(self) -> "_Answers":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class _Lines:
    """The lines that hold a message; the others are answered with an error.

    They end when every request is answered, since the SDK drops what is still at work then.
    """

    def __init__(self) -> None:
        self._answers: Any = None
        self._served = anyio.Event()
        self._open: set[str | int] = set()
        self._all_answered = anyio.Event()

    def answered(self, id: Any) -> None:
        if isinstance(id, str | int):
            self._open.discard(id)
        if not self._open:
            self._all_answered.set()

    def serve(self, answers: Any) -> None:
        self._answers = answers
        self._served.set()

    def __aiter__(self) -> "_Lines":
        return self

    async def __anext__(self) -> str:
        await self._served.wait()
        while line := await anyio.to_thread.run_sync(_read, abandon_on_cancel=True):
            if len(line) > MOST_BYTES:
                wrong = _error(None, INVALID_REQUEST, f"a line of more than {MOST_BYTES} bytes; send less at once")
            else:
                # Bytes that are not UTF-8 stay recognisable, and are refused.
                text = line.decode("utf-8", "surrogateescape")
                if text.isspace():
                    continue
                wrong = _refusal(text)
                if wrong is None:
                    self._expect(json.loads(text))
                    return text
            await self._answers.send(SessionMessage(wrong))
        with anyio.move_on_after(_PATIENCE):
            while self._open:
                self._all_answered = anyio.Event()
                await self._all_answered.wait()
        raise StopAsyncIteration

    def _expect(self, message: dict[str, Any]) -> None:
        """A request has an answer to come, unless it is cancelled."""
        if message.get("method") == "notifications/cancelled":
            self.answered((message.get("params") or {}).get("requestId"))
        elif "method" in message and "id" in message:
            self._open.add(message["id"])


def _read() -> bytes:
    """The next line; of one that is too long, only so much that this can be seen."""
    wire = sys.stdin.buffer
    line = wire.readline(MOST_BYTES + 1)
    rest = line
    while len(rest) > MOST_BYTES and not rest.endswith(b"\n"):
        rest = wire.readline(MOST_BYTES + 1)
    return line


def _refusal(text: str) -> JSONRPCError | None:
    """What is wrong with a line, for the request that it was meant to be where that can be read."""
    told = "no message of JSON-RPC 2.0: method is a string, id a string or an integer, params an object"
    try:
        message = jsonrpc_message_adapter.validate_json(text, by_name=False)
        # To the SDK, a request whose id is no id is a notification.
        if not isinstance(message, JSONRPCNotification) or "id" not in json.loads(text):
            return None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        if first["type"] == "json_invalid":
            told = first["msg"]
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        return _error(None, PARSE_ERROR, told)
    try:
        json.dumps(given, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        told = "a text holds half a surrogate pair, or bytes that are not UTF-8; send whole characters"
    return _error(given.get("id") if isinstance(given, dict) else None, INVALID_REQUEST, told)


def _error(id: object, code: int, told: str) -> JSONRPCError:
    readable = type(id) is int or (isinstance(id, str) and id.isprintable())
    return JSONRPCError(jsonrpc="2.0", id=id if readable else None, error=ErrorData(code=code, message=told))
