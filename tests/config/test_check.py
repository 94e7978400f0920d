"""The configuration: the shipped one is valid, and every mistake names its key."""

import copy
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from lethe.config.check import (
    check_config,
    chosen_suites,
    load_schema,
    reasons_suite_empty,
)
from lethe.config.configurations import all_configurations, chosen_systems, configurations_to_run, reasons_not_run
from lethe.errors import LetheError
from tests.support.paths import ADVERSARIAL, ROOT

FILES = ("config.yaml", "suites.yaml", "systems.yaml", "models.yaml")


def load(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "config" / name).read_text(encoding="utf-8"))
    return loaded


@pytest.fixture
def config() -> dict[str, Any]:
    """The shipped configuration, merged as the Snakefile merges it."""
    merged: dict[str, Any] = {}
    for name in FILES:
        merged.update(load(name))
    return merged


def put(config: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    """The configuration with the value of a key such as run/k replaced."""
    changed = copy.deepcopy(config)
    *parents, last = key.split("/")
    place = changed
    for parent in parents:
        place = place[parent]
    place[last] = value
    return changed


def drop(config: dict[str, Any], key: str) -> dict[str, Any]:
    """The configuration without a key such as run/k."""
    changed = copy.deepcopy(config)
    *parents, last = key.split("/")
    place = changed
    for parent in parents:
        place = place[parent]
    del place[last]
    return changed


def mistake(config: dict[str, Any]) -> str:
    with pytest.raises(LetheError) as caught:
        check_config(config, ROOT)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_shipped_configuration_is_valid(config: dict[str, Any]) -> None:
    check_config(config, ROOT)


def test_the_files_do_not_overwrite_each_other() -> None:
    keys = [key for name in FILES for key in load(name)]
    assert len(keys) == len(set(keys))


def test_the_snakefile_reads_these_files() -> None:
    snakefile = (ROOT / "Snakefile").read_text(encoding="utf-8")
    assert [line.split('"')[1] for line in snakefile.splitlines() if line.startswith("configfile:")] == [
        f"config/{name}" for name in FILES
    ]


@pytest.mark.parametrize(
    "key",
    [
        "colour",
        "embedder/colour",
        "run/colour",
        "store_size/colour",
        "paper/colour",
        "suites/template/colour",
        "suites/external/colour",
        "systems/lethe/colour",
        "systems/mem0/policies/colour",
    ],
)
def test_an_unknown_key_is_named_with_the_known_ones(config: dict[str, Any], key: str) -> None:
    message = mistake(put(config, key, 1))
    assert message.startswith(f"config: {key.replace('/', '.')}: unknown key; known keys: ")
    siblings = config if "/" not in key else None
    if siblings is not None:
        assert all(name in message for name in siblings)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("output_dir", 5),
        ("output_dir", ""),
        ("environments_dir", None),
        ("embedder", "minilm"),
        ("embedder/name", 5),
        ("embedder/source", "web"),
        ("embedder/max_tokens", "128"),
        ("embedder/max_tokens", 7),
        ("embedder/max_tokens", 513),
        ("embedder/batch_size", 0),
        ("run", None),
        ("run/suites", 5),
        ("run/suites", "template"),
        ("run/suites", []),
        ("run/suites", ["template", "template"]),
        ("run/systems", {"lethe": 1}),
        ("run/k", 0),
        ("run/k", True),
        ("run/k", "10"),
        ("run/repetitions", 1.5),
        ("run/case_timeout_s", 0),
        ("run/start_timeout_s", "60"),
        ("run/worker_failure", "ignore"),
        ("paper", []),
        ("paper/template_suite", 3),
        ("paper/scorer", "judge"),
        ("paper/scorer", None),
        ("paper/reference_system", 3),
        ("store_size", None),
        ("store_size/enabled", "yes"),
        ("store_size/enabled", 1),
        ("store_size/suite", 3),
        ("store_size/sizes", []),
        ("store_size/sizes", 100),
        ("store_size/sizes", [10, 10]),
        ("store_size/cases_per_category", 0),
        ("store_size/seed", -1),
        ("suites", {}),
        ("suites", 5),
        ("suites", True),
        ("suites", "template"),
        ("suites", None),
        ("suites", ["template"]),
        ("suites/template", None),
        ("suites/template/seed", -1),
        ("suites/template/seed", "42"),
        ("suites/template/generator", "random"),
        ("suites/template/distractors", 6),
        ("suites/template/cases_per_family", 0),
        ("suites/template/label", 3),
        ("suites/adversarial/cases_per_category", 0),
        ("suites/external/intake", 3),
        ("systems", {}),
        ("systems", 5),
        ("systems", None),
        ("systems/lethe", "lethe"),
        ("systems/lethe/label", 3),
        ("systems/lethe/regime", "magic"),
        ("systems/lethe/backend", 3),
        ("systems/lethe/environment", None),
        ("systems/mem0/policies", "best_match"),
        ("systems/mem0/policies/supersede", "largest_gap"),
        ("systems/mem0/policies/release", "equal_text"),
        ("systems/mem0/policies/purge", "magic"),
    ],
)
def test_a_wrong_value_names_its_key(config: dict[str, Any], key: str, value: Any) -> None:
    assert mistake(put(config, key, value)).startswith(f"config: {key.replace('/', '.')}: ")


