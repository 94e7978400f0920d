"""Which rows run on which benchmark, and the reason of those that do not."""

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from lethe.crosseval.datasets import data_stamp, load_histories
from lethe.crosseval.selection import (
    BENCHMARKS,
    crosseval_configurations,
    crosseval_reasons,
    equal_runs,
    lengths_of,
    reading_options,
    reason_absent,
)
from tests.support.config import mistake, of
from tests.support.paths import ROOT

DATA = ROOT / "tests" / "crosseval" / "data"


@pytest.fixture
def config() -> dict[str, Any]:
    """The shipped configuration with the small data of this folder, and one chat model."""
    merged: dict[str, Any] = {}
    for name in ("config.yaml", "suites.yaml", "systems.yaml", "models.yaml", "embedders.yaml"):
        merged.update(yaml.safe_load((ROOT / "config" / name).read_text(encoding="utf-8")))
    merged = copy.deepcopy(merged)
    merged["datasets"] = str(DATA)
    merged["models"] = {"small": {"family": "none", "base_url": "http://127.0.0.1:9/v1", "model": "small"}}
    return merged


def test_every_benchmark_has_its_options_and_a_loader(config: dict[str, Any]) -> None:
    of(config)
    for benchmark in BENCHMARKS:
        assert reason_absent(of(config), benchmark) is None
        assert load_histories(benchmark, reading_options(of(config), benchmark))


def test_the_memory_systems_and_the_controls_run_but_for_the_oracle(config: dict[str, Any]) -> None:
    assert "lethe+llm@small" not in crosseval_configurations(of(config), "memora"), (
        "it costs money, and is not asked for"
    )
    config["models"]["small"]["suites"] = "all"
    rows = crosseval_configurations(of(config), "memora")
    assert {"lethe", "mem0", "langgraph", "mempalace", "naive_sql", "lethe+llm@small", "null", "verbatim"} <= set(rows)
    assert "oracle" not in rows
    assert crosseval_reasons(of(config), "memora")["oracle"] == "not run: the benchmark gives no gold rows"


def test_configurations_that_differ_in_mutations_alone_share_a_run_where_there_are_none(config: dict[str, Any]) -> None:
    equal = equal_runs(of(config), "factcons")
    assert (equal["chroma+uniform"], equal["lethe+matcher"], equal["lethe+llm@small"]) == ("chroma", "lethe", "lethe")
    assert not {"mempalace", "mempalace+delete"} & equal.keys(), "they recall by other options"
    assert not {*equal.values()} & equal.keys()
    assert [equal_runs(of(config), benchmark) for benchmark in ("memora", "longmemeval")] == [{}, {}]


def test_the_run_with_most_histories_is_the_one_that_is_shared(config: dict[str, Any]) -> None:
    config["crosseval"]["factcons_lengths"] |= {length: ["lethe+matcher"] for length in ("64k", "262k")}
    equal = equal_runs(of(config), "factcons")
    assert (equal["lethe"], equal["lethe+llm@small"]) == ("lethe+matcher", "lethe+matcher")


def test_a_hook_has_nothing_to_decide_where_nothing_is_mutated(config: dict[str, Any]) -> None:
    assert "lethe+llm@small" in crosseval_configurations(of(config), "factcons")
    config["models"]["small"]["suites"] = "all"
    assert "lethe+llm@small" not in crosseval_configurations(of(config), "longmemeval")
    assert "never decides" in crosseval_reasons(of(config), "longmemeval")["lethe+llm@small"]


@pytest.mark.parametrize("change", ["mode", "models"])
def test_where_nothing_is_mutated_a_hook_needs_no_model(config: dict[str, Any], change: str) -> None:
    if change == "mode":
        config["llm"]["mode"], hooked = "off", "lethe+llm@small"
    else:
        config["models"], hooked = {}, "lethe+llm"
    assert hooked in crosseval_configurations(of(config), "factcons")
    assert equal_runs(of(config), "factcons")[hooked] == "lethe"
    assert hooked in crosseval_reasons(of(config), "memora")
    config["run"]["systems"] = ["langgraph", "lethe+llm"]
    assert hooked in crosseval_reasons(of(config), "factcons"), "its store does not run"


