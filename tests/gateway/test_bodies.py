"""What a client with a token can make the gateway hold, and what it leaves behind."""

import json
import socket
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import httpx
import numpy as np
import pytest

from lethe.gateway import app
from lethe.gateway.server import Gateway
from tests.gateway.conftest import CountingEmbedder, StartGateway

BODY = 40_000
PATIENCE_S = 20.0


def connection_to(gateway: Gateway) -> socket.socket:
    host, port = gateway.url.split("/")[2].split(":")
    return socket.create_connection((host, int(port)), timeout=PATIENCE_S)


def embeddings_request(gateway: Gateway, length: int, body: bytes) -> bytes:
    head = f"POST /v1/embeddings HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {gateway.token}\r\n"
    return f"{head}Content-Length: {length}\r\n\r\n".encode() + body


def ask_for_vectors(gateway: Gateway, text: str = "x") -> httpx.Response:
    headers = {"Authorization": f"Bearer {gateway.token}"}
    return httpx.post(f"{gateway.url}/embeddings", json={"model": "m", "input": text}, headers=headers, timeout=10)


def test_bodies_that_are_not_whole_are_limited_together(start: StartGateway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "MOST_BYTES_HELD", 4 * BODY)
    gateway = start(mode="off")
    with ExitStack() as stack:
        held = [stack.enter_context(connection_to(gateway)) for _ in range(5)]
        for connection in held:
            connection.sendall(embeddings_request(gateway, BODY, b"x" * (BODY - 100)))
        refused = 0
        for connection in held:
            connection.settimeout(1.0)
            try:
                answered = connection.recv(65536)
            except TimeoutError:
                continue
            assert answered.startswith(b"HTTP/1.1 503 ") and b"the requests under way have more than" in answered
            refused += 1
        # Four do not fill it up by a few hundred bytes.
        assert refused == 1
        too_many = ask_for_vectors(gateway, "x" * BODY)
        assert (too_many.status_code, too_many.json()["error"]["code"]) == (503, "overloaded")
    for _ in range(10):
        assert ask_for_vectors(gateway, "x" * BODY).status_code == 200


class SlowEmbedder(CountingEmbedder):
    """Waits to be let go, and notes what it embedded."""

    def __init__(self) -> None:
        self.begun, self.go_on, self.embedded = threading.Event(), threading.Event(), list[str]()

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.begun.set()
        assert self.go_on.wait(PATIENCE_S)
        self.embedded += texts
        return super().embed(texts)


def test_requests_of_clients_that_are_gone_are_not_worked_off(tmp_path: Path) -> None:
    embedder = SlowEmbedder()
    with Gateway({}, tmp_path / "cache.sqlite", "off", embedder) as gateway:
        with ExitStack() as stack:
            for number in range(10):
                body = json.dumps({"model": "m", "input": [f"abandoned {number}"]}).encode()
                stack.enter_context(connection_to(gateway)).sendall(embeddings_request(gateway, len(body), body))
            assert embedder.begun.wait(PATIENCE_S)
        # Answered after all ends of connections that came before it were seen.
        assert httpx.get(f"{gateway.url}/models", headers={"Authorization": f"Bearer {gateway.token}"}).is_success
        embedder.go_on.set()
        assert ask_for_vectors(gateway, "asked").is_success
    assert embedder.embedded[-1] == "asked"
    assert len(embedder.embedded) == 2
