"""Endpoints that attack `forgeteval run --model`: where the key goes, what is kept and shown, how much is read."""

import base64
import gzip
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from forgeteval import evaluate
from forgeteval.chat import LLM
from forgeteval.chat.answers import FILE
from forgeteval.chat.attempts import MOST_BYTES
from forgeteval.chat.llm import model_planner
from forgeteval.chat.redaction import REDACTED
from forgeteval.chat.refusals import never_succeeds
from forgeteval.errors import UserError
from forgeteval.planners.protocol import Meant, PlannerUnavailable
from tests.gateway.conftest import KEY, KEY_VARIABLE
from tests.support.scripted_endpoint import ScriptedEndpoint, answer, body, completion, refuse
from tests.support.scripted_planner import ListBackend, candidates

NONE = '{"whole": [], "in_part": []}'
SHOWN = candidates("Ana has key 3")
SPELLINGS: dict[str, str] = {
    "as it is": KEY,
    "address": "".join(f"%{ord(one):02x}" for one in KEY),
    "JSON": "".join(f"\\u{ord(one):04x}" for one in KEY),
    "HTML": "".join(f"&#{ord(one)};" for one in KEY),
    "base64": base64.b64encode(f"Bearer {KEY}".encode()).decode(),
    "hexadecimal": KEY.encode().hex(),
}


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORGETEVAL_CACHE", str(tmp_path))


@pytest.fixture
def llm(endpoint: ScriptedEndpoint) -> Callable[..., LLM]:
    endpoint.otherwise = answer(NONE)
    return lambda **options: LLM("small", **{"base_url": endpoint.url, "api_key_env": KEY_VARIABLE, **options})


def refused(llm: LLM) -> str:
    """What is said where there is no answer."""
    with pytest.raises(PlannerUnavailable) as caught:
        model_planner(llm).purge("key 3", SHOWN)
    return str(caught.value)


@contextmanager
def sending(*parts: bytes, pause_s: float = 0.0) -> Iterator[tuple[str, list[bytes]]]:
    """An endpoint that sends these parts to whoever asks, with pauses; its address, and what it was asked."""
    asked: list[bytes] = []

    def serve(connection: socket.socket) -> None:
        with connection:
            try:
                asked.append(connection.recv(1 << 16))
                for part in parts:
                    connection.sendall(part)
                    time.sleep(pause_s)
            except OSError:
                return

    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=serve, args=[connection], daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1", asked
        listener.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_followed_nowhere(llm: Callable[..., LLM], endpoint: ScriptedEndpoint, status: int) -> None:
    with sending(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}") as (elsewhere, asked):
        endpoint.otherwise = body("{}", status, {"location": f"{elsewhere}/chat/completions?key={KEY}"})
        told = refused(llm())
        assert told == (
            f"small: {endpoint.url} answered {status} (a redirect to {elsewhere}/chat/completions?key={REDACTED}, "
            "which is not followed)"
        )
        assert asked == [] and len(endpoint.asked) == 1


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(
    "repeating",
    [
        lambda key: completion(json.dumps({"whole": [], "in_part": [], "reason": f"key {key}"})),
        lambda key: completion(json.dumps({"whole": [], "in_part": [{"index": 0, "stays": f"kept {key}"}]})),
        lambda key: {**completion(NONE), key: key, "system_fingerprint": key},
        lambda key: completion(None, tool_calls=[{"function": {"name": key, "arguments": {key: key}}}]),
        lambda key: completion(None, reasoning_content=f"{key} {NONE}"),
    ],
    ids=["content", "what stays", "fields", "tool calls", "reasoning"],
)
def test_a_repeated_key_is_neither_kept_nor_decided_on(
    llm: Callable[..., LLM], endpoint: ScriptedEndpoint, tmp_path: Path, repeating: Callable[[str], Any], spelling: str
) -> None:
    written = SPELLINGS[spelling]
    endpoint.otherwise = body(json.dumps(repeating(written)))
    try:
        decided = repr(model_planner(llm()).purge("key 3", SHOWN))
    except PlannerUnavailable as error:
        decided = str(error)
    kept = (tmp_path / FILE).read_bytes().decode(errors="replace")
    for shown in (kept, decided):
        assert KEY not in shown and written not in shown and json.dumps(written)[1:-1] not in shown
    assert REDACTED in kept


def test_a_key_in_pieces_that_are_read_as_one_text_is_no_answer(
    llm: Callable[..., LLM], endpoint: ScriptedEndpoint
) -> None:
    parts = [{"type": "text", "text": part} for part in (NONE, KEY[:9], KEY[9:])]
    endpoint.otherwise = body(json.dumps(completion(parts)))  # type: ignore[arg-type]
    assert refused(llm()).endswith("answered with parts of a text that together hold the key")


def test_a_repeated_key_reaches_no_results(llm: Callable[..., LLM], endpoint: ScriptedEndpoint) -> None:
    said = {"whole": [], "in_part": [{"index": 0, "stays": f"kept {KEY}"}]}
    endpoint.otherwise = answer(json.dumps(said))
    results = evaluate(ListBackend, "adversarial", hook=llm(), limit=2, controls=False)
    assert endpoint.asked and KEY not in json.dumps(results.to_json())


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("status", [400, 401, 500])
def test_a_key_in_a_refusal_is_not_shown(
    llm: Callable[..., LLM], endpoint: ScriptedEndpoint, spelling: str, status: int
) -> None:
    endpoint.otherwise = refuse(status, message=f"wrong key {SPELLINGS[spelling]}")
    told = refused(llm())
    assert SPELLINGS[spelling] not in told and KEY not in told
    assert f"small: {endpoint.url} answered {status} (" in told and REDACTED in told


