"""The chat client against a loopback server of the test's own."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from forgeteval.planners.chat import ChatOptions, Endpoint, Structured
from forgeteval.planners.llm.client import chat_body, chat_client
from forgeteval.planners.protocol import PlannerUnavailable

TOKEN = "sk-very-secret-0123456789"
GOOD = json.dumps({"choices": [{"message": {"role": "assistant", "content": "said: ü"}}]}).encode()


class Handler(BaseHTTPRequestHandler):
    """Answers (status, body) as the server's `answer` says, and keeps each request."""

    protocol_version = "HTTP/1.1"
    server: "Server"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, dict(self.headers), body, self.client_address))
        answer = self.server.answer
        if answer is None:
            self.server.released.wait(20)
            self.close_connection = True
            return
        status, content = answer
        self.send_response(status)
        self.send_header("Content-Length", str(len(content) + self.server.missing_bytes))
        self.end_headers()
        self.wfile.write(content)
        self.close_connection = self.server.hangs_up

    def log_message(self, format: str, *arguments: Any) -> None: ...


class Server(ThreadingHTTPServer):
    daemon_threads = True
    answer: tuple[int, bytes] | None = (200, GOOD)
    missing_bytes = 0
    hangs_up = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[Any] = []
        self.released = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.released.set()
        running.shutdown()
        thread.join()


def client(url: str, token: str = TOKEN, timeout_s: float = 5.0) -> Callable[[str, str], str]:
    numbers = iter(range(100))
    options, endpoint = ChatOptions("a-model", 0.5, 256), Endpoint(url, token, timeout_s)
    return chat_client(options, endpoint, lambda purpose: {"X-Number": f"{purpose} {next(numbers)}"})


def refusal(ask: Callable[[str, str], str], token: str = TOKEN) -> str:
    """The text of the PlannerUnavailable that `ask` raises, which holds no token, nor does what led to it."""
    with pytest.raises(PlannerUnavailable) as raised:
        ask("supersede", "the prompt")
    error: BaseException | None = raised.value
    while error:
        assert token not in repr(error)
        error = error.__cause__ or error.__context__
    return str(raised.value)


def test_a_good_answer(server: Server) -> None:
    assert client(server.url)("supersede_repair", "the prompt: 欧\ud83d") == "said: ü"
    ((path, headers, body, _),) = server.requests
    assert path == "/v1/chat/completions"
    assert body == {
        "model": "a-model",
        "messages": [{"role": "user", "content": "the prompt: 欧\ud83d"}],
        "temperature": 0.5,
        "max_tokens": 256,
        "response_format": {"type": "json_object"},
    }
    assert headers["Authorization"] == f"Bearer {TOKEN}"
    assert headers["X-Number"] == "supersede_repair 0"
    assert headers["Content-Type"] == "application/json"


SCHEMA = {"type": "object", "required": ["a"]}
STRICT = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA}}


@pytest.mark.parametrize(
    ("structured", "contract", "asked"),
    [
        ("schema", SCHEMA, STRICT),
        ("schema", None, {"type": "json_object"}),
        ("object", SCHEMA, {"type": "json_object"}),
        ("none", SCHEMA, None),
    ],
)
def test_the_form_of_an_answer_is_asked_for_as_configured(structured: Structured, contract: Any, asked: Any) -> None:
    body = chat_body(ChatOptions("m", 0.0, 64, structured), "the prompt", contract)
    assert body.get("response_format") == asked
    assert set(body) - {"response_format"} == {"model", "messages", "temperature", "max_tokens"}


def test_headers_are_asked_for_each_time_and_the_connection_is_kept(server: Server) -> None:
    ask = client(server.url + "/")
    for _ in range(3):
        ask("p", "q")
    assert [headers["X-Number"] for _, headers, _, _ in server.requests] == ["p 0", "p 1", "p 2"]
    assert len({address for *_, address in server.requests}) == 1


def test_a_connection_that_the_server_closed_is_opened_again(server: Server) -> None:
    server.hangs_up = True
    ask = client(server.url)
    for _ in range(20):
        assert ask("p", "q") == "said: ü"
    assert len(server.requests) == 20


def test_threads_do_not_share_a_connection(server: Server) -> None:
    ask = client(server.url)
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda n: ask("p", str(n)), range(40))) == {"said: ü"}
    assert sorted(int(body["messages"][0]["content"]) for _, _, body, _ in server.requests) == list(range(40))


@pytest.mark.parametrize("status", [301, 400, 401, 404, 429, 500, 503])
def test_an_http_error(server: Server, status: int) -> None:
    server.answer = (status, b"<html>no</html>")
    assert refusal(client(server.url)) == f"supersede: HTTP {status}"
    assert len(server.requests) == 1


def test_an_error_says_what_the_server_says_but_no_token(server: Server) -> None:
    message = f"replay: no answer\nfor case-17 of {TOKEN} " + "x" * 190 + TOKEN
    server.answer = (500, json.dumps({"error": {"message": message}}).encode())
    said = refusal(client(server.url))
    assert said.startswith("supersede: HTTP 500: replay: no answer for case-17 of *** xxx")
    assert len(said) < 250
    assert TOKEN[:5] not in said


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not json",
        b"\xff\xfe",
        b"[]",
        b"null",
        b"{}",
        b'{"choices": []}',
        b'{"choices": [{"message": null}]}',
        b'{"choices": [{"message": {"content": null}}]}',
        b'{"choices": [{"message": {"content": ""}}]}',
        b'{"choices": [{"message": {"content": " \\n"}}]}',
        b'{"choices": [{"message": {"content": ["a"]}}]}',
        GOOD[:-3],
        b"[" * 100_000,
    ],
)
def test_a_body_without_content(server: Server, body: bytes) -> None:
    server.answer = (200, body)
    assert refusal(client(server.url)) == "supersede: an answer without content"


def test_a_body_that_is_cut_off_and_the_request_after_it(server: Server) -> None:
    server.missing_bytes, server.hangs_up = 7, True
    ask = client(server.url)
    assert "IncompleteRead" in refusal(ask)
    server.missing_bytes = 0
    assert ask("p", "q") == "said: ü"


def test_a_hang_and_the_request_after_it(server: Server) -> None:
    server.answer = None
    ask = client(server.url, timeout_s=0.2)
    assert refusal(ask) == "supersede: no answer within 0.2 s"
    server.answer = (200, GOOD)
    assert ask("p", "q") == "said: ü"


def test_nobody_listens() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    assert refusal(client(url)) == "supersede: ConnectionRefusedError"


@pytest.mark.parametrize("token", ["sk-with\nnewline", "sk-ключ"])
def test_a_token_that_no_header_can_hold(server: Server, token: str) -> None:
    assert refusal(client(server.url, token), token).endswith("Error")
    assert server.requests == []


def test_what_is_not_http() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"

        def talk_nonsense() -> None:
            connection, _ = listening.accept()
            connection.recv(65536)
            connection.sendall(b"220 smtp ready\r\n\r\n")
            connection.close()

        thread = threading.Thread(target=talk_nonsense)
        thread.start()
        said = refusal(client(url))
        thread.join()
    assert said == "supersede: BadStatusLine"
