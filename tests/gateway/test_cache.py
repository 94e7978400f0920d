"""What is kept, what is not, replay, and the log."""

import multiprocessing
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import openai
import pytest

from forgeteval.errors import UserError
from lethe.gateway.answers import Answer
from lethe.gateway.cache import Cache, LoggedCall
from lethe.gateway.server import CallContext, Gateway
from tests.gateway.conftest import PRICE, StartGateway, ask, content, model
from tests.support.gateway_logs import rows
from tests.support.scripted_endpoint import Behaviour, ScriptedEndpoint, answer, echo

CASE = CallContext("adversarial", "lethe+llm", "compound/7", 0, "supersede")


@pytest.fixture
def gateway(start: StartGateway, endpoint: ScriptedEndpoint) -> Gateway:
    return start(model(endpoint.url, max_attempts=2))


def test_the_second_identical_call_is_a_hit(gateway: Gateway, endpoint: ScriptedEndpoint, cache: Path) -> None:
    first, second = ask(gateway, context=CASE), ask(gateway, context=CASE)
    assert first == second
    assert len(endpoint.asked) == 1
    made, hit = rows(cache, "calls")
    same = ("suite", "system", "case_id", "repetition", "purpose", "model", "key", "prompt_hash")
    assert [made[name] for name in same] == [hit[name] for name in same]
    assert (made["suite"], made["system"], made["case_id"]) == ("adversarial", "lethe+llm", "compound/7")
    assert (made["cache_hit"], made["attempts"], made["spent"]) == (0, 1, 1)
    assert (hit["cache_hit"], hit["attempts"], hit["spent"]) == (1, 0, 0)
    for call in (made, hit):
        assert (call["tokens_in"], call["tokens_out"], call["finish_reason"]) == (100, 10, "stop")
        assert call["cost_usd"] == pytest.approx(PRICE)
        assert call["latency_ms"] == made["latency_ms"] > 0


def test_request_and_response_are_kept_whole(gateway: Gateway, cache: Path) -> None:
    ask(gateway, "王小明", seed=3)
    (kept,) = rows(cache, "answers")
    assert '"seed": 3' in kept["request"]
    assert '"endpoint-name"' in kept["request"]
    assert "\\u738b\\u5c0f\\u660e" in kept["request"]
    assert '"chatcmpl-1"' in kept["response"]


def test_another_context_hits_and_another_repetition_does_not(gateway: Gateway, endpoint: ScriptedEndpoint) -> None:
    ask(gateway, context=CASE)
    ask(gateway, context=CallContext("other", "other", "other", 0, "other"))
    assert len(endpoint.asked) == 1
    ask(gateway, context=CallContext("adversarial", "lethe+llm", "compound/7", 1, "supersede"))
    assert len(endpoint.asked) == 2


def test_what_changes_the_answer_changes_the_key(gateway: Gateway, endpoint: ScriptedEndpoint) -> None:
    different: list[dict[str, Any]] = [
        {},
        {"temperature": 0.5},
        {"seed": 1},
        {"max_tokens": 5},
        {"response_format": {"type": "json_object"}},
        {"tools": [{"type": "function", "function": {"name": "f"}}]},
        {"extra_body": {"unknown": 1}},
    ]
    for options in different * 2:
        ask(gateway, **options)
    assert len(endpoint.asked) == len(different)


def test_what_does_not_change_the_answer_does_not(gateway: Gateway, endpoint: ScriptedEndpoint) -> None:
    ask(gateway)
    ask(gateway, user="someone", metadata={"run": "2"}, store=True)
    assert len(endpoint.asked) == 1


def test_another_endpoint_model_has_other_answers(start: StartGateway, endpoint: ScriptedEndpoint) -> None:
    ask(start(model(endpoint.url)))
    ask(start(model(endpoint.url, model="another")))
    ask(start(model(endpoint.url, timeout_s=1.0, concurrency=1)))
    assert [asked["model"] for asked in endpoint.asked] == ["endpoint-name", "another"]


@pytest.mark.parametrize(
    "bad",
    [answer("cut o", "length"), answer("", "content_filter"), answer(None, refusal="I cannot")],
    ids=["length", "content_filter", "refusal"],
)
def test_truncated_answers_and_refusals_are_answered_but_not_kept(
    gateway: Gateway, endpoint: ScriptedEndpoint, cache: Path, bad: Behaviour
) -> None:
    endpoint.script = [bad]
    ask(gateway)
    assert rows(cache, "answers") == []
    assert content(ask(gateway)) == "hello"
    first, second = rows(cache, "calls")
    assert first["cost_usd"] == pytest.approx(PRICE)
    assert '"choices"' in first["response"]
    assert (second["request"], second["response"]) == (None, None)


