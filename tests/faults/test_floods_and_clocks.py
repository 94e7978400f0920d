"""Floods of vectors, logs and results, further spellings of a key, and clocks of stores that share a file."""

import json
import socket
import threading
import time
import unicodedata
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import openai
import pytest

from forgeteval.chat.completions import read_completion
from forgeteval.chat.redaction import REDACTED, Redactor
from forgeteval.run.deadline import Deadline
from lethe.jobs import worker_process
from lethe.jobs.messages import MOST_CHARACTERS, MOST_TEXTS, Embed, Message
from lethe.jobs.worker_process import WorkerProcess
from lethe.store import Store
from tests.gateway.conftest import KEY, KEY_VARIABLE, StartGateway, ask, model
from tests.support.bench import Bench, HashEmbedder, make_case
from tests.support.gateway_logs import rows
from tests.support.hash_embedder import DIM, hash_embed
from tests.support.scripted_endpoint import ScriptedEndpoint, completion

CASES = [
    make_case("c0", ["alpha"], "alpha", ["alpha"]),
    make_case("c1", ["beta"], "evil", ["beta"]),
    make_case("c2", ["gamma"], "gamma", ["gamma"]),
]


def backend(name: str) -> str:
    return f"tests.support.attacking_systems:{name}"


def test_no_message_asks_for_more_vectors_than_a_reply_should_hold(bench: Bench) -> None:
    embedder = HashEmbedder()
    trials = bench.run(CASES, backend("EmbedsAtOnce"), embedder=embedder, worker_failure="record")
    assert [trial["verdict"] for trial in trials] == ["pass", "error", "pass"]
    assert len(embedder.asked) < 100


def test_a_system_may_embed_as_much_as_it_wants_in_parts(bench: Bench) -> None:
    embedder = HashEmbedder()
    assert [trial["verdict"] for trial in bench.run(CASES, backend("EmbedsMany"), embedder=embedder)] == ["pass"] * 3
    assert len(embedder.asked) >= 1000


@pytest.mark.parametrize("texts", [["a"] * 1000, ["a" * 9000] * 500, ["a" * MOST_CHARACTERS, "b", "c"], []])
def test_parts_keep_texts_and_their_order(texts: list[str]) -> None:
    parts = [request.texts for request in Embed.parts(texts)]
    assert [text for part in parts for text in part] == texts
    assert all(0 < len(part) <= MOST_TEXTS for part in parts)


