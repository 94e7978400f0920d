"""A chat model from Python: what it is sent, what is kept under which key, and replaying it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openai
import pytest

from forgeteval import evaluate
from forgeteval.chat import LLM
from forgeteval.chat.attempts import httpx2, told
from forgeteval.chat.endpoint import ChatEndpoint
from forgeteval.chat.keys import answer_key
from forgeteval.chat.llm import model_planner
from forgeteval.errors import UserError
from forgeteval.planners.chat import ChatOptions
from forgeteval.planners.llm.client import chat_body
from forgeteval.planners.llm.planner import build_prompt
from forgeteval.planners.llm.rows import RowsPlanner
from forgeteval.planners.protocol import PlannerUnavailable, Shown
from lethe.config.chat_models import ModelConfig
from lethe.gateway.requests import ChatRequest
from tests.gateway.conftest import KEY, KEY_VARIABLE
from tests.support.scripted_endpoint import ScriptedEndpoint, ScriptedServer, answer, refuse, takes
from tests.support.scripted_planner import ListBackend, candidates

NONE = '{"whole": [], "in_part": []}'
SHOWN = candidates("Ana has key 3")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORGETEVAL_CACHE", str(tmp_path))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.fixture
def llm(endpoint: ScriptedEndpoint) -> Callable[..., LLM]:
    endpoint.otherwise = answer(NONE)
    return lambda **options: LLM("small", **{"base_url": endpoint.url, "api_key_env": None, **options})


def test_a_model_has_a_full_column_and_its_replay_asks_nobody(
    llm: Callable[..., LLM], endpoint: ScriptedEndpoint
) -> None:
    live = evaluate(ListBackend, "adversarial", hook=llm(), limit=5, controls=False)
    asked = len(endpoint.asked)
    assert live.count("error") == 0 and asked >= 5
    replayed = evaluate(ListBackend, "adversarial", hook=llm(mode="replay", base_url=None), limit=5, controls=False)
    assert [trial.verdict for trial in replayed.trials] == [trial.verdict for trial in live.trials]
    assert len(endpoint.asked) == asked


@pytest.fixture
def other() -> Iterator[ScriptedEndpoint]:
    server = ScriptedServer()
    yield server.fresh()
    server.stop()


def test_an_answer_is_that_of_its_endpoint_alone(
    llm: Callable[..., LLM], endpoint: ScriptedEndpoint, other: ScriptedEndpoint
) -> None:
    other.otherwise = answer('{"whole": [0], "in_part": []}')
    first = model_planner(llm()).purge("key 3", SHOWN)
    second = model_planner(llm(base_url=other.url)).purge("key 3", SHOWN)
    assert first != second and (len(endpoint.asked), len(other.asked)) == (1, 1)
    assert model_planner(llm(base_url=f"{other.url}/", mode="replay")).purge("key 3", SHOWN) == second
    with pytest.raises(PlannerUnavailable, match="both answered this; name one by base_url"):
        model_planner(llm(base_url=None, mode="replay")).purge("key 3", SHOWN)


def test_replay_ends_where_an_answer_is_lacking(llm: Callable[..., LLM]) -> None:
    with pytest.raises(UserError, match=r"adversarial, .*-01: replay: no answer of small is kept for rows_"):
        evaluate(ListBackend, "adversarial", hook=llm(mode="replay"), limit=2, controls=False)


def test_the_key_is_that_of_the_workflow() -> None:
    fields = chat_body(ChatOptions("small", 0.0, 512, "object"), build_prompt("rows_purge", {"target": "x"}))
    entry = {"family": "f", "base_url": "http://127.0.0.1:1/v1", "model": "small"}
    asked = {**fields, "model": "m"}
    assert ChatRequest.build(ModelConfig.from_config("m", entry), asked, 0).key == answer_key(fields)


def test_a_variable_of_the_address_that_is_empty_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "")
    assert ChatEndpoint("small", None, KEY, 1.0).address == "https://api.openai.com/v1"


def test_a_reasoning_model_needs_one_word(llm: Callable[..., LLM], endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise = takes("messages", "model", "max_completion_tokens", "response_format", content=NONE)
    planner = model_planner(llm(preset="openai_reasoning"))
    planner.purge("key 3", SHOWN)
    (asked,) = endpoint.asked
    assert asked["max_completion_tokens"] == 16384
    assert asked["response_format"]["json_schema"]["strict"] is True
    model_planner(llm()).purge("key 4", SHOWN)
    assert "temperature" not in endpoint.asked[-1] and "max_tokens" not in endpoint.asked[-1]


def test_an_empty_answer_is_not_kept(llm: Callable[..., LLM], endpoint: ScriptedEndpoint) -> None:
    planner = model_planner(llm())
    endpoint.script = [answer(None)]
    with pytest.raises(PlannerUnavailable, match="without content"):
        planner.purge("key 3", SHOWN)
    planner.purge("key 3", SHOWN)
    planner.purge("key 3", SHOWN)
    assert len(endpoint.asked) == 2


def test_the_contract_and_its_candidates_are_the_model_s(llm: Callable[..., LLM]) -> None:
    planner: Any = model_planner(llm(candidates=5))
    assert isinstance(planner, RowsPlanner) and planner.is_shown == Shown(5, 5, 5)
    assert not isinstance(model_planner(llm(contract="paper")), RowsPlanner)


def test_an_unknown_preset_is_said() -> None:
    with pytest.raises(UserError, match="preset 'other': unknown"):
        model_planner(LLM("small", api_key_env=None, preset="other"))


def test_what_is_kept_is_the_completion(llm: Callable[..., LLM], tmp_path: Path) -> None:
    planner: Any = model_planner(llm())
    planner.purge("key 3", SHOWN)
    (row,) = planner.ask._answers._connection.execute("SELECT answer FROM said").fetchall()
    assert json.loads(row[0])["choices"][0]["message"]["content"] == NONE


def ended(llm: LLM, **options: Any) -> str:
    with pytest.raises(UserError) as caught:
        evaluate(ListBackend, "adversarial", hook=llm, limit=20, controls=False, **options)
    return str(caught.value)


@pytest.mark.parametrize("isolated", [False, True])
def test_an_endpoint_where_nothing_listens_ends_the_run_at_once(dead_url: str, isolated: bool) -> None:
    said = ended(LLM("small", base_url=dead_url, api_key_env=None), isolated=isolated)
    assert said == (
        f"adversarial, compound_fact-01: the model's endpoint fails: small: {dead_url} cannot be reached: "
        "nothing listens there; check its address: --base-url or base_url, else OPENAI_BASE_URL"
    )


@pytest.mark.parametrize("variable", ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"])
def test_a_proxy_where_nothing_listens_is_named_by_its_variable_alone(
    dead_url: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv(variable, dead_url.removesuffix("/v1").replace("//", "//user:secret@"))
    said = ended(LLM("small", base_url="https://203.0.113.1/v1", api_key_env=None))
    assert said.endswith(
        f"https://203.0.113.1/v1 cannot be reached: nothing listens at the proxy that {variable} names; "
        f"check {variable}, then its address: --base-url or base_url, else OPENAI_BASE_URL"
    )
    assert "secret" not in said


def test_a_certificate_that_is_not_trusted_is_said_with_its_variable() -> None:
    error = openai.APIConnectionError(request=httpx2.Request("POST", "https://host/v1"))
    error.__cause__ = httpx2.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] self-signed certificate")
    assert "SSL_CERT_FILE can name it" in told(error, 60.0)


def test_a_wrong_key_ends_the_run_and_names_its_variable(llm: Callable[..., LLM], endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise = refuse(401, message="no such key")
    said = ended(llm(api_key_env=KEY_VARIABLE))
    assert said.endswith(f"{endpoint.url} answered 401 (no such key); check the key in {KEY_VARIABLE}")
    assert KEY not in said and len(endpoint.asked) == 1


@pytest.mark.parametrize("before", [0, 4])
def test_an_endpoint_that_fails_three_calls_ends_the_run_and_what_it_said_is_kept(
    llm: Callable[..., LLM], endpoint: ScriptedEndpoint, before: int
) -> None:
    endpoint.script = [answer(NONE)] * before
    endpoint.otherwise = refuse(503, message="overloaded")
    assert "answered 503 (overloaded)" in ended(llm())
    assert len(endpoint.asked) == before + 3 * 3
    endpoint.otherwise = answer(NONE)
    asked = len(endpoint.asked)
    results = evaluate(ListBackend, "adversarial", hook=llm(), limit=20, controls=False)
    calls = sum(len(trial.decisions) for trial in results.trials)
    assert results.count("error") == 0 and len(endpoint.asked) - asked <= calls - before


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"contract": "foo"}, "LLM: contract='foo': unknown; known: 'paper', 'rows'"),
        ({"structured": "foo"}, "LLM: structured='foo': unknown; known: None, 'schema', 'strict', 'object', 'none'"),
        ({"structured": ["object"]}, "LLM: structured=['object']: unknown; known: None, 'schema'"),
        ({"mode": "foo"}, "LLM: mode='foo': unknown; known: 'live', 'replay'"),
        ({"preset": "foo"}, "preset 'foo': unknown; known: "),
        ({"candidates": -1}, "LLM: candidates=-1: give 1 to 100"),
        ({"candidates": 1.5}, "LLM: candidates: has to be a whole number, not float"),
        ({"max_tokens": 0}, "LLM: max_tokens=0: give 1 or more"),
        ({"max_tokens": -7}, "LLM: max_tokens=-7: give 1 or more"),
        ({"max_tokens": True}, "LLM: max_tokens: has to be a whole number, or None, not bool"),
        ({"base_url": 5}, "LLM: base_url: has to be a text, or None, not int"),
        ({"api_key_env": 5}, "LLM: api_key_env: has to be the name of an environment variable, or None, not int"),
        ({"model": ""}, "LLM: model: is empty"),
        ({"model": None}, "LLM: model: has to be a text, not NoneType"),
        ({"temperature": -1}, "LLM: temperature=-1: give 0 or more"),
        ({"temperature": float("nan")}, "LLM: temperature=nan: give 0 or more"),
        ({"timeout_s": 0}, "LLM: timeout_s=0: give seconds, more than 0"),
        ({"timeout_s": float("inf")}, "LLM: timeout_s=inf: give seconds, more than 0"),
        ({"keep": "no"}, "LLM: keep: has to be True or False, not str"),
        ({"drop": "seed"}, "LLM: drop: has to be a list of names, not str"),
        ({"drop": [5]}, "LLM: drop: holds a name that is not a text"),
        ({"rename": {"seed": 5}}, "LLM: rename: holds a name that is not a text"),
        ({"extra_body": [("seed", 5)]}, "LLM: extra_body: has to be a mapping, not list"),
        ({"extra_body": {"seed": float("nan")}}, "LLM: extra_body: cannot be sent as JSON (ValueError: "),
        ({"extra_body": {"seed": {5}}}, "LLM: extra_body: cannot be sent as JSON (TypeError: "),
        ({"extra_body": {"temperature": 0.7}}, "LLM: extra_body: temperature is an argument of its own"),
        ({"extra_body": {"model": "other"}}, "LLM: extra_body: model is part of every request as it is; remove it"),
        ({"extra_body": {"extra_headers": {"X-Api-Key": "sk-1234567890"}}}, "LLM: extra_body: holds a key, which"),
        ({"extra_body": {"stream": True}}, "LLM: extra_body.stream: an answer is asked for as a whole"),
        ({"drop": ["messages"]}, "LLM: drop: messages is part of every request as it is"),
        ({"rename": {"seed": "model"}}, "LLM: rename: model is part of every request as it is"),
    ],
)
def test_an_argument_that_is_none_is_named_with_what_is_known(given: dict[str, Any], told: str) -> None:
    with pytest.raises(UserError) as caught:
        LLM(**{"model": "small", **given})
    assert str(caught.value).startswith(told) and "\n" not in str(caught.value)
