"""Check of the configuration: every mistake is one line that names the key and the remedy."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match
from jsonschema.validators import extend

from forgeteval.cases.errata import suite_version
from forgeteval.errors import UserError
from forgeteval.yaml_data import read_yaml_data
from lethe.config.selection import chosen_suites
from lethe.environments.build import PIPELINE
from lethe.gateway.addresses import check_address
from lethe.systems.backends import ADAPTERS, backend_class

# JSON Schema accepts 10.0 as an integer; here it is a mistake.
_Validator: Any = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    ),
)
SCHEMA_PATH = Path("config/schemas/config.schema.yaml")


def load_schema(root: Path) -> dict[str, Any]:
    """The JSON Schema of the merged configuration."""
    schema: dict[str, Any] = read_yaml_data(root / SCHEMA_PATH)
    return schema


def check_config(config: Mapping[str, Any], root: Path) -> None:
    """Check the merged configuration of a workflow whose Snakefile is in `root`.

    Raises:
        UserError: at the first mistake, naming its key.
    """
    _check_names(config)
    error = best_match(_Validator(load_schema(root)).iter_errors(config))
    if error is not None:
        raise UserError(_describe(error))
    for part in ("run", "crosseval"):
        for key, value in config[part].items():
            if isinstance(value, float) and not math.isfinite(value):
                raise UserError(f"config: {part}.{key}: must be a finite number, not {value}")
    for name, options in config["suites"].items():
        _check_suite(name, options)
    for name, options in config["systems"].items():
        _check_system(name, options, root)
    for name, options in config["suites"].items():
        _check_named_by_suite(name, options, config)
    _known("run.suites", config["run"]["suites"], config["suites"], "config/suites.yaml")
    with_models = {f"{system}@{model}": None for system in config["systems"] for model in config["models"]}
    _known("run.systems", config["run"]["systems"], config["systems"] | with_models, "config/systems.yaml")
    if not isinstance(config["run"]["shards"], int):
        _known("run.shards", config["run"]["shards"], config["systems"] | with_models, "config/systems.yaml")
    for name, options in config["embedders"].items():
        _check_embedder(name, options, root)
    ablated = config["embedder_ablation"]
    _known("embedder_ablation.embedders", ablated["embedders"], config["embedders"], "config/embedders.yaml")
    _known("embedder_ablation.systems", ablated["systems"], config["systems"], "config/systems.yaml")
    _check_erasure(config["erasure"])
    _known("erasure.systems", config["erasure"]["systems"], config["systems"], "config/systems.yaml")
    _known("erasure.cases_of", config["erasure"]["cases_of"], config["systems"], "config/systems.yaml")
    _known("erasure.most_rows", config["erasure"]["most_rows"], config["systems"], "config/systems.yaml")
    _known("llm.skip_suites", config["llm"]["skip_suites"], config["suites"], "config/suites.yaml")
    for name, options in config["models"].items():
        if "base_url" in options:
            check_address(name, options["base_url"])
        _check_model(name, options, root)
    _check_served(config)
    _check_paper(config)


def _check_model(name: str, options: Mapping[str, Any], root: Path) -> None:
    if "serve" not in options:
        return
    for key in ("base_url", "model", "api_key_env"):
        if key in options:
            raise UserError(f"config: models.{name}.{key}: a model with `serve` has no endpoint; remove one of the two")
    weights = options["serve"]["weights"]
    if "path" in weights and "packages" in weights:
        raise UserError(f"config: models.{name}.serve.weights: give either packages or path")
    if "packages" in weights and not (root / weights["packages"]).is_file():
        raise UserError(f"config: models.{name}.serve.weights.packages: {weights['packages']} does not exist")


def _check_served(config: Mapping[str, Any]) -> None:
    llm, models = config["llm"], config["models"]
    _known("llm.serve", llm["serve"], models, "config/models.yaml")
    _known("llm.judges", llm["judges"], models, "config/models.yaml")
    for name, options in models.items():
        _known(f"models.{name}.systems", options.get("systems", []), config["systems"], "config/systems.yaml")
    for name in llm["serve"]:
        if "serve" not in models[name]:
            raise UserError(f"config: llm.serve: {name} has an endpoint of its own; remove it from the list")


def _check_names(config: Mapping[str, Any]) -> None:
    for key in ("suites", "systems"):
        named = config.get(key)
        for name in named if isinstance(named, Mapping) else {}:
            if not isinstance(name, str):
                raise UserError(f"config: {key}: the name {name!r} is not a string; put it in quotes")


def _check_erasure(erasure: Mapping[str, Any]) -> None:
    rows, of_systems = erasure["rows"], {f"cases_of.{name}": cases for name, cases in erasure["cases_of"].items()}
    for key, cases in {"cases": erasure["cases"], **of_systems}.items():
        if isinstance(cases, list) and len(cases) != len(rows):
            raise UserError(
                f"config: erasure.{key}: {len(cases)} numbers, but erasure.rows has {len(rows)}; give one for each, "
                "or one for all"
            )


def _check_paper(config: Mapping[str, Any]) -> None:
    chosen = chosen_suites(config)
    wanted = {f"paper.{key}": config["paper"][key] for key in ("template_suite", "adversarial_suite")}
    if config["store_size"]["enabled"]:
        wanted["store_size.suite"] = config["store_size"]["suite"]
    for key, suite in wanted.items():
        if suite not in chosen:
            raise UserError(f"config: {key}: {suite!r} is not one of the suites that are run ({', '.join(chosen)})")
    _known("paper.held_out_suite", [config["paper"]["held_out_suite"]], config["suites"], "config/suites.yaml")
    for key, suite in config["release"]["suites"].items():
        _known(f"release.suites.{key}", [suite], config["suites"], "config/suites.yaml")
    reference = config["paper"]["reference_system"]
    _known("paper.reference_system", [reference], config["systems"], "config/systems.yaml")
    if "hook" in config["systems"][reference]:
        raise UserError(f"config: paper.reference_system: {reference!r} has a hook; name a system without one")


def _check_named_by_suite(name: str, options: Mapping[str, Any], config: Mapping[str, Any]) -> None:
    _known(f"suites.{name}.systems", options.get("systems", []), config["systems"], "config/systems.yaml")
    for revised in [options["revises"]] if "revises" in options else []:
        _known(f"suites.{name}.revises", [revised], config["suites"], "config/suites.yaml")
        if "revises" in config["suites"][revised]:
            raise UserError(f"config: suites.{name}.revises: {revised} revises a suite itself; name another")


def _check_suite(name: str, options: Mapping[str, Any]) -> None:
    source = options.get("source")
    if source is not None and "url" not in options and not Path(source).is_file():
        raise UserError(
            f"config: suites.{name}.source: {source} is not a file; paths are relative to the working folder"
        )
    folder = options.get("folder")
    if folder is not None and not Path(folder).is_dir():
        raise UserError(
            f"config: suites.{name}.folder: {folder} is not a folder; paths are relative to the working folder"
        )
    belongs_to = {
        "cases_per_family": "generator",
        "distractors": "generator",
        "cases_per_category": "folder",
        "twins_of": "folder",
        "suite_version": "folder",
        **dict.fromkeys(("form", "labels", "one_surface_form", "sha256", "url"), "source"),
    }
    if "url" in options and "sha256" not in options:
        raise UserError(f"config: suites.{name}.sha256: missing; what `url` gives is checked against it")
    if "seed" in options and not options.keys() & {"generator", "cases_per_category"}:
        raise UserError(f"config: suites.{name}.seed: is only for a suite with generator or cases_per_category")
    for key, kind in belongs_to.items():
        if key in options and kind not in options:
            raise UserError(f"config: suites.{name}.{key}: is only for a suite with {kind}")
    suite_version(options)


def _check_system(name: str, options: Mapping[str, Any], root: Path) -> None:
    if "not_run" in options:
        return
    for key in ("backend", "environment"):
        if key not in options:
            raise UserError(f"config: systems.{name}.{key}: missing; only a system with not_run may omit it")
    backend_class(options["backend"])
    if options["backend"] in ADAPTERS and "policies" in options:
        raise UserError(
            f"config: systems.{name}.policies: backend {options['backend']} has its own mutations; remove the policies"
        )
    environment = options["environment"]
    if environment != PIPELINE and not (root / "envs" / f"{environment}.lock").is_file():
        raise UserError(f"config: systems.{name}.environment: envs/{environment}.lock does not exist")


def _check_embedder(name: str, options: Mapping[str, Any], root: Path) -> None:
    if "files" in options and not (root / "envs" / "embedders" / f"{name}.lock").is_file():
        raise UserError(f"config: embedders.{name}.files: envs/embedders/{name}.lock does not exist")


def _known(key: str, wanted: Any, known: Mapping[str, Any], file: str) -> None:
    for name in [] if wanted == "all" else wanted:
        if name not in known:
            raise UserError(f"config: {key}: unknown name {name!r}; {file} has {', '.join(known)}")


def _describe(error: ValidationError) -> str:
    schema: Any = error.schema
    wanted: Any = error.validator_value
    key = ".".join(str(part) for part in error.absolute_path)
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = list(schema.get("properties", {}))
        unknown = next(name for name in error.instance if name not in known)
        place = f"{key}.{unknown}" if key else str(unknown)
        return f"config: {place}: unknown key; known keys: {', '.join(known)}"
    if error.validator == "dependentRequired":
        return f"config: {key}: give both files and format, or hub"
    if error.validator == "required" and isinstance(error.instance, dict):
        missing = next(name for name in wanted if name not in error.instance)
        return f"config: {f'{key}.{missing}' if key else missing}: missing"
    if error.validator in ("anyOf", "oneOf") and error.absolute_path[0] == "models":
        either = "path or packages" if error.absolute_path[-1] == "weights" else "base_url with model, or serve"
        return f"config: {key}: give {either}"
    if error.validator == "oneOf":
        *names, last = (name for choice in wanted for name in choice["required"])
        return f"config: {key}: give exactly one of {', '.join(names)} and {last}"
    return f"config: {key or 'configuration'}: {error.message}"
