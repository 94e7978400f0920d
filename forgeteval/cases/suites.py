"""The suites of the configuration: generated from templates, read from a folder of written cases, or imported."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from forgeteval.cases.case import FAMILIES, Case
from forgeteval.cases.errata import without_withdrawn
from forgeteval.cases.interchange import cases_sha256, read_jsonl
from forgeteval.cases.letta_core_memory import read_letta
from forgeteval.cases.released import one_surface_form
from forgeteval.cases.sampling import any_of_each_category, first_of_each_category
from forgeteval.cases.template.suite import generate_template_suite
from forgeteval.cases.written import category_files, read_twins, read_written
from forgeteval.csv_cells import read_lines
from forgeteval.errors import UserError

INTAKE_FILE = "cases.jsonl"
"""File of the admitted cases in the folder that `lethe intake` writes."""
LETTA = "letta_core_memory"
"""The `form` of a source that is Letta's core_memory_update."""
_SEED, _CASES_PER_FAMILY, _DISTRACTORS = 42, 200, 4
"""Parameters of the paper's template suite (section "Template suite")."""
_PROVENANCES = {"handcrafted": "core", "generated": "expansion"}
"""The release's words to ours."""


def build_suite(name: str, options: Mapping[str, Any]) -> list[Case]:
    """The cases of the suite `name`, as its entry in `config/suites.yaml` describes it.

    Raises:
        UserError: if a source is missing or a case is malformed.
    """
    if "source" in options:
        return _imported(name, options)
    if "intake" in options:
        return read_jsonl(Path(options["intake"]) / INTAKE_FILE, name)
    if "folder" in options:
        folder = Path(options["folder"])
        if "twins_of" in options:
            cases = read_twins(name, folder, read_written("", Path(options["twins_of"])))
        else:
            cases = read_written(name, folder)
        cases = without_withdrawn(cases, options)
        limit, seed = options.get("cases_per_category"), options.get("seed")
        if limit is None:
            return cases
        return first_of_each_category(cases, limit) if seed is None else any_of_each_category(cases, limit, seed)
    return generate_template_suite(
        name,
        options.get("seed", _SEED),
        options.get("cases_per_family", _CASES_PER_FAMILY),
        options.get("distractors", _DISTRACTORS),
    )


def read_source(name: str, path: Path, options: Mapping[str, Any]) -> list[Case]:
    """The cases of a file in the form that the options of the suite give.

    Raises:
        UserError: where it cannot be read, a case is malformed, or the cases do not have the pinned checksum.
    """
    cases = read_letta(path, name) if options.get("form") == LETTA else read_jsonl(path, name)
    expected, found = options.get("sha256"), cases_sha256(cases)
    if expected and found != expected:
        pinned = f"not the {expected} of suites.{name}.sha256"
        raise UserError(f"{path}: the checksum of the cases is {found}, {pinned}; another release has other results")
    return cases


def _imported(name: str, options: Mapping[str, Any]) -> list[Case]:
    cases = read_source(name, Path(options["source"]), options)
    if "labels" in options:
        labels = _read_labels(Path(options["labels"]))
        cases = [replace(case, **labels.get(case.case_id, {})) for case in cases]
    return [one_surface_form(case) for case in cases] if options.get("one_surface_form") else cases


def _read_labels(path: Path) -> dict[str, dict[str, Any]]:
    """Case id to provenance and family, from the released provenance.csv."""
    labels: dict[str, dict[str, Any]] = {}
    for case_id, label in read_lines(path, _label, "the released labels", "check `labels` of the suite"):
        if case_id in labels:
            raise UserError(f"{path}: {case_id} has two lines; check `labels` of the suite")
        labels[case_id] = label
    return labels


def _label(fields: Mapping[str, str]) -> tuple[str, dict[str, Any]]:
    family = fields["family"]
    if family not in FAMILIES:
        raise ValueError(f"family {family!r} is none of {', '.join(FAMILIES)}")
    return fields["case_id"], {"provenance": _PROVENANCES[fields["provenance"]], "family": family}


def suite_files(options: Mapping[str, Any]) -> list[Path]:
    """The files that a suite's cases are read from; none for a generated suite."""
    if "source" in options:
        return [Path(options[key]) for key in ("source", "labels") if key in options]
    if "intake" in options:
        return [Path(options["intake"]) / INTAKE_FILE]
    folders = (options[key] for key in ("folder", "twins_of") if key in options)
    return [path for folder in folders for path in category_files(Path(folder))]
