"""What runs: suites and configurations, and the reasons of those that do not."""

from pathlib import Path
from typing import Any

import pytest

from lethe import installed
from lethe.config.selection import (
    all_configurations,
    chosen_suites,
    configurations_to_run,
    erasure_reasons,
    erasure_stores,
    hook_pairs,
    reasons_not_judged,
    reasons_not_run,
    reasons_suite_empty,
    related_suite,
    sampled_suite,
    twinned_suite,
)
from lethe.study.configured import stated_by
from tests.support.config import WITHOUT_CASES, mistake, of, put, with_intake
from tests.support.tables import configurations

_SAMPLE: tuple[list[str], list[str]] = ([], ["twins", "owners", "languages", "adversarial_sample"])


@pytest.mark.parametrize("wanted", ["all", ["template", "adversarial", "held_out", "external"]], ids=["all", "named"])
@pytest.mark.parametrize("state", WITHOUT_CASES)
def test_an_intake_without_cases_is_left_out_and_says_why(
    config: dict[str, Any], tmp_path: Path, state: str, wanted: Any
) -> None:
    changed = put(with_intake(config, tmp_path, state), "run/suites", wanted)
    of(changed)
    assert chosen_suites(of(changed)) == ["template", "adversarial", "held_out", *_SAMPLE[wanted == "all"]]
    reason = f"no cases yet (`forgeteval intake FILE --author NAME --out {tmp_path}/external` takes some in)"
    assert reasons_suite_empty(of(changed))["external"] == reason


@pytest.mark.parametrize("state", [*WITHOUT_CASES, "cases"])
def test_an_intake_that_is_not_asked_for_keeps_no_table(config: dict[str, Any], tmp_path: Path, state: str) -> None:
    changed = put(with_intake(config, tmp_path, state), "run/suites", ["adversarial", "template"])
    of(changed)
    assert chosen_suites(of(changed)) == ["adversarial", "template"]
    assert reasons_suite_empty(of(changed)) == {}