def test_a_result_longer_than_a_pipe_is_taken_from_a_late_parent(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine is busy; the result stood in the pipe in time, as far as the pipe holds it."""
    receive = WorkerProcess._receive

    def late(self: WorkerProcess, deadline: Deadline) -> tuple[int, Message]:
        if "at case" in deadline.place:
            time.sleep(deadline.seconds + 0.5)
        return receive(self, deadline)

    monkeypatch.setattr(WorkerProcess, "_receive", late)
    trials = bench.run(CASES, backend("SaysMuch"), limit_s=2.0)
    assert trials[2]["recalled"] == ["x" * 200_000] * 10


def test_a_log_does_not_fill_the_disk_while_a_case_lasts(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_process, "_MOST_LOGGED", 1 << 20)
    monkeypatch.setattr(worker_process, "_LOOKING_S", 0.05)
    longest = 0

    def look() -> None:
        nonlocal longest
        while not done.is_set():
            if bench.log.exists():
                longest = max(longest, bench.log.stat().st_blocks * 512)
            time.sleep(0.01)

    done = threading.Event()
    looking = threading.Thread(target=look)
    looking.start()
    try:
        bench.run(CASES, backend("PrintsForEver"), limit_s=6.0, worker_failure="record")
    finally:
        done.set()
        looking.join()
    assert 1 << 20 <= longest < 1 << 29
    assert bench.log.stat().st_size <= 1 << 20


ESCAPES: dict[str, Callable[[str], str]] = {
    "eight hexadecimal digits": lambda character: f"\\U{ord(character):08x}",
    "names": lambda character: f"\\N{{{unicodedata.name(character)}}}",
    "octal numbers": lambda character: f"\\{ord(character):03o}",
    "addresses with u": lambda character: f"%u{ord(character):04X}",
    "nine backslashes": lambda character: "\\" * 9 + character,
    "nine backslashes and a number": lambda character: "\\" * 9 + f"u{ord(character):04x}",
}


@pytest.mark.parametrize("escape", ESCAPES)
def test_a_key_is_taken_out_in_each_spelling(escape: str) -> None:
    redact = Redactor([KEY])
    written = "".join(map(ESCAPES[escape], KEY))
    assert redact(f"wrong key {written}!") == f"wrong key {REDACTED}!"
    twice = written.replace("\\", "\\\\").replace("%", "%25")
    assert REDACTED in redact(twice)
    assert json.loads(redact.in_json(json.dumps({"said": written}))) == {"said": REDACTED}


@pytest.mark.parametrize("number", ["1234567890", "-1234567890.0", "1.234567890e9", "[912345678901]"])
def test_a_key_of_digits_is_no_number_of_an_answer(number: str) -> None:
    assert "1234567890" not in Redactor(["1234567890"]).in_json(f'{{"a": {number}, "b": 12.5}}')


def test_a_key_with_backslashes_is_taken_out() -> None:
    assert Redactor(["domain\\user-secret"])(r"no domain\\user-secret here") == f"no {REDACTED} here"


def test_a_usage_in_whole_floats_is_counted() -> None:
    usage = {"prompt_tokens": 12.0, "completion_tokens": 3.0}
    answer = read_completion(json.dumps({**completion("yes"), "usage": usage}))
    assert (answer.tokens_in, answer.tokens_out) == (12, 3)


def test_an_endpoint_that_lets_nobody_connect_was_not_asked(
    start: StartGateway, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        address = listener.getsockname()
        # The kernel drops what comes while as many as this wait to be accepted.
        for _ in range(2):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(address)
        gateway = start(model(f"http://127.0.0.1:{address[1]}/v1", timeout_s=1.0, max_attempts=1, max_calls=1))
        for _ in range(2):
            with pytest.raises(openai.APIStatusError, match="let nobody connect"):
                ask(gateway)
    assert all(row["attempts"] == 1 for row in rows(cache, "calls"))


@pytest.mark.parametrize("asked", [2049, 100_000])
def test_a_request_for_very_many_vectors_is_refused(
    start: StartGateway, endpoint: ScriptedEndpoint, asked: int
) -> None:
    gateway = start(model(endpoint.url, api_key_env=None))
    with openai.OpenAI(base_url=gateway.url, api_key=gateway.token, max_retries=0) as client:
        with pytest.raises(openai.BadRequestError, match="no more than 2048 texts"):
            client.embeddings.create(model="any", input=["a"] * asked)
        assert len(client.embeddings.create(model="any", input=["a"] * 2048).data) == 2048


def test_events_of_stores_that_share_a_file_are_in_order_of_time(tmp_path: Path) -> None:
    """The clock is read once no other store can come between it and the event."""
    path, moments = tmp_path / "memories.db", iter(range(1, 100))
    with (
        Store(path, embed=hash_embed, dim=DIM, clock=lambda: next(moments)) as first,
        Store(path, embed=hash_embed, dim=DIM, clock=lambda: next(moments)) as second,
    ):
        first.inscribe("alpha")
        with first._database.writing():
            waiting = threading.Thread(target=second.inscribe, args=["beta"])
            waiting.start()
            time.sleep(0.2)
            assert next(moments) == 2
        waiting.join()
        first.purge(1)
        assert [event.at for event in first.log()] == [1, 3, 4]


def test_a_clock_that_fails_is_no_damage_to_the_file(tmp_path: Path) -> None:
    def clock() -> float:
        raise OSError("no clock here")

    with Store(tmp_path / "memories.db", embed=hash_embed, dim=DIM, clock=clock) as store:
        with pytest.raises(ValueError, match="no clock here"):
            store.inscribe("alpha")
        assert store.count() == 0