def test_an_item_of_the_wrong_type_is_named(config: dict[str, Any]) -> None:
    assert mistake(put(config, "run/systems", ["lethe", 5])).startswith("config: run.systems")


@pytest.mark.parametrize("size", [-1, 1.5, "100", math.nan, math.inf])
def test_a_store_size_that_is_no_number_of_rows_is_named(config: dict[str, Any], size: Any) -> None:
    assert mistake(put(config, "store_size/sizes", [0, size])).startswith("config: store_size.sizes.1: ")


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("key", ["case_timeout_s", "start_timeout_s", "k", "repetitions"])
def test_a_number_that_is_not_finite_is_named(config: dict[str, Any], key: str, value: float) -> None:
    assert mistake(put(config, f"run/{key}", value)).startswith(f"config: run.{key}: ")


@pytest.mark.parametrize(("written", "shown"), [(".inf", "inf"), (".nan", "nan")])
def test_a_limit_that_is_not_finite_is_told_so(config: dict[str, Any], written: str, shown: str) -> None:
    message = mistake(put(config, "run/case_timeout_s", yaml.safe_load(written)))
    assert message == f"config: run.case_timeout_s: must be a finite number, not {shown}"


@pytest.mark.parametrize("value", [1, 0.5, 1e6])
def test_a_limit_may_be_any_finite_number_above_zero(config: dict[str, Any], value: float) -> None:
    check_config(put(config, "run/case_timeout_s", value), ROOT)


@pytest.mark.parametrize("key", ["run/k", "run/repetitions", "embedder/max_tokens", "store_size/seed"])
def test_a_whole_number_written_with_a_point_is_named(config: dict[str, Any], key: str) -> None:
    """JSON Schema takes 10.0 for an integer; Python neither slices nor counts with it."""
    assert mistake(put(config, key, 10.0)).startswith(f"config: {key.replace('/', '.')}: ")


@pytest.mark.parametrize("section", ["suites", "systems"])
@pytest.mark.parametrize(("written", "shown"), [("null", "None"), ("5", "5"), ("yes", "True"), ("2020-01-01", None)])
def test_an_unquoted_name_that_yaml_reads_as_no_text_is_named(
    config: dict[str, Any], section: str, written: str, shown: str | None
) -> None:
    (name,) = yaml.safe_load(f"{written}: {{}}")
    example = next(iter(config[section].values()))
    message = mistake(put(config, section, {**config[section], name: example}))
    assert message == f"config: {section}: the name {shown or repr(name)} is not a string; put it in quotes"


def test_a_quoted_null_is_a_name(config: dict[str, Any]) -> None:
    (name,) = yaml.safe_load('"null": {}')
    assert name in config["systems"]
    check_config(put(config, "suites", {**config["suites"], name: {"folder": str(ADVERSARIAL)}}), ROOT)


@pytest.mark.parametrize("section", ["suites", "systems"])
@pytest.mark.parametrize("name", ["two words", "a/b", "", "-x"])
def test_a_name_that_is_no_file_name_is_an_error(config: dict[str, Any], section: str, name: str) -> None:
    example = next(iter(config[section].values()))
    message = mistake(put(config, section, {**config[section], name: example}))
    assert message.startswith(f"config: {section}: ")
    assert repr(name) in message


