"""Connections to the gateway that have not shown a token."""

import json
import os
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import h11
import httpx
import psutil
import pytest

from lethe.gateway import connections
from lethe.gateway.server import Gateway
from tests.gateway.conftest import StartGateway, model
from tests.support.scripted_endpoint import ScriptedEndpoint, echo

DESCRIPTORS = 256
HALF = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
RUNNER = f"""
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_NOFILE, ({DESCRIPTORS}, {DESCRIPTORS}))
from lethe.gateway.server import Gateway
with Gateway({{}}, Path(sys.argv[1]), "off") as gateway:
    print(gateway.url, gateway.token, flush=True)
    sys.stdin.read()
print("stopped")
"""


@contextmanager
def half_open(url: str, count: int, said: bytes = HALF) -> Iterator[list[socket.socket]]:
    """Connections to a gateway that begin a request, and leave it at that."""
    host, port = url.split("/")[2].split(":")
    with ExitStack() as stack:
        found = []
        for _ in range(count):
            found.append(stack.enter_context(socket.create_connection((host, int(port)), timeout=10)))
            try:
                found[-1].sendall(said)
            except OSError:
                continue  # Already ended by the gateway.
        yield found


def is_ended(connection: socket.socket, within_s: float) -> bool:
    connection.settimeout(within_s)
    try:
        return connection.recv(1) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


@pytest.fixture
def many_descriptors() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(4096, hard)), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_1500_half_open_connections_leave_descriptors_and_answers(many_descriptors: None, tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", RUNNER, str(tmp_path / "cache.sqlite")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    ) as runner:
        assert runner.stdin is not None
        assert runner.stdout is not None
        url, token = runner.stdout.readline().split()
        with half_open(url, 1500):
            for _ in range(3):
                told = httpx.get(f"{url}/models", headers={"Authorization": f"Bearer {token}"}, timeout=10)
                assert told.json()["object"] == "list"
            assert psutil.Process(runner.pid).num_fds() < DESCRIPTORS - 50
            runner.stdin.close()
            assert runner.stdout.read() == "stopped\n"


@pytest.mark.parametrize(
    "said", [b"", HALF, HALF + b"Authorization: Bearer wrong\r\n\r\n"], ids=["none", "half", "wrong"]
)
def test_who_shows_no_token_is_not_kept(
    start: StartGateway, endpoint: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch, said: bytes
) -> None:
    monkeypatch.setattr(connections, "PATIENCE_S", 0.2)
    with half_open(start(model(endpoint.url)).url, 1, said) as [connection]:
        connection.settimeout(5)
        with suppress(ConnectionResetError):
            while connection.recv(4096):
                pass


def test_who_has_shown_a_token_may_take_time(
    start: StartGateway, endpoint: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "PATIENCE_S", 0.2)
    endpoint.otherwise = echo(delay_s=0.5)
    gateway = start(model(endpoint.url))
    asked = {"model": "scripted", "messages": [{"role": "user", "content": "x"}]}
    headers = {"Authorization": f"Bearer {gateway.token}"}
    with httpx.Client(base_url=gateway.url, headers=headers) as client:
        assert client.post("/chat/completions", json=asked).status_code == 200
        time.sleep(0.5)
        assert client.get("/models").status_code == 200


@pytest.mark.parametrize("cut", [1, 40, 10_000], ids=["byte by byte", "in pieces", "at once"])
def test_the_body_of_who_shows_no_token_is_not_read(
    start: StartGateway, monkeypatch: pytest.MonkeyPatch, cut: int
) -> None:
    read: list[int] = []
    receive = h11.Connection.receive_data
    monkeypatch.setattr(
        h11.Connection, "receive_data", lambda self, data: (read.append(len(data)), receive(self, data))[1]
    )
    headers = HALF + b"Authorization: Bearer wrong\r\nTransfer-Encoding: chunked\r\n\r\n"
    told = headers + b"1\r\n \r\n" * 100
    with half_open(start(mode="off").url, 1, b"") as [connection]:
        for at in range(0, len(told), cut):
            with suppress(OSError):
                connection.sendall(told[at : at + cut])
        connection.settimeout(5)
        answer = b"".join(iter(lambda: connection.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 401") and b"connection: close" in answer
    assert sum(read) == len(headers)


@pytest.mark.parametrize("cut", [1, 40, 10_000], ids=["byte by byte", "in pieces", "at once"])
def test_a_body_that_comes_with_its_token_in_pieces_is_read(
    start: StartGateway, endpoint: ScriptedEndpoint, cut: int
) -> None:
    endpoint.otherwise = echo()
    gateway = start(model(endpoint.url))
    body = json.dumps({"model": "scripted", "messages": [{"role": "user", "content": "x" * 3000}]}).encode()
    token = f"Authorization: Bearer {gateway.token}\r\nConnection: close\r\n".encode()
    told = HALF + token + f"Content-Length: {len(body)}\r\n\r\n".encode() + body
    with half_open(gateway.url, 1, b"") as [connection]:
        for at in range(0, len(told), cut):
            connection.sendall(told[at : at + cut])
        connection.settimeout(10)
        assert b"".join(iter(lambda: connection.recv(4096), b"")).startswith(b"HTTP/1.1 200")


def test_the_oldest_go_first(start: StartGateway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST_UNAUTHENTICATED", 5)
    gateway: Gateway = start(mode="off")
    with half_open(gateway.url, 5) as old, half_open(gateway.url, 5) as new:
        assert all(is_ended(connection, 5) for connection in old)
        assert not any(is_ended(connection, 0.05) for connection in new)
