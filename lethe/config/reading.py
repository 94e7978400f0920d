"""Reading the configuration: the files that the Snakefile names and further ones over them, checked.

Every mistake is one line that names the key and the remedy.
"""

import math
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from forgeteval.cases.errata import ERRATA_FILE, newest_version
from forgeteval.cases.reading import case_files
from forgeteval.errors import UserError
from forgeteval.yaml_data import read_yaml
from lethe.config.atlas import take_in_atlas
from lethe.config.chat_models import check_address, check_fields
from lethe.config.configurations import PIPELINE, lock_file
from lethe.config.look_alikes import skeleton
from lethe.config.model import POLICIES, WORKLOADS, Config, Model, ModelSuites, Suite, System
from lethe.config.selection import all_configurations, chosen_suites
from lethe.schemas import MAJORITY
from lethe.systems.backends import ADAPTERS, backend_class

CONFIG_FILES = ("config.yaml", "suites.yaml", "systems.yaml", "models.yaml", "embedders.yaml")
"""In the folder config/, in this order."""
_SUITES, _SYSTEMS, _MODELS, _EMBEDDERS = (f"config/{name}" for name in CONFIG_FILES[1:])
_FEW = 5
_NO_TEXT = re.compile(r"[0-9.]+|true|false", re.IGNORECASE)
_WITH_EXPONENT = re.compile(r"[-+]?[0-9._]+e[-+]?[0-9]+", re.IGNORECASE)
_ANNOTATORS = (MAJORITY, "majority of people")
"""Names and labels of the annotators' majority, which has its row beside the judges'."""
_FOLDERS = ("output_dir", "environments_dir", "datasets")
_BELONGS_TO = {
    "cases_per_category": "folder",
    "twins_of": "folder",
    "suite_version": "folder",
    **dict.fromkeys(("form", "labels", "sha256", "url"), "source"),
}
"""Keys of a suite that only one kind of suite has."""


def read_config(root: Path, further: Iterable[Path] = (), datasets: Path | None = None) -> Config:
    """The checked configuration of the project in `root`, with `further` files merged over it in their order.

    Args:
        datasets: folder of other authors' data, in place of the configured one.

    Raises:
        UserError: naming the file that is missing or no YAML mapping, or the key that is wrong.
    """
    # Snakemake takes a second to import, which the workflow's jobs should not wait.
    from snakemake.utils import update_config

    merged: dict[str, Any] = {}
    for path in [*(root / "config" / name for name in CONFIG_FILES), *further]:
        update_config(merged, _mapping(path))
    if datasets is not None:
        merged["datasets"] = str(datasets)
    take_in_atlas(merged, root)
    return checked(merged, root)


def check_files(paths: Iterable[Path], arguments: Sequence[str] = ()) -> None:
    """Look at the files that Snakemake merges, which takes the last of a key that is given twice.

    Args:
        arguments: of its command line.

    Raises:
        UserError: as of `read_config`, and at a second `--configfile`, as whose only value Snakemake would take it.
    """
    given = [argument for argument in arguments if argument.partition("=")[0] in ("--configfile", "--configfiles")]
    if len(given) > 1:
        raise UserError("--configfile is given twice, and Snakemake would read the last alone; give one with all files")
    for path in paths:
        _mapping(path)


