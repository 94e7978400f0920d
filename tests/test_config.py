"""The configuration: the shipped one is valid, and every mistake names its key."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from lethe.config import check_config, chosen_suites, chosen_systems, load_schema, reasons_not_run
from lethe.errors import LetheError

ROOT = Path(__file__).parents[1]
FILES = ("config.yaml", "suites.yaml", "systems.yaml")


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
        "paper/colour",
        "suites/template/colour",
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
        ("suites", {}),
        ("suites", ["template"]),
        ("suites/template", None),
        ("suites/template/seed", -1),
        ("suites/template/seed", "42"),
        ("suites/template/generator", "random"),
        ("suites/template/distractors", 6),
        ("suites/template/cases_per_family", 0),
        ("suites/template/label", 3),
        ("suites/adversarial/cases_per_category", 0),
        ("systems", {}),
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
    keys += [f"{section}/{key}" for section in ("embedder", "run", "paper") for key in schema[section]["properties"]]
    keys += [f"systems/lethe/{key}" for key in ("label", "regime", "backend", "environment")]
    for key in keys:
        assert mistake(drop(config, key)) == f"config: {key.replace('/', '.')}: missing"


@pytest.mark.parametrize(
    "options",
    [{}, {"label": "Mine"}, {"generator": "template", "source": "mine.jsonl"}],
    ids=["none", "label", "both"],
)
def test_a_suite_is_generated_or_imported(config: dict[str, Any], options: dict[str, Any]) -> None:
    expected = "config: suites.mine: give exactly one of generator and source"
    assert mistake(put(config, "suites/mine", options)) == expected


@pytest.mark.parametrize(("section", "known"), [("suites", "template"), ("systems", "naive_sql")])
def test_an_unknown_name_to_run_is_named(config: dict[str, Any], section: str, known: str) -> None:
    message = mistake(put(config, f"run/{section}", [known, "nonesuch"]))
    assert message.startswith(f"config: run.{section}: unknown name 'nonesuch'; config/{section}.yaml knows ")
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
    assert message == f"config: systems.{system}.policies: backend {system} has mutations of its own"


def test_a_source_that_does_not_exist_is_named(config: dict[str, Any], tmp_path: Path) -> None:
    source = tmp_path / "mine.jsonl"
    changed = put(config, "suites/mine", {"source": str(source)})
    assert mistake(changed).startswith(f"config: suites.mine.source: {source} is not a file")
    source.write_text("{}\n")
    check_config(changed, ROOT)


@pytest.mark.parametrize(
    ("key", "value", "generator"),
    [
        ("adversarial/seed", 3, "template"),
        ("adversarial/cases_per_family", 3, "template"),
        ("adversarial/distractors", 3, "template"),
        ("template/cases_per_category", 3, "authored"),
    ],
)
def test_an_option_of_another_generator_is_a_mistake(
    config: dict[str, Any], key: str, value: int, generator: str
) -> None:
    message = mistake(put(config, f"suites/{key}", value))
    assert message == f"config: suites.{key.replace('/', '.')}: belongs to generator {generator} alone"


def test_an_imported_suite_takes_no_option_of_a_generator(config: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text("{}\n")
    for key in ("seed", "cases_per_family", "distractors", "cases_per_category"):
        options = {"source": str(tmp_path / "mine.jsonl"), key: 1}
        assert mistake(put(config, "suites/mine", options)).startswith(f"config: suites.mine.{key}: belongs to")


@pytest.mark.parametrize(("suite", "left"), [("template", "adversarial"), ("adversarial", "template")])
def test_a_suite_of_the_paper_must_be_run(config: dict[str, Any], suite: str, left: str) -> None:
    message = mistake(put(config, "run/suites", [left]))
    assert message == f"config: paper.{suite}_suite: '{suite}' is not among the suites that are run ({left})"


def test_a_suite_of_the_paper_must_exist(config: dict[str, Any]) -> None:
    assert mistake(put(config, "paper/template_suite", "nonesuch")).startswith(
        "config: paper.template_suite: 'nonesuch' is not among"
    )


def test_all_means_every_configured_name(config: dict[str, Any]) -> None:
    assert chosen_suites(config) == list(config["suites"])
    assert chosen_systems(config) == list(config["systems"])
    assert reasons_not_run(config) == {}


def test_a_choice_keeps_its_order_and_gives_the_others_a_reason(config: dict[str, Any]) -> None:
    changed = put(put(config, "run/systems", ["oracle", "lethe"]), "run/suites", ["adversarial", "template"])
    check_config(changed, ROOT)
    assert chosen_systems(changed) == ["oracle", "lethe"]
    assert chosen_suites(changed) == ["adversarial", "template"]
    reasons = reasons_not_run(changed)
    assert set(reasons) == set(config["systems"]) - {"oracle", "lethe"}
    assert all("run.systems" in reason for reason in reasons.values())


def leaves(schema: dict[str, Any], values: Any, key: str = "") -> Iterator[tuple[str, dict[str, Any], Any]]:
    """(key, schema, shipped value) of each property of the sections whose values the schema fixes."""
    for name, entry in schema["properties"].items():
        if name in ("suites", "systems") and not key:
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
    shipped = {
        f"{key}.{inner}" if isinstance(value, dict) else key
        for key, value in load("config.yaml").items()
        for inner in (value if isinstance(value, dict) else [""])
    }
    assert shipped == known


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
