"""Cognee beyond the contract, with a scripted chat model: what it stores, forgets and keeps."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from forgeteval.embed.embedder import CachedEmbedder
from lethe.config.chat_models import ModelConfig
from lethe.environments.build import interpreter
from lethe.gateway.server import Gateway
from lethe.jobs.services import RunServices, asking_system
from tests.support.bench import Bench, TopicEmbedder, make_case
from tests.support.contract import opened_gateway
from tests.support.paths import ENVIRONMENTS
from tests.support.scripted_endpoint import ScriptedServer, answer

pytestmark = [
    pytest.mark.slow,
    pytest.mark.heavy,
    pytest.mark.skipif(not (ENVIRONMENTS / "cognee.freeze.txt").exists(), reason="the environment cognee is not built"),
]
ROW = {"backend": "cognee", "gateway": "chat"}
UNIFORM = {"supersede": "best_match", "release": "largest_gap", "purge": "equal_text"}
CRIMSON, PASSPORT = "the bicycle is painted crimson", "the passport expires in november"
CASES = [
    make_case("purged", [CRIMSON, PASSPORT], "bicycle", [PASSPORT], ["painted crimson"], [("purge", "bicycle")]),
    make_case("after", [PASSPORT], "bicycle", [PASSPORT], ["painted crimson"]),
    make_case("twice", [CRIMSON, CRIMSON, PASSPORT], "bicycle", [CRIMSON]),
    make_case("path", ["/etc/hostname", "https://example.invalid/", PASSPORT], "hostname", ["/etc/hostname"]),
]


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, dict[str, Any]]]:
    folder = tmp_path_factory.mktemp("cognee")
    yield {row["case_id"]: row for row in run(folder, UNIFORM)}


def run(folder: Path, policies: dict[str, str]) -> list[dict[str, Any]]:
    with opened_gateway(ROW, folder) as services:
        return run_with(services, folder, policies)


def run_with(services: RunServices, folder: Path, policies: dict[str, str]) -> list[dict[str, Any]]:
    return Bench(folder).run(
        CASES,
        "cognee",
        policies=policies,
        python=interpreter(ENVIRONMENTS, "cognee"),
        embedder=TopicEmbedder(),
        services=services,
        limit_s=300.0,
        start_timeout_s=300.0,
    )


def test_a_forgotten_document_is_recalled_no_more_but_stays_in_the_logs(rows: dict[str, dict[str, Any]]) -> None:
    assert (rows["purged"]["verdict"], rows["purged"]["probed_verdict"]) == ("pass", "pass")
    assert rows["purged"]["residue"] == 1


def test_a_reset_leaves_nothing(rows: dict[str, dict[str, Any]]) -> None:
    assert (rows["after"]["verdict"], rows["after"]["recalled"]) == ("pass", [PASSPORT])
    assert rows["after"]["residue"] == 0


def test_each_inscribed_fact_asks_the_model_twice(rows: dict[str, dict[str, Any]]) -> None:
    facts = {case.case_id: len(case.setup_facts) for case in CASES}
    assert {case_id: row["llm_calls"] for case_id, row in rows.items()} == {name: 2 * facts[name] for name in facts}


def test_equal_facts_are_kept_as_two(rows: dict[str, dict[str, Any]]) -> None:
    assert sorted(rows["twice"]["recalled"]) == [CRIMSON, CRIMSON, PASSPORT]


def test_a_text_that_reads_like_a_path_or_an_address_is_a_text(rows: dict[str, dict[str, Any]]) -> None:
    assert sorted(rows["path"]["recalled"]) == ["/etc/hostname", "https://example.invalid/", PASSPORT]


def test_under_the_papers_contract_no_case_with_a_mutation_is_run(tmp_path: Path) -> None:
    verdicts = {row["case_id"]: (row["verdict"], row["llm_calls"]) for row in run(tmp_path, {})}
    assert verdicts["purged"] == ("na", 0)
    assert verdicts["after"] == ("pass", 2)


def test_answers_that_fit_no_schema_are_errors_at_once(tmp_path: Path) -> None:
    """Cognee would repeat such a request for four minutes at least."""
    server = ScriptedServer()
    endpoint = server.fresh()
    endpoint.otherwise = answer("I would rather not")
    options = {"family": "scripted", "base_url": endpoint.url, "model": "scripted", "timeout_s": 20.0}
    model = ModelConfig.from_config("scripted", options)
    with Gateway({"scripted": model}, tmp_path / "cache", "live", CachedEmbedder({}, TopicEmbedder())) as gateway:
        rows = run_with(asking_system(gateway, model, hooked=False), tmp_path, UNIFORM)
    server.stop()
    assert [row["verdict"] for row in rows] == ["error"] * len(CASES)
    assert all("Invalid JSON" in row["error"] for row in rows)
    assert all(row["llm_calls"] <= 8 * len(case.setup_facts) for row, case in zip(rows, CASES, strict=True))