def checked(merged: Mapping[str, Any], root: Path) -> Config:
    """The merged configuration of a workflow whose Snakefile is in `root`.

    Raises:
        UserError: at the first mistake, naming its key.
    """
    for part in ("suites", "systems"):
        named = merged.get(part)
        for name in named if isinstance(named, Mapping) else ():
            if not isinstance(name, str):
                raise UserError(f"config: {part}: the name {name!r} is not a string; put it in quotes")
    config = typed(merged)
    for name, suite in config.suites.items():
        _check_suite(name, suite)
        _check_readable(name, suite)
    for name, system in config.systems.items():
        _check_free(f"systems.{name}", system)
        _check_system(name, system, root)
    for name, model in config.models.items():
        _check_free(f"models.{name}", model)
        _check_model(name, model, config, root)
    for name, embedder in config.embedders.items():
        _exactly_one(f"embedders.{name}", {"files": embedder.files, "hub": embedder.hub})
        if (embedder.files is None) != (embedder.format is None):
            raise UserError(f"config: embedders.{name}: give both files and format, or hub")
        if embedder.files is not None and not (root / "envs" / "embedders" / f"{name}.lock").is_file():
            raise UserError(f"config: embedders.{name}.files: envs/embedders/{name}.lock does not exist")
    if (own := Path(config.embedder).name) in config.run.embedders:
        raise UserError(f"config: run.embedders: {own} is the name of the pipeline's `embedder`; name a further one")
    _check_names(config)
    _check_labels("suites", {name: suite.label or name for name, suite in config.suites.items()})
    _check_labels("systems", {name: system.label for name, system in config.systems.items()})
    _check_labels_of_models(config)
    folders = {**{field: getattr(config, field) for field in _FOLDERS}, "llm.answers": config.llm.answers}
    for place, folder in folders.items():
        _check_room(place, root / folder)
    return config


def typed(merged: Mapping[str, Any]) -> Config:
    """The configuration of checked keys and values, without a look at what they name."""
    try:
        return Config.of(merged)
    except ValidationError as error:
        # A list in place of a word is meant as one: what is wrong with the list says more than that it is no such word.
        details = sorted(
            error.errors(include_url=False), key=lambda detail: str(detail["loc"][-1]).startswith("literal[")
        )
        described = [_described(detail, merged) for detail in details]
        place, message = max(described, key=lambda found: found[0].count("."))
        raise UserError(f"config: {place or 'configuration'}: {message}") from None


def _check_room(place: str, folder: Path) -> None:
    """`UserError` where a folder is none, and cannot be made, since something is in its way."""
    for part in (folder, *folder.parents):
        try:
            part.lstat()
        except OSError:
            continue
        if not part.is_dir():
            what = "a link that leads nowhere" if part.is_symlink() else "a file"
            raise UserError(f"config: {place}: {part} is {what}; name a folder")
        return


def made_folder(place: str, folder: Path) -> Path:
    """The folder, which is there now.

    Args:
        place: the key that names it, or the folder that it stands in.

    Raises:
        UserError: naming the key, where it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UserError(f"config: {place}: {folder} cannot be made ({reason}); name a folder to write to") from error
    return folder


def _check_labels(part: str, labels: Mapping[str, str]) -> None:
    taken = dict[str, str]()
    for name, label in labels.items():
        other = taken.setdefault(skeleton(label), name)
        if other != name:
            raise UserError(f"config: {part}.{name}.label: {label!r:.80} is that of {other}; choose another")


def _check_labels_of_models(config: Config) -> None:
    """`UserError` where two rows of one table would have one label: models of one contract, or judges, beside each
    other or the annotators' majority, or a system with its model."""
    annotators = {skeleton(label) for label in _ANNOTATORS}
    for name in config.judges:
        for place, given in ((f"models.{name}", name), (f"models.{name}.label", config.models[name].label or name)):
            # A capital O is a zero in what look-alikes have in common.
            if skeleton(given) in annotators:
                raise UserError(f"config: {place}: {given!r:.80} is that of the annotators' majority; choose another")
    alike: dict[str, dict[str, str]] = defaultdict(dict)
    for name, model in config.models.items():
        alike["judge" if name in config.judges else model.contract][name] = model.label or name
    for labels in alike.values():
        _check_labels("models", labels)
    taken = dict[str, str]()
    for name, entry in all_configurations(config).items():
        other = taken.setdefault(skeleton(entry.label), name)
        if other != name:
            place = f"models.{entry.model}" if entry.model else f"systems.{entry.system}"
            raise UserError(
                f"config: {place}.label: makes {entry.label!r:.80} of {name}, as {other} is called; choose another"
            )