def test_identical_calls_at_once_are_sent_once(gateway: Gateway, endpoint: ScriptedEndpoint, cache: Path) -> None:
    endpoint.otherwise = echo(delay_s=0.3)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: content(ask(gateway, context=CASE)), range(8)))
    assert found == ["hello"] * 8
    assert len(endpoint.asked) == 1
    assert [call["cache_hit"] for call in rows(cache, "calls")] == [0] + [1] * 7
    assert gateway.usage(CASE).calls == 8


def test_replay_with_the_endpoint_down_is_identical(
    start: StartGateway, gateway: Gateway, endpoint: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = [ask(gateway, text, CASE) for text in "abc"]
    used = gateway.usage(CASE)
    monkeypatch.delenv("SCRIPTED_API_KEY")
    monkeypatch.setattr("lethe.gateway.upstream.Upstream", None)
    replaying = start(model(endpoint.url), mode="replay")
    assert [ask(replaying, text, CASE) for text in "abc"] == live
    assert replaying.usage(CASE) == used
    assert replaying.stop is None


def test_a_miss_in_replay_stops_the_run_and_names_the_case(start: StartGateway, dead_url: str, cache: Path) -> None:
    gateway = start(model(dead_url), mode="replay")
    with pytest.raises(openai.NotFoundError, match=r"lethe\+llm.*compound/7.*supersede"):
        ask(gateway, context=CASE)
    with pytest.raises(openai.NotFoundError, match="case 'another'"):
        ask(gateway, context=CallContext(case_id="another"))
    assert gateway.stop is not None
    assert "'adversarial', system 'lethe+llm', case 'compound/7'" in gateway.stop
    assert ["replay" in call["error"] for call in rows(cache, "calls")] == [True, True]


def test_a_lacking_recorded_answer_is_kept_for_its_trial_and_stops_nothing(
    start: StartGateway, gateway: Gateway, endpoint: ScriptedEndpoint
) -> None:
    kept = ask(gateway, context=CASE)
    recorded = start(model(endpoint.url), mode="recorded")
    assert ask(recorded, context=CASE) == kept
    another = CallContext("adversarial", "lethe+llm", "another")
    with pytest.raises(openai.NotFoundError, match="case 'another'"):
        ask(recorded, "what was never asked", another)
    assert recorded.stop is None and recorded.lacking(CASE) is None
    assert "case 'another'" in str(recorded.lacking(another))


def test_a_cache_that_cannot_be_written_stops_the_run(
    gateway: Gateway, endpoint: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: Any) -> None:
        raise UserError("cache x: database or disk is full")

    monkeypatch.setattr(Cache, "_insert", full)
    with pytest.raises(openai.InternalServerError, match="disk is full"):
        ask(gateway)
    assert gateway.stop == "cache x: database or disk is full"


@pytest.mark.parametrize("content", [b"no database at all, only text" * 50, None])
def test_a_file_that_is_no_cache(start: StartGateway, dead_url: str, cache: Path, content: bytes | None) -> None:
    cache.parent.mkdir()
    if content is None:
        cache.mkdir()
    else:
        cache.write_bytes(content)
    remedy = "restore it, or move it away" if content else "check the path"
    with pytest.raises(UserError, match=f"^cache {cache}: .*; {remedy}"):
        start(model(dead_url))
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("gateway")] == []


def test_a_cache_of_another_version(cache: Path) -> None:
    opened = Cache(cache)
    opened._connection.execute("PRAGMA user_version = 99")
    opened.close()
    with pytest.raises(UserError, match="not a cache of this version"):
        Cache(cache)


def test_an_answer_belongs_to_its_endpoint(start: StartGateway, endpoint: ScriptedEndpoint, cache: Path) -> None:
    endpoint.script = [answer("first"), answer("second")]
    one, other = start(model(endpoint.url)), start(model(f"{endpoint.url}/"))
    assert content(ask(one)) == content(ask(other)) == "first", "a slash at the end is the same address"
    elsewhere = start(model(endpoint.url.replace("127.0.0.1", "localhost")))
    assert content(ask(elsewhere)) == "second"
    assert content(ask(one)) == "first"
    assert len(endpoint.asked) == len({row["endpoint"] for row in rows(cache, "answers")}) == 2
    assert len({call["endpoint"] for call in rows(cache, "calls")}) == 2


def test_replay_at_another_address_says_whose_answer_is_kept(
    start: StartGateway, gateway: Gateway, endpoint: ScriptedEndpoint, dead_url: str
) -> None:
    ask(gateway, context=CASE)
    with pytest.raises(openai.NotFoundError, match=rf"run with mode live \(kept is that of {endpoint.url}\)"):
        ask(start(model(dead_url), mode="replay"), context=CASE)


