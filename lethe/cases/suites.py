"""The suites of the configuration: generated from templates, read from a folder of written cases, or imported."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lethe.cases.case import Case
from lethe.cases.interchange import read_jsonl
from lethe.cases.stored import first_of_each_category
from lethe.cases.template.suite import generate_template_suite
from lethe.cases.written import category_files, read_written

INTAKE_FILE = "cases.jsonl"
"""File of the admitted cases in the folder that `lethe intake` writes."""
_SEED, _CASES_PER_FAMILY, _DISTRACTORS = 42, 200, 4
"""Parameters of the paper's template suite (section "Template suite")."""


def build_suite(name: str, options: Mapping[str, Any]) -> list[Case]:
    """The cases of the suite `name`, as its entry in `config/suites.yaml` describes it.

    Raises:
        LetheError: if a source is missing or a case is malformed.
    """
    if "source" in options:
        return read_jsonl(Path(options["source"]), name)
    if "intake" in options:
        return read_jsonl(Path(options["intake"]) / INTAKE_FILE, name)
    if "folder" in options:
        cases = read_written(name, Path(options["folder"]))
        limit = options.get("cases_per_category")
        return cases if limit is None else first_of_each_category(cases, limit)
    return generate_template_suite(
        name,
        options.get("seed", _SEED),
        options.get("cases_per_family", _CASES_PER_FAMILY),
        options.get("distractors", _DISTRACTORS),
    )


def suite_files(options: Mapping[str, Any]) -> list[Path]:
    """The files that a suite's cases are read from; none for a generated suite."""
    if "source" in options:
        return [Path(options["source"])]
    if "intake" in options:
        return [Path(options["intake"]) / INTAKE_FILE]
    return category_files(Path(options["folder"])) if "folder" in options else []