def _check_names(config: Config) -> None:
    configurations = list(dict.fromkeys([*config.systems, *all_configurations(config)]))
    where = [*config.suites, *WORKLOADS]
    suites, systems = (config.suites, _SUITES), (configurations, _SYSTEMS)
    places, models = (where, f"run.workloads or {_SUITES}"), (config.models, _MODELS)
    named: dict[str, tuple[Iterable[str], tuple[Iterable[str], str]]] = {
        "run.suites": (config.run.suites, suites),
        "run.systems": (config.run.systems, systems),
        "run.only": (config.run.only, places),
        **{f"run.only.{place}": (only, systems) for place, only in config.run.only.items()},
        "run.embedders": (config.run.embedders, (config.embedders, _EMBEDDERS)),
        "erasure.most_rows": (config.erasure.most_rows, (config.systems, _SYSTEMS)),
        **{
            f"crosseval.factcons_lengths.{length}": (run, systems)
            for length, run in config.crosseval.factcons_lengths.items()
        },
        "llm.serve": (config.llm.serve, models),
        **{
            f"models.{name}.suites.{kind}": (getattr(model.suites, kind), places)
            for name, model in config.models.items()
            if isinstance(model.suites, ModelSuites)
            for kind in ModelSuites.model_fields
        },
        **{f"suites.{name}.revises": (filter(None, [suite.revises]), suites) for name, suite in config.suites.items()},
        **{f"systems.{name}.skip_suites": (system.skip_suites, places) for name, system in config.systems.items()},
        **{
            f"paper.{field}": ([getattr(config.paper, field)], suites)
            for field in ("template_suite", "adversarial_suite", "held_out_suite")
        },
    }
    for place, (wanted, (known, file)) in named.items():
        _known(place, wanted, known, file)
    for name, suite in config.suites.items():
        if suite.revises and config.suites[suite.revises].revises:
            raise UserError(f"config: suites.{name}.revises: {suite.revises} revises a suite itself; name another")
    if len(config.erasure.cases) != len(config.erasure.rows):
        said = f"{len(config.erasure.cases)} numbers, but erasure.rows has {len(config.erasure.rows)}"
        raise UserError(f"config: erasure.cases: {said}; give one for each")
    for name in config.llm.serve:
        if config.models[name].serve is None:
            raise UserError(f"config: llm.serve: {name} has an endpoint of its own; remove it from the list")
    if not chosen_suites(config):
        raise UserError("config: run.suites: none of these suites has a case; name another")


def _holds_cases(folder: Path) -> bool:
    """Whether a folder has a file of cases; the errata, which stand beside the suites' folders, are none."""
    try:
        return folder.exists() and any(file.name != ERRATA_FILE for file in case_files(folder))
    except UserError:
        return False


def _check_readable(name: str, suite: Suite) -> None:
    """Raise UserError where a file that its cases are read from is closed; the rules look into each."""
    for file in suite.files():
        if file.exists() and not os.access(file, os.R_OK):
            raise UserError(f"config: suites.{name}: {file} may not be read; fix its permissions")


def _check_suite(name: str, suite: Suite) -> None:
    kinds = {kind: getattr(suite, kind) for kind in ("cases_per_family", "folder", "source", "intake")}
    _exactly_one(f"suites.{name}", kinds)
    if name in WORKLOADS:
        raise UserError(f"config: suites.{name}: what runs besides the suites has this name; give the suite another")
    kinds["labels"] = suite.labels
    for kind, is_there in (("source", Path.is_file), ("labels", Path.is_file), ("folder", Path.is_dir)):
        path = kinds[kind]
        if path is not None and not (kind == "source" and suite.url) and not is_there(Path(path)):
            what = "folder" if kind == "folder" else "file"
            raise UserError(
                f"config: suites.{name}.{kind}: {path} is not a {what}; paths are relative to the working folder"
            )
    for kind, path in (("folder", suite.folder), ("twins_of", suite.twins_of)):
        if path is not None and not _holds_cases(Path(path)):
            raise UserError(f"config: suites.{name}.{kind}: {path} holds no case; name a folder of written cases")
    if suite.intake is not None:
        _check_room(f"suites.{name}.intake", Path(suite.intake))
    given = suite.model_fields_set
    if "url" in given and "sha256" not in given:
        raise UserError(f"config: suites.{name}.sha256: missing; what `url` gives is checked against it")
    if "seed" in given and not given & {"cases_per_family", "cases_per_category"}:
        raise UserError(f"config: suites.{name}.seed: is only for a suite with cases_per_family or cases_per_category")
    for option, kind in _BELONGS_TO.items():
        if option in given and kinds[kind] is None:
            raise UserError(f"config: suites.{name}.{option}: is only for a suite with {kind}")
    if suite.folder is not None:
        _check_version(f"suites.{name}.suite_version", suite.folder, suite.suite_version)