def test_a_missing_key_is_named(config: dict[str, Any]) -> None:
    schema = load_schema(ROOT)["properties"]
    keys = list(schema)
    keys += [
        f"{section}/{key}"
        for section in ("embedder", "run", "store_size", "paper")
        for key in schema[section]["properties"]
    ]
    keys += [f"systems/lethe/{key}" for key in ("label", "regime")]
    for key in keys:
        assert mistake(drop(config, key)) == f"config: {key.replace('/', '.')}: missing"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"label": "Mine"},
        {"generator": "template", "source": "mine.jsonl"},
        {"generator": "template", "intake": "mine"},
        {"source": "mine.jsonl", "intake": "mine"},
        {"generator": "template", "source": "mine.jsonl", "intake": "mine"},
    ],
    ids=["none", "label", "generator-source", "generator-intake", "source-intake", "all"],
)
def test_a_suite_is_generated_or_imported_or_taken_in(config: dict[str, Any], options: dict[str, Any]) -> None:
    expected = "config: suites.mine: give exactly one of generator, folder, source and intake"
    assert mistake(put(config, "suites/mine", options)) == expected


@pytest.mark.parametrize(("section", "known"), [("suites", "template"), ("systems", "naive_sql")])
def test_an_unknown_name_to_run_is_named(config: dict[str, Any], section: str, known: str) -> None:
    message = mistake(put(config, f"run/{section}", [known, "nonesuch"]))
    assert message.startswith(f"config: run.{section}: unknown name 'nonesuch'; config/{section}.yaml has ")
    assert all(name in message for name in config[section])


def test_an_unknown_backend_is_named(config: dict[str, Any]) -> None:
    message = mistake(put(config, "systems/lethe/backend", "nonesuch"))
    assert "unknown backend 'nonesuch'" in message
    assert "langgraph" in message


def test_a_backend_may_stand_outside_the_package(config: dict[str, Any]) -> None:
    check_config(put(config, "systems/lethe/backend", "my.module:Mine"), ROOT)


def test_an_environment_without_a_lock_is_named(config: dict[str, Any]) -> None:
    message = mistake(put(config, "systems/mem0/environment", "nonesuch"))
    assert message == "config: systems.mem0.environment: envs/nonesuch.lock does not exist"


@pytest.mark.parametrize("system", ["lethe", "naive_sql", "null", "nuke", "verbatim", "oracle"])
def test_policies_beside_mutations_of_its_own_are_a_mistake(config: dict[str, Any], system: str) -> None:
    message = mistake(put(config, f"systems/{system}/policies", {"purge": "equal_text"}))
    assert message == f"config: systems.{system}.policies: backend {system} has its own mutations; remove the policies"


def test_a_source_that_does_not_exist_is_named(config: dict[str, Any], tmp_path: Path) -> None:
    source = tmp_path / "mine.jsonl"
    changed = put(config, "suites/mine", {"source": str(source)})
    assert mistake(changed).startswith(f"config: suites.mine.source: {source} is not a file")
    source.write_text("{}\n")
    check_config(changed, ROOT)


@pytest.mark.parametrize(
    ("key", "value", "kind"),
    [
        ("adversarial/seed", 3, "generator"),
        ("adversarial/cases_per_family", 3, "generator"),
        ("adversarial/distractors", 3, "generator"),
        ("template/cases_per_category", 3, "folder"),
    ],
)
def test_an_option_of_another_kind_of_suite_is_a_mistake(
    config: dict[str, Any], key: str, value: int, kind: str
) -> None:
    message = mistake(put(config, f"suites/{key}", value))
    assert message == f"config: suites.{key.replace('/', '.')}: is only for a suite with {kind}"