def as_before_endpoints(cache: Path) -> None:
    """Make a cache one of the version that did not note them."""
    with closing(sqlite3.connect(cache)) as connection, connection:
        kept = "model, request, response, finish_reason, tokens_in, tokens_out, cost_usd, latency_ms, attempts"
        connection.execute("ALTER TABLE answers RENAME TO new")
        connection.execute(
            f"CREATE TABLE answers (key TEXT PRIMARY KEY, {kept}, checksum, made_at TEXT NOT NULL DEFAULT '') "
            "WITHOUT ROWID"
        )
        columns = f"key, {kept}, checksum, made_at"
        connection.execute(f"INSERT INTO answers ({columns}) SELECT {columns} FROM new")
        connection.execute("DROP TABLE new")
        connection.execute("ALTER TABLE calls DROP COLUMN endpoint")
        connection.execute("PRAGMA user_version = 2")


def test_a_cache_that_did_not_note_endpoints_keeps_its_log_and_its_answers_of_weights(
    start: StartGateway, gateway: Gateway, endpoint: ScriptedEndpoint, cache: Path
) -> None:
    ask(gateway, context=CASE)
    gateway.__exit__(None, None, None)
    as_before_endpoints(cache)
    (key,) = {row["key"] for row in rows(cache, "answers")}
    with closing(Cache(cache)) as opened:
        assert opened.find(key, "") is not None, "what is served here goes by its weights"
        assert opened.find(key, endpoint.url) is None
        assert opened.select("SELECT count(*) AS n, total(cost_usd) AS usd FROM calls WHERE spent") == [
            {"n": 1, "usd": pytest.approx(PRICE)}
        ]
    with pytest.raises(openai.NotFoundError, match="kept is that of an address that an older file did not note"):
        ask(start(model(endpoint.url), mode="replay"), context=CASE)
    with closing(sqlite3.connect(cache)) as connection, connection:
        connection.execute("UPDATE answers SET endpoint = ?", (endpoint.url,))
    ask(start(model(endpoint.url)), context=CASE)
    assert len(endpoint.asked) == 1


WRITES = 150


def call(name: str, position: int) -> LoggedCall:
    return LoggedCall("s", name, str(position), 0, "p", "scripted", f"key {position}", "hash", cost_usd=1, spent=True)


def write_answers(path: Path, name: str, barrier: Any, found: Any) -> None:
    barrier.wait()
    opened = Cache(path)
    kept = [
        opened.keep(call(name, position), "{}", Answer(f'"{name}"', "stop", 1, 1, cost_usd=1.0)).response
        for position in range(WRITES)
    ]
    opened.close()
    found.put(kept)


def test_processes_share_one_file(cache: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    barrier, found = spawn.Barrier(3), spawn.Queue()
    writers = [spawn.Process(target=write_answers, args=(cache, name, barrier, found)) for name in "abc"]
    for writer in writers:
        writer.start()
    first, *others = [found.get(timeout=30) for _ in writers]
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    assert others == [first, first]
    opened = Cache(cache)
    assert opened.select("SELECT count(*) AS calls, total(cost_usd) AS usd FROM calls WHERE spent") == [
        {"calls": 3 * WRITES, "usd": 3.0 * WRITES}
    ]
    opened.close()
    assert len(rows(cache, "answers")) == WRITES
    assert {entry["system"] for entry in rows(cache, "calls")} == set("abc")


def test_gateways_share_one_file(start: StartGateway, endpoint: ScriptedEndpoint) -> None:
    first, second = start(model(endpoint.url)), start(model(endpoint.url))
    ask(first, "one")
    ask(second, "one")
    ask(second, "two")
    ask(first, "two")
    assert len(endpoint.asked) == 2


@pytest.mark.parametrize("change", ["response = replace(response, 'yes', 'no')", "tokens_in = 1", "key = 'ff' || key"])
def test_a_changed_answer_is_not_believed(
    start: StartGateway, endpoint: ScriptedEndpoint, cache: Path, change: str
) -> None:
    endpoint.script = [answer("yes")]
    gateway = start(model(endpoint.url))
    ask(gateway)
    with closing(sqlite3.connect(cache)) as connection, connection:
        connection.execute(f"UPDATE answers SET {change}")
    (key,) = {row["key"] for row in rows(cache, "answers")}
    with (
        closing(Cache(cache)) as opened,
        pytest.raises(UserError, match=f"the answer {key} is not as it was written"),
    ):
        opened.find(key, endpoint.url)
