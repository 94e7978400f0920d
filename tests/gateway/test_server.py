"""Starting and stopping, and keeping secrets."""

import gc
import logging
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import openai
import psutil
import pytest

from forgeteval.errors import UserError
from lethe.gateway.server import Gateway
from lethe.parquet import read_rows
from lethe.schemas import LLM_CALLS
from lethe.trust.recorded_answers import export_calls
from tests.gateway.conftest import KEY, PRICE, StartGateway, ask, model
from tests.support.gateway_logs import rows
from tests.support.scripted_endpoint import ScriptedEndpoint, answer, refuse


def open_sockets() -> int:
    gc.collect()
    return sum(found.status == psutil.CONN_LISTEN for found in psutil.Process().net_connections())


def gateway_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith(("gateway", "AnyIO", "asyncio"))]


def test_nothing_is_left_after_a_stop(endpoint: ScriptedEndpoint, cache: Path) -> None:
    before = open_sockets()
    with Gateway({"scripted": model(endpoint.url)}, cache, "live") as gateway:
        ask(gateway)
        port = int(gateway.url.split(":")[2].split("/")[0])
        assert gateway.url.startswith("http://127.0.0.1:")
    assert gateway_threads() == []
    assert open_sockets() == before
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))
    assert [path.name for path in cache.parent.iterdir()] == ["cache.sqlite"]


def test_it_stops_in_time_while_a_call_hangs(endpoint: ScriptedEndpoint, cache: Path) -> None:
    endpoint.otherwise = answer(delay_s=20)
    gateway = Gateway({"scripted": model(endpoint.url, timeout_s=30)}, cache, "live")
    with ThreadPoolExecutor(1) as pool:
        with gateway:
            hanging = pool.submit(ask, gateway)
            while not endpoint.asked:
                time.sleep(0.01)
            started = time.monotonic()
        assert time.monotonic() - started < 5
        assert hanging.exception() is not None
    assert gateway_threads() == []
    (call,) = rows(cache, "calls")
    assert (call["error"], call["spent"]) == ("the gateway was stopped", 1)


def test_each_start_has_its_own_token(start: StartGateway, endpoint: ScriptedEndpoint) -> None:
    first, second = start(model(endpoint.url)), start(model(endpoint.url))
    assert first.token != second.token
    with openai.OpenAI(base_url=first.url, api_key=second.token) as other, pytest.raises(openai.AuthenticationError):
        other.models.list()


def test_a_key_that_is_not_set_is_found_before_anything_runs(
    endpoint: ScriptedEndpoint, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRIPTED_API_KEY", " ")
    with pytest.raises(UserError, match="model scripted: the variable SCRIPTED_API_KEY is not set"):
        Gateway({"scripted": model(endpoint.url)}, cache, "live")
    assert not cache.exists()
    with Gateway({"scripted": model(endpoint.url)}, cache, "replay"), Gateway({}, cache, "off"):
        pass


def test_a_key_that_fits_no_header_is_not_shown(
    endpoint: ScriptedEndpoint, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRIPTED_API_KEY", "sk-two\nlines")
    with pytest.raises(UserError, match="no key can have") as caught:
        Gateway({"scripted": model(endpoint.url)}, cache, "live")
    assert "lines" not in str(caught.value)


def test_a_model_without_a_key_is_sent_a_dummy(start: StartGateway, endpoint: ScriptedEndpoint) -> None:
    ask(start(model(endpoint.url, api_key_env=None)))
    assert endpoint.headers[0]["authorization"] == "Bearer no-key"


def test_no_secret_is_in_any_file_log_error_or_repr(
    start: StartGateway, endpoint: ScriptedEndpoint, cache: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    config = model(endpoint.url)
    gateway = start(config)
    endpoint.script = [
        refuse(401, message=f"Incorrect API key provided: {KEY}"),
        answer(f"you sent {KEY}"),
        answer(f"you sent {KEY}", "length"),
    ]
    shown = [repr(config), repr(gateway), str(gateway.context)]
    with pytest.raises(openai.APIStatusError, match=r"Incorrect API key provided: \[redacted\]") as caught:
        ask(gateway, "first")
    shown.append(str(caught.value))
    shown += [str(ask(gateway, f"{text}: {KEY} and {gateway.token}")) for text in ("second", "third")]
    with (
        pytest.raises(openai.NotFoundError) as unknown,
        openai.OpenAI(base_url=gateway.url, api_key=gateway.token) as c,
    ):
        c.chat.completions.create(model=KEY, messages=[{"role": "user", "content": "x"}])
    shown.append(str(unknown.value))
    export_calls(cache, tmp_path / "calls.parquet", "test")
    gateway.__exit__(None, None, None)
    # The client of this test logs what it sends, so only the gateway's side is looked at.
    own = [record.getMessage() for record in caplog.records if record.threadName != "MainThread"]
    assert any("Sending HTTP Request" in text for text in own)
    shown += own
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.name for path in files} >= {"cache.sqlite", "calls.parquet"}
    assert len(rows(cache, "calls")) == 3
    for secret in (KEY, gateway.token):
        assert not any(secret in text for text in shown)
        assert not any(secret.encode() in path.read_bytes() for path in files)


def test_calls_are_exported(start: StartGateway, endpoint: ScriptedEndpoint, cache: Path, tmp_path: Path) -> None:
    gateway = start(model(endpoint.url, max_attempts=1))
    ask(gateway, "one")
    ask(gateway, "one")
    endpoint.otherwise = refuse(500)
    with pytest.raises(openai.InternalServerError):
        ask(gateway, "two")
    target = tmp_path / "calls.parquet"
    export_calls(cache, target, "fingerprint")
    made, hit, failed = read_rows(target, LLM_CALLS)
    assert [row["call"] for row in (made, hit, failed)] == [1, 2, 3]
    assert [row["cache_hit"] for row in (made, hit, failed)] == [False, True, False]
    assert made["cost_usd"] == hit["cost_usd"] == pytest.approx(PRICE)
    assert made["prompt_hash"] == hit["prompt_hash"] != failed["prompt_hash"]
    assert len(made["prompt_hash"]) == 16
    assert failed["tokens_in"] is None
    assert "answered 500" in failed["error"]


def test_a_cache_that_was_never_made_exports_no_call(cache: Path, tmp_path: Path) -> None:
    export_calls(cache, tmp_path / "calls.parquet", "fingerprint")
    assert read_rows(tmp_path / "calls.parquet", LLM_CALLS) == []
    assert not cache.exists()


def test_what_the_client_looks_for_is_loaded_with_the_gateway() -> None:
    """The OpenAI client takes `httpx` from the loaded modules, even while another thread is still importing it."""
    program = "import sys, lethe.gateway.upstream; print(hasattr(sys.modules.get('httpx'), 'Timeout'))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