def _check_free(place: str, part: BaseModel) -> None:
    """`UserError` where a mapping of anybody's own keys holds what JSON, by which it is passed on, does not have."""
    for field, info in type(part).model_fields.items():
        if info.annotation == dict[str, Any]:
            _check_json(f"config: {place}.{field}", getattr(part, field))


def _check_json(place: str, value: Any) -> None:
    if isinstance(value, dict):
        for name, inner in value.items():
            if not isinstance(name, str):
                raise UserError(f"{place}: the key {name!s:.80} is not a string; put it in quotes")
            _check_json(f"{place}.{name}", inner)
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            _check_json(f"{place}.{position}", inner)
    elif isinstance(value, float) and not math.isfinite(value):
        raise UserError(f"{place}: must be a finite number, not {value}; put it in quotes if a text is meant")
    elif not (value is None or isinstance(value, str | int | float)):
        kind = type(value).__name__
        raise UserError(
            f"{place}: {value!s:.80} is a {kind}, which JSON does not have; put it in quotes, or write a list"
        )


def _check_version(place: str, folder: str, version: int | None) -> None:
    newest = newest_version(Path(folder))
    if version is not None and version > newest:
        raise UserError(f"config: {place}: {folder} has no version {version}; the newest is {newest}")


def _check_system(name: str, system: System, root: Path) -> None:
    if system.not_run:
        return
    for field in ("backend", "environment"):
        if not getattr(system, field):
            raise UserError(f"config: systems.{name}.{field}: missing; only a system with not_run may omit it")
    for operation, policy in system.policies.items():
        if policy not in POLICIES[operation]:
            known = ", ".join(POLICIES[operation])
            raise UserError(f"config: systems.{name}.policies.{operation}: {policy!r} is not one of {known}")
    try:
        backend_class(system.backend)
    except UserError as error:
        raise UserError(f"config: systems.{name}.backend: {error}") from None
    if system.backend in ADAPTERS and system.policies:
        raise UserError(
            f"config: systems.{name}.policies: backend {system.backend} has its own mutations; remove the policies"
        )
    lock = lock_file(root, system.environment)
    if system.environment != PIPELINE and not lock.is_file():
        raise UserError(f"config: systems.{name}.environment: {lock.relative_to(root)} does not exist")


def _check_model(name: str, model: Model, config: Config, root: Path) -> None:
    _known(f"models.{name}.systems", model.systems or (), config.systems, _SYSTEMS)
    for system in model.systems if isinstance(model.systems, list) else ():
        if config.systems[system].hook != "llm" and config.systems[system].gateway != "chat":
            asking = "one with `hook: llm` or `gateway: chat`"
            raise UserError(f"config: models.{name}.systems: {system} asks no chat model; name {asking}")
    check_fields(name, model)
    if model.serve is None:
        if model.base_url is None or model.model is None:
            raise UserError(f"config: models.{name}: give base_url with model, or serve")
        check_address(name, model.base_url)
        return
    for field in ("base_url", "model", "api_key_env"):
        if getattr(model, field) is not None:
            raise UserError(f"config: models.{name}.{field}: a model with `serve` has no endpoint; remove either")
    if model.serve.lock is not None and not (root / model.serve.lock).is_file():
        raise UserError(f"config: models.{name}.serve.weights: {model.serve.lock} does not exist")


