"""An OpenAI-compatible endpoint that does what a test tells it: no model, and never shown as one."""

import asyncio
import json
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

Behaviour = Callable[[dict[str, Any]], Awaitable[Response]]


def completion(content: str | None = "yes", finish_reason: str = "stop", **message: Any) -> dict[str, Any]:
    """A chat completion that used 100 prompt and 10 completion tokens."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content, **message},
                "finish_reason": finish_reason,
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }


def body(text: str, status: int = 200, headers: Mapping[str, str] | None = None, delay_s: float = 0.0) -> Behaviour:
    """Answer with exactly this text."""

    async def behave(asked: dict[str, Any]) -> Response:
        await asyncio.sleep(delay_s)
        return Response(text, status, headers, media_type="application/json")

    return behave


def answer(content: str | None = "yes", finish_reason: str = "stop", delay_s: float = 0.0, **message: Any) -> Behaviour:
    return body(json.dumps(completion(content, finish_reason, **message)), delay_s=delay_s)


def echo(delay_s: float = 0.0) -> Behaviour:
    """Answer with the last message."""

    async def behave(asked: dict[str, Any]) -> Response:
        await asyncio.sleep(delay_s)
        return Response(json.dumps(completion(asked["messages"][-1]["content"])), media_type="application/json")

    return behave


def refuse(status: int, headers: Mapping[str, str] | None = None, message: str = "no") -> Behaviour:
    return body(json.dumps({"error": {"message": message}}), status, headers)


def refusal(status: int, said: Any) -> Behaviour:
    return body(said if isinstance(said, str) else json.dumps(said), status)


def takes(*fields: str, content: str = "yes") -> Behaviour:
    """Refuse what OpenAI's reasoning models refuse, one field at a time."""

    async def behave(asked: dict[str, Any]) -> Any:
        for name in asked:
            if name not in fields:
                said = {"message": f"Unsupported parameter: '{name}' is not supported with this model.", "param": name}
                return await refusal(400, {"error": said})(asked)
        return await answer(content)(asked)

    return behave


class ScriptedEndpoint:
    """Plays `script` request by request and then `otherwise`; keeps what it was asked, and when."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.script: list[Behaviour] = []
        self.otherwise: Behaviour = echo()
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.most_at_once = 0
        self._at_once = 0

    async def chat(self, request: Request) -> Response:
        asked = await request.json()
        self.asked.append(asked)
        self.headers.append(dict(request.headers))
        self.times.append(time.monotonic())
        behave = self.script.pop(0) if self.script else self.otherwise
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            return await behave(asked)
        finally:
            self._at_once -= 1


class ScriptedServer:
    """One server for all tests, which serves one test's endpoint after the other."""

    def __init__(self) -> None:
        app = Starlette(routes=[Route("/v1/chat/completions", self._chat, methods=["POST"])])
        config = uvicorn.Config(app, port=0, log_config=None, log_level="critical", timeout_graceful_shutdown=0)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, name="scripted-server", daemon=True)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.002)
        port = self._server.servers[0].sockets[0].getsockname()[1]
        self._url = f"http://127.0.0.1:{port}/v1"
        self.current = self.fresh()

    def fresh(self) -> ScriptedEndpoint:
        self.current = ScriptedEndpoint(self._url)
        return self.current

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join()

    async def _chat(self, request: Request) -> Response:
        return await self.current.chat(request)
