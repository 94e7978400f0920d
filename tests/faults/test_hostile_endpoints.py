"""Endpoints and systems that attack the gateway: caps hold, keys stay out of answers, requests are read to a limit."""

import http.client
import json
import socket
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import openai
import pytest

from forgeteval.chat.redaction import REDACTED
from lethe.gateway.server import CallContext, Gateway
from tests.gateway.conftest import KEY, KEY_VARIABLE, StartGateway, ask, content, model
from tests.support.gateway_logs import rows
from tests.support.scripted_endpoint import ScriptedEndpoint, body, completion, refuse


@pytest.fixture(autouse=True)
def key_and_short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)


def asks_until_refused(gateway: Gateway, times: int = 4, context: CallContext | None = None) -> None:
    for number in range(times):
        try:
            ask(gateway, f"question {number}", context)
        except openai.APIStatusError:
            continue


ANSWERS: dict[str, Any] = {
    "to be asked again in a year that no calendar has": refuse(
        429, {"retry-after": "Mon, 01 Jan 99999999999999999999 00:00:00 GMT"}
    ),
    "refused with a number of more digits than are read": refuse(400, message=f"&#{'9' * 5000};"),
    "finished by half a character": body(json.dumps(completion("yes", "\ud800"))),
    "finished by a list": body(json.dumps({**completion("yes"), "choices": [{"message": {}, "finish_reason": ["x"]}]})),
    "finished by an object": body(json.dumps({**completion("yes"), "choices": [{"message": {}, "finish_reason": {}}]})),
}


@pytest.mark.parametrize("said", ANSWERS)
def test_an_answer_that_breaks_the_reader_counts_towards_the_cap(
    start: StartGateway, endpoint: ScriptedEndpoint, cache: Path, said: str
) -> None:
    endpoint.otherwise = ANSWERS[said]
    asks_until_refused(start(model(endpoint.url, max_attempts=1, max_calls=1)))
    assert len(endpoint.asked) == 1
    assert len(rows(cache, "calls")) == 4, "each call is in the log"


@contextmanager
def answering(answer: bytes) -> Iterator[tuple[str, list[bytes]]]:
    """An endpoint that reads a request, sends these bytes and closes the connection; its address and what it read."""
    asked: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    read = b""
                    while b'"messages"' not in read and (part := connection.recv(1 << 16)):
                        read += part
                    asked.append(read)
                    connection.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1", asked
        listener.shutdown(socket.SHUT_RDWR)


BROKEN_OFF = {
    "nothing": b"",
    "half an answer": b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{",
    "too long a header": b"HTTP/1.1 200 OK\r\nX: " + b"a" * 200_000 + b"\r\n\r\n",
    "no status line": b'{"choices": []}',
    "no chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\n",
}


@pytest.mark.parametrize("answer", BROKEN_OFF)
def test_an_endpoint_that_was_asked_and_broke_off_may_have_charged(start: StartGateway, answer: str) -> None:
    with answering(BROKEN_OFF[answer]) as (url, asked):
        asks_until_refused(start(model(url, max_attempts=1, max_calls=1)))
    assert len(asked) == 1


def test_a_system_cannot_keep_its_calls_out_of_the_log(
    start: StartGateway, endpoint: ScriptedEndpoint, cache: Path
) -> None:
    gateway = start(model(endpoint.url, max_calls=1))
    asks_until_refused(gateway, context=CallContext("s", "s", "c", 10**30, "system"))
    assert len(endpoint.asked) <= 1


ENCODED: dict[str, Callable[[str], str]] = {
    "JSON": lambda one: f"\\u005cu{ord(one):04x}",
    "an address": lambda one: f"\\u0025{ord(one):02x}",
    "HTML": lambda one: f"\\u0026#{ord(one)};",
    "an address in an address": lambda one: f"%25{ord(one):02x}",
}


@pytest.mark.parametrize("way", ENCODED)
def test_a_key_is_taken_out_of_what_the_answer_says_once_it_is_read(
    start: StartGateway, endpoint: ScriptedEndpoint, way: str
) -> None:
    """The escape of the key's characters is itself escaped: reading the JSON makes a spelling that is taken out."""
    written = "".join(map(ENCODED[way], KEY))
    endpoint.script = [body(json.dumps(completion("HERE")).replace("HERE", written))]
    assert content(ask(start(model(endpoint.url)))) == REDACTED


@pytest.mark.parametrize("calls", [5, "abc", ["x"], [None], {"a": 1}], ids=str)
def test_tool_calls_that_are_none_are_streamed_or_refused(
    start: StartGateway, endpoint: ScriptedEndpoint, calls: Any
) -> None:
    endpoint.script = [body(json.dumps(completion("yes", tool_calls=calls)))]
    gateway = start(model(endpoint.url, max_attempts=1))
    connection = http.client.HTTPConnection(gateway.url.split("/")[2], timeout=20)
    asked = {"model": "scripted", "messages": [{"role": "user", "content": "x"}], "stream": True}
    connection.request("POST", "/v1/chat/completions", json.dumps(asked), {"Authorization": f"Bearer {gateway.token}"})
    assert b"the gateway failed" not in connection.getresponse().read()


def test_what_a_system_posts_to_the_gateway_is_read_to_a_limit(start: StartGateway) -> None:
    gateway, size = start(mode="off"), 300 << 20
    host, port = gateway.url.split("/")[2].split(":")
    tracemalloc.start()
    head = f"POST /v1/embeddings HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {gateway.token}\r\nContent-Length: {size}"
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        try:
            connection.sendall(head.encode() + b"\r\n\r\n")
            for _ in range(size >> 20):
                connection.sendall(b" " * (1 << 20))
            connection.recv(100)
        except OSError:
            pass
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 100 << 20