def test_a_refusal_of_every_request_ends_the_asking_and_one_of_this_request_does_not(
    llm: Callable[..., LLM], endpoint: ScriptedEndpoint
) -> None:
    for refusal, asked in ((refuse(400, message="the context is too long"), 2), (refuse(401), 3)):
        endpoint.otherwise = refusal
        planner = model_planner(llm())
        for number in range(2):
            with pytest.raises(PlannerUnavailable):
                planner.purge(f"key {number}", SHOWN)
        assert len(endpoint.asked) == asked


@pytest.mark.parametrize("length", [f"Content-Length: {MOST_BYTES << 6}", "Connection: close"])
@pytest.mark.parametrize("status", [b"200 OK", b"400 Bad Request"])
def test_an_answer_is_read_to_a_limit(llm: Callable[..., LLM], length: str, status: bytes) -> None:
    head = b"HTTP/1.1 " + status + b"\r\n" + length.encode() + b"\r\n\r\n"
    with sending(head, *[b" " * (1 << 20)] * 200) as (url, _):
        assert refused(llm(base_url=url)).endswith("answered with a body of more than 16 MiB")


@pytest.mark.parametrize("before", [b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: "], ids=["body", "header"])
def test_an_answer_that_never_ends_is_given_up(llm: Callable[..., LLM], before: bytes) -> None:
    started = time.monotonic()
    with sending(before, *[b"x"] * 1000, pause_s=0.05) as (url, asked):
        assert refused(llm(base_url=url, timeout_s=0.5)).endswith("timed out after 0.5 s")
    assert 1 <= len(asked) <= 3 and time.monotonic() - started < 20


def test_a_compressed_answer_is_neither_asked_for_nor_unpacked(
    llm: Callable[..., LLM], endpoint: ScriptedEndpoint
) -> None:
    packed = gzip.compress(json.dumps(completion(NONE)).encode())
    endpoint.otherwise = body(packed, headers={"content-encoding": "gzip"})  # type: ignore[arg-type]
    assert refused(llm()).endswith("answered with a compressed body, which was not asked for")
    assert {headers["accept-encoding"] for headers in endpoint.headers} == {"identity"}


@pytest.mark.parametrize(
    "charset", ["punycode", "idna", "base64", "rot13", "undefined", "utf-7", "none-9", 'x"y', "utf-8"]
)
def test_a_body_is_utf_8_unless_it_says_a_usual_charset(
    llm: Callable[..., LLM], endpoint: ScriptedEndpoint, charset: str
) -> None:
    kind = {"content-type": f"application/json; charset={charset}"}
    endpoint.otherwise = body(json.dumps(completion(f"É {NONE}"), ensure_ascii=False), headers=kind)
    assert model_planner(llm()).purge("key 3", SHOWN) == Meant(reason="answer: with words around")


@pytest.mark.parametrize("charset", ["utf-8-sig", "utf-16", "UTF-16LE", '"iso-8859-1"', "latin1", "windows-1252"])
def test_a_usual_charset_is_read(llm: Callable[..., LLM], endpoint: ScriptedEndpoint, charset: str) -> None:
    said = json.dumps(completion('{"whole": [], "in_part": [{"index": 0, "stays": "É"}]}'), ensure_ascii=False)
    packed = said.encode(charset.strip('"'))
    endpoint.otherwise = body(packed, headers={"content-type": f"text/plain; Charset={charset}"})  # type: ignore[arg-type]
    assert model_planner(llm()).purge("key 3", SHOWN) == Meant(parts=((0, "É"),))


def test_a_header_may_hold_more_than_ascii(llm: Callable[..., LLM], endpoint: ScriptedEndpoint) -> None:
    endpoint.script = [refuse(429, {"Retry-After": "später"})]
    endpoint.otherwise = body(json.dumps(completion(NONE)), headers={"X-Region": "Zürich"})
    assert model_planner(llm()).purge("key 3", SHOWN) == Meant()
    assert len(endpoint.asked) == 2


@pytest.mark.parametrize(
    "page", ["<title", "<title>", "<", "<p>&#" + "9" * 5000], ids=["title", "titles", "tags", "number"]
)
def test_no_refusal_takes_long_to_read(page: str) -> None:
    started = time.process_time()
    assert not never_succeeds(400, page * (300_000 // len(page)), ["max_tokens"])
    assert time.process_time() - started < 3


@pytest.mark.parametrize("given", ["sk-live-0123456789", "AIzaSyA0123456789abcdef", "0123456789abcdef", "my own key"])
def test_a_key_that_is_given_for_the_name_of_its_variable_is_not_shown(given: str) -> None:
    with pytest.raises(UserError, match="its name is not shown") as caught:
        model_planner(LLM("small", api_key_env=given))
    assert given not in str(caught.value)
    with pytest.raises(UserError, match="the variable ANOTHER_KEY is not set"):
        model_planner(LLM("small", api_key_env="ANOTHER_KEY"))
