"""The suites of the configuration: generated from templates, read from a folder of written cases, or imported."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from forgeteval.cases.case import Case
from forgeteval.cases.errata import without_withdrawn
from forgeteval.cases.imported import imported_cases
from forgeteval.cases.reading import case_files, read_cases, read_twins
from forgeteval.cases.sampling import any_of_each_category, first_of_each_category
from forgeteval.cases.template.suite import generate_template_suite

INTAKE_FILE = "cases.jsonl"
"""File of the admitted cases in the folder that `forgeteval intake` writes."""
_SEED, _CASES_PER_FAMILY, DISTRACTORS = 42, 200, 4
"""Parameters of the paper's template suite (section "Template suite")."""


def build_suite(name: str, options: Mapping[str, Any]) -> list[Case]:
    """The cases of the suite `name`, as its entry in `config/suites.yaml` describes it.

    Raises:
        UserError: if a source is missing or a case is malformed.
    """
    if "source" in options:
        return imported_cases(name, options)
    if "intake" in options:
        return read_cases(Path(options["intake"]) / INTAKE_FILE, name)
    if "folder" in options:
        folder = Path(options["folder"])
        if "twins_of" in options:
            cases = read_twins(folder, name, read_cases(Path(options["twins_of"]), ""))
        else:
            cases = read_cases(folder, name)
        cases = without_withdrawn(cases, options)
        limit, seed = options.get("cases_per_category"), options.get("seed")
        if limit is None:
            return cases
        return first_of_each_category(cases, limit) if seed is None else any_of_each_category(cases, limit, seed)
    return generate_template_suite(
        name,
        options.get("seed", _SEED),
        options.get("cases_per_family", _CASES_PER_FAMILY),
        options.get("distractors", DISTRACTORS),
    )


def suite_files(options: Mapping[str, Any]) -> list[Path]:
    """The files that a suite's cases are read from; none for a generated suite."""
    if "source" in options:
        return [Path(options[key]) for key in ("source", "labels") if key in options]
    if "intake" in options:
        return [Path(options["intake"]) / INTAKE_FILE]
    folders = (options[key] for key in ("folder", "twins_of") if key in options)
    return [path for folder in folders for path in case_files(Path(folder))]
