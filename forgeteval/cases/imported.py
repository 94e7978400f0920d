"""Suites that are a file: of cases by anybody, or as the paper's authors and Letta released theirs."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from forgeteval.cases.case import FAMILIES, Case
from forgeteval.cases.interchange import cases_sha256
from forgeteval.cases.letta_core_memory import read_letta
from forgeteval.cases.reading import read_cases
from forgeteval.cases.released import one_surface_form
from forgeteval.csv_cells import read_lines
from forgeteval.errors import UserError

LETTA = "letta_core_memory"
"""The `form` of a source that is Letta's core_memory_update."""
ONE_SURFACE_FORM = "one_surface_form"
"""That of cases whose cross-lingual queries are reduced to one surface form."""
_PROVENANCES = {"handcrafted": "core", "generated": "expansion"}
"""The release's words to ours."""


def imported_cases(name: str, options: Mapping[str, Any]) -> list[Case]:
    """The cases of the source of a suite, with its labels.

    Raises:
        UserError: where a file cannot be read or is malformed, or the cases do not have the pinned checksum.
    """
    cases = read_source(name, Path(options["source"]), options)
    if "labels" in options:
        path = Path(options["labels"])
        labels = _read_labels(path)
        if lacking := [case.case_id for case in cases if case.case_id not in labels]:
            problem = f"{len(lacking)} of the {len(cases)} cases of {name} have no line, such as {lacking[0]!r:.80}"
            raise UserError(f"{path}: {problem}; check `labels` of the suite")
        cases = [replace(case, **labels[case.case_id]) for case in cases]
    return [one_surface_form(case) for case in cases] if options.get("form") == ONE_SURFACE_FORM else cases


def read_source(name: str, path: Path, options: Mapping[str, Any]) -> list[Case]:
    """The cases of a file in the form that the options of the suite give.

    Raises:
        UserError: where it cannot be read, has no case, one is malformed, or the cases do not have the pinned checksum.
    """
    cases = read_letta(path, name) if options.get("form") == LETTA else read_cases(path, name)
    if not cases:
        raise UserError(f"{path}: contains no case that can be scored; a suite needs at least one")
    expected, found = options.get("sha256"), cases_sha256(cases)
    if expected and found != expected:
        pinned = f"not the {expected} of suites.{name}.sha256"
        raise UserError(f"{path}: the checksum of the cases is {found}, {pinned}; another release has other results")
    return cases


def _read_labels(path: Path) -> dict[str, dict[str, Any]]:
    """Case id to provenance and family, from the released provenance.csv."""
    labels: dict[str, dict[str, Any]] = {}
    for case_id, label in read_lines(path, _label, "the released labels", "check `labels` of the suite"):
        if case_id in labels:
            raise UserError(f"{path}: {case_id} has two lines; check `labels` of the suite")
        labels[case_id] = label
    return labels


def _label(fields: Mapping[str, str]) -> tuple[str, dict[str, Any]]:
    for name, known in (("provenance", _PROVENANCES), ("family", FAMILIES)):
        if fields[name] not in known:
            raise ValueError(f"{name} {fields[name]!r} is none of {', '.join(known)}")
    return fields["case_id"], {"provenance": _PROVENANCES[fields["provenance"]], "family": fields["family"]}
