"""Mem0 with `infer=True` in front of a scripted model: what is asked, what is stored and what stays behind."""

import datetime
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import Response

from forgeteval.embed.embedder import CachedEmbedder
from lethe.config.chat_models import ModelConfig
from lethe.gateway.server import Gateway
from lethe.jobs.services import asking_system
from tests.support.bench import Bench, HashEmbedder, make_case
from tests.support.contract import BYSTANDERS, CRIMSON, EMERALD, EVERYTHING, python_in
from tests.support.scripted_endpoint import ScriptedEndpoint, ScriptedServer, completion
from tests.support.scripted_mem0_infer import answer

pytestmark = pytest.mark.slow

PAPER = {"supersede": "add_only", "release": "largest_gap", "purge": "largest_gap"}
UNIFORM = {"supersede": "best_match", "release": "largest_gap", "purge": "best_match"}
FACTS = [CRIMSON, *BYSTANDERS]


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    server = ScriptedServer()
    yield server.fresh()
    server.stop()


def run(
    folder: Path,
    endpoint: ScriptedEndpoint,
    policies: Mapping[str, str],
    cases: list[Any],
    content: Callable[[Mapping[str, Any]], str] = answer,
) -> dict[str, dict[str, Any]]:
    """Trials by case, with a model that answers `content` of each request."""

    async def scripted(asked: dict[str, Any]) -> Response:
        return Response(json.dumps(completion(content(asked))), media_type="application/json")

    endpoint.otherwise = scripted
    options = {"family": "scripted", "base_url": endpoint.url, "model": "scripted"}
    model, embedder = ModelConfig.from_config("scripted", options), CachedEmbedder({}, HashEmbedder())
    with Gateway({"scripted": model}, folder / "cache.sqlite", "live", embedder) as gateway:
        rows = Bench(folder).run(
            cases,
            "mem0_infer",
            policies=policies,
            python=python_in("mem0"),
            embedder=HashEmbedder(),
            services=asking_system(gateway, model, hooked=False),
            start_timeout_s=120.0,
        )
    return {row["case_id"]: row for row in rows}


def user_prompts(endpoint: ScriptedEndpoint) -> list[str]:
    return [asked["messages"][-1]["content"] for asked in endpoint.asked]


def test_every_fact_costs_one_call_and_nothing_else_does(tmp_path: Path, endpoint: ScriptedEndpoint) -> None:
    rows = run(tmp_path, endpoint, UNIFORM, [
        make_case("recall", FACTS, EVERYTHING, FACTS),
        make_case("supersede", FACTS, EVERYTHING, [EMERALD], ["crimson"], [("supersede", CRIMSON, EMERALD)]),
        make_case("purge", FACTS, EVERYTHING, BYSTANDERS, ["crimson"], [("purge", CRIMSON)]),
    ])  # fmt: skip
    assert {name: (row["verdict"], row["llm_calls"]) for name, row in rows.items()} == {
        "recall": ("pass", 4), "supersede": ("pass", 5), "purge": ("pass", 4),
    }  # fmt: skip


def test_the_model_is_asked_for_json_and_told_what_is_stored_but_not_the_day(
    tmp_path: Path, endpoint: ScriptedEndpoint
) -> None:
    run(tmp_path, endpoint, PAPER, [make_case("one", FACTS, EVERYTHING)])
    assert {asked["response_format"]["type"] for asked in endpoint.asked} == {"json_object"}
    asked = json.dumps(endpoint.asked)
    assert datetime.datetime.now(datetime.UTC).date().isoformat() not in asked
    assert "## Current Date\n2026-01-01" in user_prompts(endpoint)[0]
    stored = user_prompts(endpoint)[-1].split("## Existing Memories\n")[1].split("\n")[0]
    assert sorted(memory["text"] for memory in json.loads(stored)) == sorted(FACTS[:-1])


def test_the_papers_reading_leaves_a_contradiction_to_the_model_which_keeps_both(
    tmp_path: Path, endpoint: ScriptedEndpoint
) -> None:
    case = make_case("c", FACTS, EVERYTHING, [EMERALD], ["crimson"], [("supersede", CRIMSON, EMERALD)])
    row = run(tmp_path, endpoint, PAPER, [case])["c"]
    assert (row["verdict"], row["leaked"]) == ("fail", ["crimson"])
    assert EMERALD in row["recalled"]


def test_recall_returns_what_the_model_wrote(tmp_path: Path, endpoint: ScriptedEndpoint) -> None:
    def two_facts(asked: Mapping[str, Any]) -> str:
        return json.dumps({"memory": [{"id": "0", "text": "User owns a bicycle"}, {"id": "1", "text": "It is red"}]})

    row = run(tmp_path, endpoint, PAPER, [make_case("c", [CRIMSON], "bicycle", [], ["crimson"])], two_facts)["c"]
    assert sorted(row["recalled"]) == ["It is red", "User owns a bicycle"]


@pytest.mark.parametrize("said", ["no JSON at all", '{"memory": [{"id": "0", "text": "half', '{"memory": []}'])
def test_a_fact_is_lost_without_an_error_where_the_model_answers_nothing_usable(
    said: str, tmp_path: Path, endpoint: ScriptedEndpoint
) -> None:
    """Mem0's own doing: it logs the answer and stores nothing."""
    row = run(tmp_path, endpoint, PAPER, [make_case("c", FACTS, "bicycle", [CRIMSON])], lambda asked: said)["c"]
    assert (row["verdict"], row["recalled"], row["llm_calls"]) == ("fail", [], 4)


def test_a_purged_fact_stands_in_the_next_prompt(tmp_path: Path, endpoint: ScriptedEndpoint) -> None:
    """Deletion does not reach the messages that Mem0 keeps beside its memories, and shows the model again."""
    mutations = [("purge", CRIMSON), ("supersede", BYSTANDERS[0], "passport renewed")]
    row = run(tmp_path, endpoint, UNIFORM, [make_case("c", FACTS, EVERYTHING, [], ["crimson"], mutations)])["c"]
    assert (row["verdict"], row["residue"]) == ("pass", 1)
    last = user_prompts(endpoint)[-1]
    assert "crimson" in last.split("## Last k Messages\n")[1].split("\n\n## ")[0]
    assert "crimson" not in last.split("## Existing Memories\n")[1]


def test_no_message_of_one_case_is_shown_in_the_next(tmp_path: Path, endpoint: ScriptedEndpoint) -> None:
    run(tmp_path, endpoint, PAPER, [make_case("first", [CRIMSON], "bicycle"), make_case("second", BYSTANDERS, "piano")])
    assert [("crimson" in prompt) for prompt in user_prompts(endpoint)] == [True, False, False, False]
