"""A system that calls the gateway itself: its requests are answered, metered by case and attributed to it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from forgeteval.cases.case import Case
from forgeteval.embed.embedder import CachedEmbedder
from forgeteval.errors import UserError
from lethe.config.chat_models import ModelConfig
from lethe.gateway.chat import Mode
from lethe.gateway.server import Gateway
from lethe.jobs.services import asking_system
from lethe.systems.registry import build_adapter
from tests.support.bench import Bench, HashEmbedder, make_case
from tests.support.disturbed import kept
from tests.support.scripted_endpoint import ScriptedEndpoint, ScriptedServer, answer, refuse

CASES = [make_case(f"c{number}", [f"fact {number}"] * number, "fact", [f"fact {number}"]) for number in (1, 2, 3)]


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    server = ScriptedServer()
    yield server.fresh()
    server.stop()


@pytest.fixture
def switch(tmp_path: Path) -> Path:
    """Orders are obeyed while this file exists."""
    path = tmp_path / "switch"
    path.touch()
    return path


def model(endpoint: ScriptedEndpoint) -> ModelConfig:
    options = {"family": "none", "base_url": endpoint.url, "model": "m", "timeout_s": 20.0, "max_attempts": 1}
    return ModelConfig.from_config("scripted", options)


def run(
    bench: Bench, gateway: Gateway, chat_model: ModelConfig | None, backend: str = "Asking"
) -> list[dict[str, Any]]:
    return bench.run(CASES, backend, services=asking_system(gateway, chat_model, hooked=False))


def test_calls_are_counted_for_the_case_that_made_them(
    bench: Bench, endpoint: ScriptedEndpoint, tmp_path: Path
) -> None:
    endpoint.otherwise = answer("noted")
    chat_model, cache = model(endpoint), tmp_path / "cache.sqlite"
    with Gateway({"scripted": chat_model}, cache, "live", CachedEmbedder({}, HashEmbedder())) as gateway:
        rows = run(bench, gateway, chat_model)
    assert [row["verdict"] for row in rows] == ["pass"] * 3
    assert [row["llm_calls"] for row in rows] == [1, 2, 3]
    assert all(row["tokens_in"] == 100 * row["llm_calls"] for row in rows)
    with closing(sqlite3.connect(cache)) as opened:
        logged = opened.execute(
            "SELECT suite, system, case_id, purpose, count(*) FROM calls GROUP BY case_id"
        ).fetchall()
    assert logged == [("bench", "sut", f"c{number}", "system", number) for number in (1, 2, 3)]


def test_a_system_that_asks_for_vectors_alone_needs_no_model(bench: Bench, tmp_path: Path) -> None:
    embedder = HashEmbedder()
    with Gateway({}, tmp_path / "cache.sqlite", "off", CachedEmbedder({}, embedder)) as gateway:
        rows = run(bench, gateway, None, "AskingForVectors")
    assert [row["verdict"] for row in rows] == ["fail"] * 3
    assert [row["llm_calls"] for row in rows] == [0, 0, 0]
    expected = embedder.embed(["fact"])[0]
    np.testing.assert_allclose(np.array(eval(rows[0]["recalled"][0])), expected, atol=1e-6)
    assert not (tmp_path / "cache.sqlite").exists()


def test_a_model_that_never_answers_ends_the_run_in_one_line(
    bench: Bench, endpoint: ScriptedEndpoint, tmp_path: Path
) -> None:
    endpoint.otherwise = refuse(503)
    chat_model = model(endpoint)
    ended = r"^sut: model scripted: \S+ answered 503 .*; kept: \d of 3 trials, in"
    with (
        Gateway({"scripted": chat_model}, tmp_path / "cache", "live", CachedEmbedder({}, HashEmbedder())) as gateway,
        pytest.raises(UserError, match=ended),
    ):
        run(bench, gateway, chat_model)


def broken(switch: Path, *facts: str) -> list[Case]:
    """Two cases that break at their last fact."""
    return [make_case(f"b{number}", [*facts, f"!fail {switch}"], "fact", ["fact"]) for number in (1, 2)]


def test_a_run_of_errors_alone_in_which_the_model_was_never_asked_is_no_result(
    bench: Bench, endpoint: ScriptedEndpoint, tmp_path: Path, switch: Path
) -> None:
    chat_model, embedder = model(endpoint), CachedEmbedder({}, HashEmbedder())
    with Gateway({"scripted": chat_model}, tmp_path / "cache", "live", embedder) as gateway:
        services = asking_system(gateway, chat_model, hooked=False)
        with pytest.raises(UserError, match=r"sut on bench: every one of 2 trials broke, .* the shelf fell down"):
            bench.run(broken(switch), "Obedient", services=services)
    assert endpoint.asked == [] and kept(bench) == []


@pytest.mark.parametrize("mode", ["live", "replay", "recorded"])
def test_a_run_of_errors_alone_in_which_the_gateway_refused_every_request_is_no_result(
    bench: Bench, endpoint: ScriptedEndpoint, tmp_path: Path, mode: Mode
) -> None:
    chat_model, embedder = model(endpoint), CachedEmbedder({}, HashEmbedder())
    with Gateway({"scripted": chat_model}, tmp_path / "cache", mode, embedder) as gateway:
        services = asking_system(gateway, chat_model.model_copy(update={"name": "another"}), hooked=False)
        with pytest.raises(UserError, match=r"every one of 3 trials broke, .*no model 'another'"):
            bench.run(CASES, "Asking", services=services)
    assert endpoint.asked == [] and kept(bench) == []


@pytest.mark.parametrize("mode", ["live", "replay", "recorded"])
def test_errors_alone_after_the_model_said_something_are_a_result(
    bench: Bench, endpoint: ScriptedEndpoint, tmp_path: Path, switch: Path, mode: Mode
) -> None:
    chat_model, embedder, cases = model(endpoint), CachedEmbedder({}, HashEmbedder()), broken(switch, "a fact")
    for each in ("live", mode):
        with Gateway({"scripted": chat_model}, tmp_path / "cache", each, embedder) as gateway:
            rows = bench.run(cases, "Asking", services=asking_system(gateway, chat_model, hooked=False))
        assert ["the shelf fell down" in row["error"] for row in rows] == [True, True]


def test_recorded_answers_that_every_trial_lacks_are_a_result(
    bench: Bench, endpoint: ScriptedEndpoint, tmp_path: Path
) -> None:
    chat_model, embedder = model(endpoint), CachedEmbedder({}, HashEmbedder())
    with Gateway({"scripted": chat_model}, tmp_path / "cache", "recorded", embedder) as gateway:
        rows = run(bench, gateway, chat_model)
    assert ["replay: the cache has no answer" in row["error"] for row in rows] == [True] * 3


def test_a_trial_that_lacks_a_recorded_answer_is_an_error_though_the_system_takes_no_notice(
    bench: Bench, endpoint: ScriptedEndpoint, tmp_path: Path
) -> None:
    endpoint.otherwise = answer("noted")
    chat_model, cache, embedder = model(endpoint), tmp_path / "cache.sqlite", CachedEmbedder({}, HashEmbedder())
    with Gateway({"scripted": chat_model}, cache, "live", embedder) as gateway:
        bench.run(CASES[:2], "AskingInVain", services=asking_system(gateway, chat_model, hooked=False))
    with Gateway({"scripted": chat_model}, cache, "recorded", embedder) as gateway:
        rows = run(bench, gateway, chat_model, "AskingInVain")
    assert [row["verdict"] for row in rows] == ["pass", "pass", "error"]
    assert "case 'c3'" in rows[2]["error"]


def test_a_system_that_asks_and_is_given_no_gateway_says_so() -> None:
    with pytest.raises(UserError, match="needs the gateway; add `gateway: embeddings` to its configuration"):
        build_adapter("tests.support.misbehaving:Asking", {}, HashEmbedder())


def test_options_reach_the_constructor_and_unknown_ones_are_named() -> None:
    built: Any = build_adapter("tests.support.misbehaving:Optional", {}, HashEmbedder(), options={"shelves": 3})
    assert built._store.shelves == 3
    for option in ("shelf", "embedder"):
        with pytest.raises(UserError, match=f"Optional has no option '{option}'; remove it"):
            build_adapter("tests.support.misbehaving:Optional", {}, HashEmbedder(), options={option: 3})