def _exactly_one(place: str, values: Mapping[str, Any]) -> None:
    if sum(value is not None for value in values.values()) != 1:
        *names, last = values
        raise UserError(f"config: {place}: give exactly one of {', '.join(names)} and {last}")


def _known(place: str, wanted: Iterable[str], known: Iterable[str], file: str) -> None:
    for name in () if wanted == "all" else wanted:
        if name not in known:
            raise UserError(f"config: {place}: unknown name {name!r}; {file} has {_nearest(name, list(known))}")


def _nearest(name: str, known: Sequence[str]) -> str:
    """A few of the known names, those most alike to a wrong one; all where they are few."""
    if len(known) <= _FEW:
        return ", ".join(known)
    near = get_close_matches(name, known, n=_FEW, cutoff=0)
    return f"{', '.join(near)} and {len(known) - len(near)} others"


def _described(error: ErrorDetails, merged: Mapping[str, Any]) -> tuple[str, str]:
    """The dotted key of a mistake, and what is wrong with it."""
    path = _path(error["loc"], merged)
    if error["type"] == "missing":
        path.append(str(error["loc"][-1]))
    place, shown = ".".join(path), repr(error["input"])
    if path[-1:] == ["api_key_env"]:
        return place, "must be the name of an environment variable; it is not shown, in case it is a key"
    match error["type"]:
        case "literal_error" if error["loc"][-1] == "[key]":
            return place, f"unknown key; known keys: {error['ctx']['expected']}"
        case "string_pattern_mismatch" if error["loc"][-1] == "[key]":
            rule = "a name has letters, digits and _ . + - alone, and begins with a letter or a digit"
            return ".".join(path[:-1]), f"{shown}: {rule}"
        case "extra_forbidden":
            return place, f"unknown key; known keys: {', '.join(_model_at(path[:-1]).model_fields)}"
        case "missing":
            return place, "missing"
        case "finite_number":
            return place, f"must be a finite number, not {error['input']}"
        case "value_error":
            return place, error["msg"].removeprefix("Value error, ")
    said = error["msg"].removeprefix("Input ").removeprefix("String ").removeprefix("List ")
    return place, (f"{said}, not {shown}" if len(shown) < 60 else said) + _remedy(error["type"], error["input"])


def _remedy(mistake: str, given: Any) -> str:
    """What to do where YAML or Snakemake made another type of what was meant; empty where neither did."""
    if mistake == "string_type" and not isinstance(given, list | Mapping):
        return "; put it in quotes if a text is meant"
    if mistake not in ("int_type", "float_type", "bool_type") or not isinstance(given, str):
        return ""
    if _WITH_EXPONENT.fullmatch(given):
        return "; YAML takes it for a text: write it out, or with a point and a sign, as in 1.0e-6 or 1.0e+6"
    if _NO_TEXT.fullmatch(given):
        return "; write it without quotes in a file for --configfile, as --config makes texts of what is in braces"
    return ""


def _path(loc: Sequence[int | str], merged: Any) -> list[str]:
    """The keys of `loc` that lead into the configuration; what else it names is pydantic's."""
    path, place = list[str](), merged
    for part in loc:
        inside = place.keys() if isinstance(place, Mapping) else range(len(place)) if isinstance(place, list) else ()
        if part in inside:
            place = place[part]
            path.append(str(part))
    return path


def _model_at(path: Sequence[str]) -> type[BaseModel]:
    """The part of the configuration at a path of keys."""
    kind: Any = Config
    for part in path:
        if get_origin(kind) is dict:
            kind = get_args(kind)[1]
        else:
            annotated = kind.model_fields[part].annotation
            kind = next(inner for inner in (annotated, *get_args(annotated)) if _is_part(inner))
    assert isinstance(kind, type)
    return kind


def _is_part(kind: Any) -> bool:
    return get_origin(kind) is dict or (isinstance(kind, type) and issubclass(kind, BaseModel))


def _mapping(path: Path) -> dict[str, Any]:
    found = read_yaml(path)
    if not isinstance(found, dict):
        raise UserError(f"{path}: a configuration maps keys to values; this file does not")
    return found