def test_an_imported_suite_takes_no_option_of_a_generator(config: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text("{}\n")
    for key in ("seed", "cases_per_family", "distractors", "cases_per_category"):
        options = {"source": str(tmp_path / "mine.jsonl"), key: 1}
        assert mistake(put(config, "suites/mine", options)).startswith(f"config: suites.mine.{key}: is only for")
        taken_in = {"intake": str(tmp_path), key: 1}
        assert mistake(put(config, "suites/mine", taken_in)).startswith(f"config: suites.mine.{key}: is only for")


@pytest.mark.parametrize(("suite", "left"), [("template", "adversarial"), ("adversarial", "template")])
def test_a_suite_of_the_paper_must_be_run(config: dict[str, Any], suite: str, left: str) -> None:
    message = mistake(put(config, "run/suites", [left]))
    assert message == f"config: paper.{suite}_suite: '{suite}' is not one of the suites that are run ({left})"


def test_a_suite_of_the_paper_must_exist(config: dict[str, Any]) -> None:
    assert mistake(put(config, "paper/template_suite", "nonesuch")).startswith(
        "config: paper.template_suite: 'nonesuch' is not one of"
    )


def with_intake(config: dict[str, Any], folder: Path, state: str) -> dict[str, Any]:
    """The configuration with the external suite's cases below `folder`: a missing folder or file, none, or some."""
    intake = folder / "external"
    if state != "no folder":
        intake.mkdir()
    if state in ("empty file", "cases"):
        (intake / "cases.jsonl").write_text("{}\n" if state == "cases" else "", encoding="utf-8")
    return put(config, "suites/external/intake", str(intake))


WITHOUT_CASES = ["no folder", "no file", "empty file"]


@pytest.mark.parametrize("wanted", ["all", ["external", "template", "adversarial", "held_out"]], ids=["all", "named"])
@pytest.mark.parametrize("state", WITHOUT_CASES)
def test_an_intake_without_cases_is_left_out_and_says_why(
    config: dict[str, Any], tmp_path: Path, state: str, wanted: Any
) -> None:
    changed = put(with_intake(config, tmp_path, state), "run/suites", wanted)
    check_config(changed, ROOT)
    assert chosen_suites(changed) == ["template", "adversarial", "held_out"]
    reason = f"no cases yet (`lethe intake FILE --author NAME --out {tmp_path}/external` takes some in)"
    assert reasons_suite_empty(changed) == {"external": reason}


@pytest.mark.parametrize("state", [*WITHOUT_CASES, "cases"])
def test_an_intake_that_is_not_asked_for_keeps_no_table(config: dict[str, Any], tmp_path: Path, state: str) -> None:
    changed = put(with_intake(config, tmp_path, state), "run/suites", ["adversarial", "template"])
    check_config(changed, ROOT)
    assert chosen_suites(changed) == ["adversarial", "template"]
    assert reasons_suite_empty(changed) == {}


@pytest.mark.parametrize("wanted", ["all", ["template", "adversarial", "held_out", "external"]], ids=["all", "named"])
def test_an_intake_with_cases_is_run(config: dict[str, Any], tmp_path: Path, wanted: Any) -> None:
    changed = put(with_intake(config, tmp_path, "cases"), "run/suites", wanted)
    check_config(changed, ROOT)
    assert chosen_suites(changed) == ["template", "adversarial", "held_out", "external"]
    assert reasons_suite_empty(changed) == {}


def test_a_folder_in_the_place_of_the_cases_is_no_case(config: dict[str, Any], tmp_path: Path) -> None:
    changed = with_intake(config, tmp_path, "no file")
    (tmp_path / "external" / "cases.jsonl").mkdir()
    assert "external" not in chosen_suites(changed)
    assert list(reasons_suite_empty(changed)) == ["external"]


@pytest.mark.parametrize("state", WITHOUT_CASES)
@pytest.mark.parametrize("key", ["paper/template_suite", "paper/adversarial_suite"])
def test_a_suite_of_the_paper_must_hold_cases(config: dict[str, Any], tmp_path: Path, key: str, state: str) -> None:
    message = mistake(put(with_intake(config, tmp_path, state), key, "external"))
    assert message.startswith(f"config: {key.replace('/', '.')}: 'external' is not one of the suites that are run")


def test_an_unknown_reference_system_is_named(config: dict[str, Any]) -> None:
    message = mistake(put(config, "paper/reference_system", "nonesuch"))
    assert message.startswith("config: paper.reference_system: unknown name 'nonesuch'; config/systems.yaml has ")
    assert all(name in message for name in config["systems"])


def test_the_reference_system_need_not_run(config: dict[str, Any]) -> None:
    check_config(put(put(config, "paper/reference_system", "mem0"), "run/systems", ["lethe"]), ROOT)


@pytest.mark.parametrize("suite", ["nonesuch", "other"])
def test_the_store_size_axis_needs_a_suite_that_is_run(config: dict[str, Any], suite: str) -> None:
    changed = put(config, "suites/other", {"folder": str(ADVERSARIAL)})
    changed = put(put(changed, "run/suites", ["template", "adversarial"]), "store_size/suite", suite)
    check_config(changed, ROOT)
    message = mistake(put(changed, "store_size/enabled", True))
    assert message == (
        f"config: store_size.suite: '{suite}' is not one of the suites that are run (template, adversarial)"
    )
    check_config(put(put(changed, "store_size/suite", "template"), "store_size/enabled", True), ROOT)


def test_the_store_size_axis_needs_cases(config: dict[str, Any], tmp_path: Path) -> None:
    enabled = put(put(config, "store_size/enabled", True), "store_size/suite", "external")
    assert mistake(with_intake(enabled, tmp_path, "no folder")).startswith("config: store_size.suite: 'external' is")
    check_config(put(enabled, "suites/external/intake", str(_folder_with_cases(tmp_path))), ROOT)


def _folder_with_cases(folder: Path) -> Path:
    (folder / "cases.jsonl").write_text("{}\n", encoding="utf-8")
    return folder


def test_all_means_every_configured_name(config: dict[str, Any], tmp_path: Path) -> None:
    config = put(config, "suites/external/intake", str(_folder_with_cases(tmp_path)))
    assert chosen_suites(config) == list(config["suites"])
    assert chosen_systems(config) == list(config["systems"])
    reasons = reasons_not_run(config, "adversarial")
    light = {name: entry for name, entry in config["systems"].items() if not {"heavy", "not_run"} & set(entry)}
    asking = {name for name, entry in light.items() if entry.get("hook") == "llm" or entry.get("gateway") == "chat"}
    assert {name: reasons.get(name) for name in asking} == dict.fromkeys(asking, "not run: no model configured")
    assert configurations_to_run(config, "adversarial") == [name for name in light if name not in asking]


def test_a_choice_keeps_its_order_and_gives_the_others_a_reason(config: dict[str, Any]) -> None:
    changed = put(put(config, "run/systems", ["oracle", "lethe"]), "run/suites", ["adversarial", "template"])
    check_config(changed, ROOT)
    assert chosen_systems(changed) == ["oracle", "lethe"]
    assert chosen_suites(changed) == ["adversarial", "template"]
    reasons = reasons_not_run(changed, "adversarial")
    assert set(reasons) == set(config["systems"]) - {"oracle", "lethe"}
    assert all("run.systems" in reason for reason in reasons.values())


MODEL = {"family": "f", "base_url": "http://127.0.0.1:1/v1", "model": "m"}


def test_each_model_makes_a_row_of_each_hooked_system(config: dict[str, Any]) -> None:
    changed = put(put(config, "models/one", {**MODEL, "label": "One"}), "models/two", MODEL)
    check_config(changed, ROOT)
    rows = all_configurations(changed)
    assert rows["lethe+llm@one"]["label"] == "Lethe+LLM (One)"
    assert rows["lethe+llm@two"]["label"] == "Lethe+LLM (two)"
    assert (rows["lethe+llm@two"]["system"], rows["lethe+llm@two"]["model"]) == ("lethe+llm", "two")
    assert "lethe+llm" not in rows
    assert {"lethe+llm@one", "mem0+llm@two"} < set(configurations_to_run(changed, "adversarial"))


SHELF = {"label": "Shelf", "regime": "vec-only", "backend": "my:Shelf", "environment": "pipeline"}


@pytest.mark.parametrize(
    ("extra", "change", "suite", "reason"),
    [
        ({}, {}, "adversarial", None),
        ({"gateway": "embeddings"}, {}, "adversarial", None),
        ({"gateway": "chat"}, {}, "adversarial", "not run: no model configured"),
        ({"heavy": True}, {}, "adversarial", "not run: heavy (run.heavy is false)"),
        ({"heavy": True}, {"run/heavy": True}, "adversarial", None),
        ({"heavy": True}, {"run/heavy": True}, "template", "skip this suite (run.heavy_skip_suites)"),
        ({"heavy": True}, {"run/heavy": True, "run/heavy_skip_suites": []}, "template", None),
        ({"requires": ["no-such-command", "sh"]}, {}, "adversarial", "not run: needs no-such-command on the PATH"),
        ({"requires": ["sh"]}, {}, "adversarial", None),
        ({"skip_suites": ["template"]}, {}, "template", "skips this suite (systems.shelf.skip_suites)"),
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
    check_config(changed, ROOT)
    found = reasons_not_run(changed, suite).get("shelf")
    assert found is None if reason is None else reason in str(found)
    assert ("shelf" in configurations_to_run(changed, suite)) is (reason is None)


@pytest.mark.parametrize("key", ["backend", "environment"])
def test_only_a_system_that_cannot_be_run_has_no_backend(config: dict[str, Any], key: str) -> None:
    without = {name: value for name, value in SHELF.items() if name != key}
    assert mistake(put(config, "systems/shelf", without)).startswith(f"config: systems.shelf.{key}: missing")
    check_config(put(config, "systems/shelf", {**without, "not_run": "gone"}), ROOT)


def test_a_system_that_asks_a_model_itself_has_a_row_for_each(config: dict[str, Any]) -> None:
    changed = put(put(config, "systems/shelf", {**SHELF, "gateway": "chat"}), "models/one", MODEL)
    assert all_configurations(changed)["shelf@one"]["model"] == "one"
    assert "shelf@one" in configurations_to_run(changed, "adversarial")


def test_a_hooked_system_is_no_reference(config: dict[str, Any]) -> None:
    assert "'lethe+llm' has a hook" in mistake(put(config, "paper/reference_system", "lethe+llm"))


def test_a_judge_is_not_hooked(config: dict[str, Any]) -> None:
    changed = put(put(put(config, "models/one", MODEL), "models/two", MODEL), "llm/judges", ["two"])
    assert [row for row in all_configurations(changed) if row.startswith("lethe+llm")] == ["lethe+llm@one"]


@pytest.mark.parametrize(
    ("key", "value", "suite", "reason"),
    [
        ("llm/mode", "off", "adversarial", "not run: llm.mode is off"),
        ("llm/skip_suites", ["adversarial"], "adversarial", "skip this suite"),
        ("run/systems", ["lethe"], "adversarial", "run.systems"),
    ],
)
def test_a_hooked_row_says_why_it_does_not_run(
    config: dict[str, Any], key: str, value: Any, suite: str, reason: str
) -> None:
    changed = put(put(config, "models/one", MODEL), key, value)
    assert reason in reasons_not_run(changed, suite)["lethe+llm@one"]
    assert "lethe+llm@one" not in configurations_to_run(changed, suite)


def test_one_row_of_a_hooked_system_can_be_chosen(config: dict[str, Any]) -> None:
    changed = put(put(config, "models/one", MODEL), "models/two", MODEL)
    changed = put(changed, "run/systems", ["lethe", "lethe+llm@two"])
    check_config(changed, ROOT)
    assert configurations_to_run(changed, "adversarial") == ["lethe", "lethe+llm@two"]


def leaves(schema: dict[str, Any], values: Any, key: str = "") -> Iterator[tuple[str, dict[str, Any], Any]]:
    """(key, schema, shipped value) of each property of the sections whose values the schema fixes."""
    for name, entry in schema["properties"].items():
        if name in ("suites", "systems", "models") and not key:
            continue
        if entry.get("type") == "object":
            yield from leaves(entry, values[name], f"{key}{name}.")
        else:
            yield f"{key}{name}", entry, values[name]


def test_each_default_of_the_schema_is_the_shipped_value() -> None:
    found = list(leaves(load_schema(ROOT), load("config.yaml")))
    assert {"output_dir", "environments_dir", "embedder.name", "run.k", "paper.template_suite"} <= {
        key for key, _, _ in found
    }
    for key, entry, shipped in found:
        assert "default" in entry, f"{key} has no default in the schema"
        assert entry["default"] == shipped, f"{key}: the schema and config/config.yaml disagree"
        assert type(entry["default"]) is type(shipped), key


def test_config_yaml_holds_nothing_but_the_schemas_properties() -> None:
    known = {key for key, _, _ in leaves(load_schema(ROOT), load("config.yaml"))}
    assert set(keys_of(load("config.yaml"))) == known


def keys_of(values: dict[str, Any], key: str = "") -> Iterator[str]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from keys_of(value, f"{key}{name}.")
        else:
            yield f"{key}{name}"


def described(schema: dict[str, Any], key: str) -> Iterator[tuple[str, Any]]:
    for name, entry in schema.get("properties", {}).items():
        yield f"{key}{name}", entry.get("description")
        yield from described(entry, f"{key}{name}.")
    if isinstance(schema.get("additionalProperties"), dict):
        yield from described(schema["additionalProperties"], f"{key}NAME.")


def test_each_property_has_a_description() -> None:
    found = dict(described(load_schema(ROOT), ""))
    assert "suites.NAME.seed" in found
    assert [key for key, description in found.items() if not description] == []


def test_an_unknown_held_out_suite_is_named(config: dict[str, Any]) -> None:
    message = mistake(put(config, "paper/held_out_suite", "nonesuch"))
    assert message.startswith("config: paper.held_out_suite: unknown name 'nonesuch'; config/suites.yaml has ")
