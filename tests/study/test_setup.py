"""The record of the configuration."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from forgeteval.errors import UserError
from lethe.config.model import RELEASED_FILES
from lethe.stored.answers import RecordedRun, write_index
from lethe.study.configured import setup_of
from lethe.study.setup import Judge, Setup
from tests.support.config import of, shipped
from tests.support.tables import setup


@pytest.fixture
def config() -> dict[str, Any]:
    return shipped()


def test_the_record_survives_json(config: dict[str, Any]) -> None:
    record = setup_of(of(config))
    again = Setup.from_json(json.loads(json.dumps(record.to_json())))
    assert again.to_json() == json.loads(json.dumps(record.to_json()))
    assert again.configurations == record.configurations and again.benchmarks == record.benchmarks


def test_the_record_names_what_runs(config: dict[str, Any]) -> None:
    config["llm"]["answers"] = "no-answers"
    config["run"]["workloads"] += ["store_size", "told"]
    record = setup_of(of(config))
    assert list(record.suites) == [
        "template",
        "adversarial",
        "held_out",
        "twins",
        "owners",
        "languages",
        "adversarial_sample",
    ]
    assert list(record.empty_suites) == ["external", *record.release.suites.values(), "letta_core_memory"]
    assert "no-data/adversarial_385.jsonl" in record.empty_suites["published"].reason
    assert (
        record.release.absent == "not run: no data at no-data/forgeteval/verdicts.csv (they cannot be fetched)"
        and record.compared_suites() == {}
    )
    assert record.reference_label == "Lethe"
    assert record.of_system("lethe+llm") == [f"lethe+llm@{model}" for model in record.models]
    reason = "not run: no answers recorded; switch the model on with llm.serve: [smollm2-135m]"
    assert record.suites["adversarial"].not_run["lethe+llm@smollm2-135m"] == reason
    assert "null" not in record.measured() and "lethe" in record.measured()
    assert record.compared_with_matcher()[:2] == ["lethe", "lethe+matcher"]
    assert {"lethe", "oracle"} <= set(record.told) and "lethe+llm" not in record.told
    assert "oracle" in record.store_size.configurations and "null" not in record.store_size.configurations


def test_the_record_has_the_checksum_of_every_released_file(config: dict[str, Any], tmp_path: Path) -> None:
    assert setup_of(of(config)).release.sha256 == {}
    config["datasets"] = str(tmp_path)
    (tmp_path / "forgeteval").mkdir()
    for name in RELEASED_FILES:
        (tmp_path / "forgeteval" / name).write_text(name, encoding="utf-8")
    release = setup_of(of(config)).release
    assert release.absent is None and release.sha256.keys() == {*RELEASED_FILES}
    assert release.sha256["verdicts.csv"] == hashlib.sha256(b"verdicts.csv").hexdigest()


def test_further_embedders_are_run_or_say_why_not(config: dict[str, Any]) -> None:
    ablation = setup_of(of(config)).embedder_ablation
    assert ablation.embedders_to_run() == config["run"]["embedders"]
    assert set(ablation.configurations) == set(config["run"]["only"]["embedders"])
    reason = "not run: left out by run.embedders (it needs a model hub)"
    assert ablation.embedders["paraphrase-multilingual-MiniLM-L12-v2"] == reason
    other = {
        **config,
        "embedder": "some/multilingual-e5-small",
        "run": {**config["run"], "embedders": [], "only": {"embedders": ["lethe+llm", "lethe"]}},
    }
    without = setup_of(of(other))
    assert without.embedder not in without.embedder_ablation.embedders
    assert without.embedder_ablation.configurations == ["lethe"]


def test_judges_are_named_unless_no_model_is_asked(config: dict[str, Any]) -> None:
    judge = {"label": "J", "family": "f", "base_url": "http://h/v1", "model": "m", "systems": []}
    asked = {**config, "models": {"j": judge}}
    record = setup_of(of(asked))
    assert record.judges == {"j": Judge("J", "f", False, {})} and record.models == {}
    assert record.judging("adversarial") == ["j"] and record.judging("held_out") == []
    off = setup_of(of({**asked, "llm": {**asked["llm"], "mode": "off"}}))
    assert (off.judges, off.no_judge) == ({}, "not run: llm.mode is off")


def test_a_served_judge_needs_recorded_answers_or_the_switch(config: dict[str, Any], tmp_path: Path) -> None:
    config["llm"]["answers"] = str(tmp_path)
    name = "smollm2-135m-judge"
    reason = f"not run: no answers recorded; switch the model on with llm.serve: [{name}]"
    silent = setup_of(of(config))
    assert silent.judging("adversarial") == [] and silent.judges[name].not_run["adversarial"] == reason
    assert not {*silent.models, *(entry.model for entry in silent.configurations.values())} & silent.judges.keys()

    write_index(tmp_path, [RecordedRun(name, "adversarial", "judge", 385, 1)])
    thrice = {**config["models"][name], "repetitions": 3}
    recorded = setup_of(of({**config, "models": {**config["models"], name: thrice}}))
    assert recorded.judging("adversarial") == [name] and recorded.judges[name].recorded
    assert recorded.judges[name].not_run == {"published": reason}

    live = setup_of(of({**config, "llm": {**config["llm"], "serve": [name]}}))
    assert live.judges[name] == Judge("SmolLM2 135M", "smollm2", False, {})


@pytest.mark.parametrize(
    "changes", [{"scorer": None, "more": 1}, {"suites": {"mine": {"label": "Mine"}}}, {"suites": 3}, {"store_size": {}}]
)
def test_what_is_no_record_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(UserError, match="not a record of a configuration"):
        Setup.from_json({**setup().to_json(), **changes})