def test_a_store_is_asked_once_where_no_share_is_shown(config: dict[str, Any]) -> None:
    rows = crosseval_configurations(of(config), "locomo")
    assert {"lethe", "langgraph", "naive_sql", "mempalace", "mempalace+delete", "chroma"} <= set(rows)
    assert not {"chroma+uniform", "lethe+matcher", "lethe+llm@small", "oracle"} & set(rows)
    assert crosseval_reasons(of(config), "locomo")["chroma+uniform"].endswith("its store is asked under another name")


def test_a_further_configuration_of_a_store_takes_no_share_from_it(config: dict[str, Any]) -> None:
    before = crosseval_configurations(of(config), "locomo")
    second = {"label": "Second", "regime": "deterministic", "backend": "naive_sql", "environment": "pipeline"}
    config["systems"] = {"second": second, **config["systems"]}
    assert crosseval_configurations(of(config), "locomo") == before


def test_systems_can_be_chosen_by_name_or_row(config: dict[str, Any]) -> None:
    config["models"]["small"]["suites"] = "all"
    config["run"]["only"] = {"memora": ["naive_sql", "lethe+llm@small"]}
    assert crosseval_configurations(of(config), "memora") == ["naive_sql", "lethe+llm@small"]
    assert crosseval_reasons(of(config), "memora")["mem0"] == "not run: left out by run.only.memora"
    config["run"]["systems"] = ["lethe", "mem0"]
    assert crosseval_configurations(of(config), "memora") == []


def test_absent_data_names_the_path_and_the_remedy(config: dict[str, Any]) -> None:
    config["datasets"] = "no"
    wanted = "not run: no data at no/longmemeval/longmemeval_s_cleaned.json; `forgeteval fetch longmemeval` brings it"
    assert reason_absent(of(config), "longmemeval") == wanted
    assert crosseval_configurations(of(config), "longmemeval") == []
    wanted = "not run: no data at no/locomo/locomo10.json; `forgeteval fetch locomo` brings it"
    assert reason_absent(of(config), "locomo") == wanted
    config["run"]["workloads"] = ["memora"]
    assert reason_absent(of(config), "longmemeval") == "not run: left out by run.workloads"


def test_long_lengths_are_for_the_systems_that_are_named(config: dict[str, Any]) -> None:
    assert lengths_of(of(config), "lethe") == ["6k", "32k", "64k", "262k"]
    assert lengths_of(of(config), "mem0") == ["6k", "32k"]
    config["crosseval"]["factcons_lengths"] |= {length: ["lethe+llm@small"] for length in ("64k", "262k")}
    assert lengths_of(of(config), "lethe+llm@small") == ["6k", "32k", "64k", "262k"]
    assert lengths_of(of(config), "lethe") == ["6k", "32k"]


def test_no_length_is_read_that_no_row_runs_on(config: dict[str, Any]) -> None:
    options = reading_options(of(config), "factcons")
    assert options["lengths"] == ["6k", "32k", "64k", "262k"] and not {"url", "sha256"} & options.keys()
    config["run"]["only"] = {"factcons": ["mem0"]}
    assert reading_options(of(config), "factcons")["lengths"] == ["6k", "32k"]


def test_an_unknown_system_is_named_with_its_key(config: dict[str, Any]) -> None:
    config["crosseval"]["factcons_lengths"]["6k"] = ["lehte"]
    assert mistake(config).startswith("config: crosseval.factcons_lengths.6k: unknown name 'lehte'")


def test_the_stamp_turns_on_the_files(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.json").write_text("1", encoding="utf-8")
    before = data_stamp(tmp_path)
    assert data_stamp(tmp_path) == before
    (tmp_path / "a" / "two.json").write_text("2", encoding="utf-8")
    assert data_stamp(tmp_path) != before
    assert data_stamp(tmp_path / "none") != before
