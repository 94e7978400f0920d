"""The record of the configuration."""

import json
from typing import Any

import pytest

from lethe.analysis.setup import Setup
from lethe.errors import LetheError
from tests.support.config import shipped
from tests.support.tables import setup


@pytest.fixture
def config() -> dict[str, Any]:
    return shipped()


def test_the_record_survives_json(config: dict[str, Any]) -> None:
    record = Setup.from_config(config)
    again = Setup.from_json(json.loads(json.dumps(record.to_json())))
    assert again.to_json() == json.loads(json.dumps(record.to_json()))
    assert again.configurations == record.configurations and again.benchmarks == record.benchmarks


def test_the_record_names_what_runs(config: dict[str, Any]) -> None:
    config["llm"]["answers"] = "no-answers"
    record = Setup.from_config(config)
    assert list(record.suites) == ["template", "adversarial", "held_out", "adversarial_sample"]
    assert list(record.empty_suites) == ["external", *record.release.suites.values(), "letta_core_memory"]
    assert "no-data/adversarial_385.jsonl" in record.empty_suites["published"].reason
    assert record.release.absent == "not run: no data at release.path (no-data)" and record.compared_suites() == {}
    assert record.reference_label == "Lethe"
    assert record.of_system("lethe+llm") == [f"lethe+llm@{model}" for model in record.models]
    reason = "not run: no answers recorded; switch the model on with llm.serve: [smollm2-135m]"
    assert record.suites["adversarial"].not_run["lethe+llm@smollm2-135m"] == reason
    assert "null" not in record.measured() and "lethe" in record.measured()
    assert record.compared_with_matcher()[:2] == ["lethe", "lethe+matcher"]
    assert "oracle" in record.store_size.configurations and "null" not in record.store_size.configurations


def test_further_embedders_are_run_or_say_why_not(config: dict[str, Any]) -> None:
    ablation = Setup.from_config(config).embedder_ablation
    chosen = config["embedder_ablation"]["embedders"]
    assert ablation.embedders_to_run() == chosen and set(ablation.configurations) == set(
        config["embedder_ablation"]["systems"]
    )
    reason = "not run: left out by embedder_ablation.embedders (it needs a model hub)"
    assert ablation.embedders["paraphrase-multilingual-MiniLM-L12-v2"] == reason
    other = {
        **config,
        "embedder": {**config["embedder"], "name": "some/multilingual-e5-small"},
        "embedder_ablation": {"embedders": [], "systems": ["lethe+llm", "lethe"]},
    }
    without = Setup.from_config(other)
    assert without.embedder not in without.embedder_ablation.embedders
    assert without.embedder_ablation.configurations == ["lethe"]


def test_judges_are_named_unless_no_model_is_asked(config: dict[str, Any]) -> None:
    models = {"models": {"j": {"label": "J", "base_url": "x", "model": "m"}}}
    asked = {**config, **models, "llm": {**config["llm"], "judges": ["j"]}}
    assert Setup.from_config(asked).judges == {"j": "J"}
    off = Setup.from_config({**asked, "llm": {**asked["llm"], "mode": "off"}})
    assert (off.judges, off.no_judge) == ({}, "not run: llm.mode is off")


@pytest.mark.parametrize(
    "changes", [{"scorer": None, "more": 1}, {"suites": {"mine": {"label": "Mine"}}}, {"suites": 3}, {"store_size": {}}]
)
def test_what_is_no_record_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(LetheError, match="not a record of a configuration"):
        Setup.from_json({**setup().to_json(), **changes})