def test_the_matcher_is_not_run_where_its_extra_is_not_installed(
    config: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    hooked = {name for name, entry in all_configurations(of(config)).items() if entry.hook == "matcher"}
    before = reasons_not_run(of(config), "adversarial")
    monkeypatch.setattr(installed, "MODULES", {**installed.MODULES, "matcher": "no_such_module"})
    after = reasons_not_run(of(config), "adversarial")
    changed = {name for name in after if after[name] != before.get(name)}
    assert {"lethe+matcher", "mem0+matcher"} <= changed <= hooked
    assert {after[name] for name in changed} == {"not run: needs the extra matcher (make env-all)"}
    assert not changed & set(configurations_to_run(of(config), "long"))


@pytest.mark.parametrize("wanted", ["all", ["template", "adversarial", "held_out", "external"]], ids=["all", "named"])
def test_an_intake_with_cases_is_run(config: dict[str, Any], tmp_path: Path, wanted: Any) -> None:
    changed = put(with_intake(config, tmp_path, "cases"), "run/suites", wanted)
    of(changed)
    assert chosen_suites(of(changed)) == ["template", "adversarial", "held_out", *_SAMPLE[wanted == "all"], "external"]
    assert "external" not in reasons_suite_empty(of(changed))


def test_a_suite_of_other_authors_is_run_where_its_data_are(config: dict[str, Any], tmp_path: Path) -> None:
    of(config)
    assert "published" not in chosen_suites(of(config))
    reason = reasons_suite_empty(of(config))["published"]
    assert reason == "not run: no data at no-data/adversarial_385.jsonl; `forgeteval fetch published` brings it"
    (tmp_path / "cases.jsonl").touch()
    there = put(config, "suites/published/source", str(tmp_path / "cases.jsonl"))
    assert "published" in chosen_suites(of(there)) and "published" not in reasons_suite_empty(of(there))


def test_a_folder_in_the_place_of_the_cases_is_no_case(config: dict[str, Any], tmp_path: Path) -> None:
    changed = with_intake(config, tmp_path, "no file")
    (tmp_path / "external" / "cases.jsonl").mkdir()
    assert "external" not in chosen_suites(of(changed))
    assert "external" in reasons_suite_empty(of(changed))


def test_all_means_every_configured_name(config: dict[str, Any], tmp_path: Path) -> None:
    config = with_intake(config, tmp_path, "cases")
    assert chosen_suites(of(config)) == [name for name, options in config["suites"].items() if "url" not in options]
    light = {name: entry for name, entry in config["systems"].items() if not {"heavy", "not_run"} & set(entry)}
    asking = {name for name, entry in light.items() if entry.get("hook") == "llm" or entry.get("gateway") == "chat"}
    named = {
        f"{name}@{model}": (name, model)
        for name in asking
        for model, options in config["models"].items()
        if name in options.get("systems", [name])
    }
    of_hook = "not run: no answers recorded; switch the model on with llm.serve: [{}]"
    inside = "not run: the model is not for this suite (models.{}.suites)"
    config["llm"]["answers"] = str(tmp_path)
    reasons = reasons_not_run(of(config), "adversarial")
    assert named and {name: reasons.get(name) for name in named} == {
        name: (of_hook if "hook" in config["systems"][system] and not model.endswith("drawn") else inside).format(model)
        for name, (system, model) in named.items()
    }
    assert configurations_to_run(of(config), "adversarial") == [name for name in light if name not in asking]


def test_a_choice_keeps_its_order_and_gives_the_others_a_reason(config: dict[str, Any]) -> None:
    changed = put(put(config, "run/systems", ["oracle", "lethe"]), "run/suites", ["adversarial", "template"])
    of(changed)
    assert chosen_suites(of(changed)) == ["adversarial", "template"]
    reasons = reasons_not_run(of(changed), "adversarial")
    assert set(reasons) == set(all_configurations(of(config))) - {"oracle", "lethe"}
    assert all("run.systems" in reason for reason in reasons.values())


MODEL = {"family": "f", "base_url": "http://127.0.0.1:1/v1", "model": "m"}


def test_each_model_makes_a_row_of_each_hooked_system(config: dict[str, Any]) -> None:
    changed = put(put(config, "models/one", {**MODEL, "label": "One"}), "models/two", MODEL)
    of(changed)
    rows = all_configurations(of(changed))
    assert rows["lethe+llm@one"].label == "Lethe+LLM (One, contract rows)"
    assert (rows["lethe+llm@one"].hook_contract, rows["lethe+llm@one"].hook_candidates) == ("rows", 20)
    assert rows["lethe+llm@two"].label == "Lethe+LLM (two, contract rows)"
    assert (rows["lethe+llm@two"].system, rows["lethe+llm@two"].model) == ("lethe+llm", "two")
    assert "lethe+llm" not in rows
    assert {"lethe+llm@one", "mem0+llm@two"} < set(configurations_to_run(of(changed), "adversarial"))


SHELF = {"label": "Shelf", "regime": "vec-only", "backend": "my:Shelf", "environment": "pipeline"}


@pytest.mark.parametrize(
    ("extra", "change", "suite", "reason"),
    [
        ({}, {}, "adversarial", None),
        ({"gateway": "embeddings"}, {}, "adversarial", None),
        ({"gateway": "chat"}, {"models": {}}, "adversarial", "not run: no model configured"),
        ({"heavy": True}, {}, "adversarial", "not run: it runs on request alone (run.heavy)"),
        ({"heavy": True}, {"run/heavy": True}, "adversarial", None),
        ({"heavy": True}, {"run/heavy": True}, "template", "too costly for this suite (suites.template.costly"),
        ({"heavy": True}, {"run/heavy": True, "suites/template/costly": True}, "template", None),
        ({"requires": ["no-such-command", "sh"]}, {}, "adversarial", "not run: needs no-such-command on the PATH"),
        ({"requires": ["sh"]}, {}, "adversarial", None),
        ({"hook": "matcher"}, {}, "adversarial", None),
        ({"skip_suites": ["template"]}, {}, "template", "left out of this suite (systems.shelf.skip_suites)"),
        ({"skip_suites": ["template"]}, {}, "adversarial", None),
        ({"not_run": "its makers ended it"}, {"run/heavy": True}, "adversarial", "not run: its makers ended it"),
    ],
)
def test_a_system_says_why_it_does_not_run(
    config: dict[str, Any], extra: dict[str, Any], change: dict[str, Any], suite: str, reason: str | None
) -> None:
    changed = put(config, "systems/shelf", {**SHELF, **extra})
    for key, value in change.items():
        changed = put(changed, key, value)
    of(changed)
    found = reasons_not_run(of(changed), suite).get("shelf")
    assert found is None if reason is None else reason in str(found)
    assert ("shelf" in configurations_to_run(of(changed), suite)) is (reason is None)


@pytest.mark.parametrize("key", ["backend", "environment"])
def test_only_a_system_that_cannot_be_run_has_no_backend(config: dict[str, Any], key: str) -> None:
    without = {name: value for name, value in SHELF.items() if name != key}
    assert mistake(put(config, "systems/shelf", without)).startswith(f"config: systems.shelf.{key}: missing")
    of(put(config, "systems/shelf", {**without, "not_run": "gone"}))


def test_a_system_that_asks_a_model_itself_has_a_row_for_each(config: dict[str, Any]) -> None:
    asking = put(config, "systems/shelf", {**SHELF, "gateway": "chat"})
    assert "shelf@one" not in all_configurations(of(put(asking, "models/one", MODEL))), "a new model is for hooks"
    changed = put(asking, "models/one", {**MODEL, "systems": "all", "suites": "all"})
    assert all_configurations(of(changed))["shelf@one"].model == "one"
    assert "shelf@one" in configurations_to_run(of(changed), "adversarial")


def test_a_judge_is_not_hooked(config: dict[str, Any]) -> None:
    changed = put(config, "models", {"one": MODEL, "two": {**MODEL, "systems": []}})
    assert [row for row in all_configurations(of(changed)) if row.startswith("lethe+llm")] == ["lethe+llm@one"]


def test_a_judge_that_cannot_answer_is_none(config: dict[str, Any]) -> None:
    silent = put(config, "llm/answers", "no-answers")
    of(silent)
    assert reasons_not_judged(of(silent), "adversarial").keys() == {*of(config).judges}
    assert not any("judge" in row for row in all_configurations(of(config)))


@pytest.mark.parametrize(
    ("key", "value", "suite", "reason"),
    [
        ("llm/mode", "off", "adversarial", "not run: llm.mode is off"),
        ("suites/adversarial/costly", False, "adversarial", "too costly"),
        ("run/systems", ["lethe"], "adversarial", "run.systems"),
    ],
)
def test_a_hooked_row_says_why_it_does_not_run(
    config: dict[str, Any], key: str, value: Any, suite: str, reason: str
) -> None:
    changed = put(put(config, "models/one", MODEL), key, value)
    assert reason in reasons_not_run(of(changed), suite)["lethe+llm@one"]
    assert "lethe+llm@one" not in configurations_to_run(of(changed), suite)


def test_a_model_for_hooks_on_one_s_own_suite_names_that_alone(config: dict[str, Any]) -> None:
    changed = put(config, "models/one", {**MODEL, "suites": {"hook": ["twins"]}})
    assert "lethe+llm@one" in configurations_to_run(of(changed), "twins")
    assert "lethe+llm@one" not in configurations_to_run(of(changed), "adversarial")


def test_one_row_of_a_hooked_system_can_be_chosen(config: dict[str, Any]) -> None:
    changed = put(put(config, "models/one", MODEL), "models/two", MODEL)
    changed = put(changed, "run/systems", ["lethe", "lethe+llm@two"])
    of(changed)
    assert configurations_to_run(of(changed), "adversarial") == ["lethe", "lethe+llm@two"]


def test_hook_pairs_share_backend_policies_and_environment() -> None:
    store = {"backend": "b", "environment": "e", "policies": {"purge": "equal_text"}}
    entries = {
        "plain": store,
        "other": {**store, "policies": {"purge": "largest_gap"}},
        "hooked@m": {**store, "hook": "llm"},
        "hooked@n": {**store, "hook": "llm"},
    }
    assert hook_pairs(configurations(entries)) == [("plain", "hooked@m"), ("plain", "hooked@n")]


def test_a_suite_may_be_for_some_systems_alone(config: dict[str, Any]) -> None:
    mine = put(config, "run/only/held_out", ["lethe", "oracle"])
    assert configurations_to_run(of(mine), "held_out") == ["lethe", "oracle"]
    assert reasons_not_run(of(mine), "held_out")["naive_sql"] == "not run: left out by run.only.held_out"


def test_a_sample_belongs_to_the_whole_of_its_folder(config: dict[str, Any]) -> None:
    found = {name: sampled_suite(of(config), name) for name in config["suites"]}
    assert (
        related_suite(of(config), "adversarial_sample") == "adversarial" and related_suite(of(config), "held_out") == ""
    )
    assert {name: whole for name, whole in found.items() if whole} == {"adversarial_sample": "adversarial"}
    assert related_suite(of(config), "twins") == twinned_suite(of(config), "twins") == "adversarial"
    alone = put(config, "suites/adversarial/folder", "suites/owners")
    assert sampled_suite(of(alone), "adversarial_sample") == ""


def test_a_suite_that_is_revised_shares_its_texts_where_both_run(config: dict[str, Any]) -> None:
    with_data = put(config, "suites/held_out/revises", "adversarial")
    assert related_suite(of(with_data), "held_out") == "adversarial"
    assert related_suite(of(put(with_data, "run/suites", ["held_out"])), "held_out") == ""


def test_a_caveat_is_shown_with_a_system_and_changes_none_of_its_configurations(config: dict[str, Any]) -> None:
    stated = "This row is for comparing alone."
    changed = put(config, "systems/mem0/caveat", stated)
    of(changed)
    assert all_configurations(of(changed)) == all_configurations(of(config))
    assert stated_by(of(changed))["caveats"]["mem0"] == stated
    assert stated_by(of(config))["caveats"].keys() == {"mem0_paper"}, "the row that is for comparing with the paper"


def test_a_system_whose_every_store_is_too_large_says_so(config: dict[str, Any]) -> None:
    capped = put(put(config, "erasure/rows", [10]), "erasure/most_rows", {"lethe": 9, "naive_sql": 10})
    reasons = erasure_reasons(of(capped))
    assert reasons["lethe"] == "not run: each of erasure.rows is above its erasure.most_rows, 9"
    assert "naive_sql" not in reasons and erasure_stores(of(capped), "naive_sql") == [(10, 2)]
