"""Suites by configuration: generated from templates, read from the authored files, or imported from JSON Lines."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lethe.forgeteval.authored_suite import AUTHORED, HELD_OUT, read_authored
from lethe.forgeteval.cases import Case, Mutation, read_jsonl
from lethe.forgeteval.external_suite import CASES_FILE
from lethe.forgeteval.template_suite import generate_template_suite
from lethe.parquet import read_rows, write_rows
from lethe.schemas import CASES

_SEED, _CASES_PER_FAMILY, _DISTRACTORS = 42, 200, 4
"""The paper's template suite (section "Template suite")."""


def build_suite(name: str, options: Mapping[str, Any]) -> list[Case]:
    """The cases of the suite `name` as its entry in `config/suites.yaml` describes it.

    Raises:
        LetheError: where a source is missing or a case is malformed.
    """
    if "source" in options:
        return read_jsonl(Path(options["source"]), name)
    if "intake" in options:
        return read_jsonl(Path(options["intake"]) / CASES_FILE, name)
    if options["generator"] == "template":
        return generate_template_suite(
            name,
            options.get("seed", _SEED),
            options.get("cases_per_family", _CASES_PER_FAMILY),
            options.get("distractors", _DISTRACTORS),
        )
    cases = read_authored(name, {"authored": AUTHORED, "held_out": HELD_OUT}[options["generator"]])
    limit = options.get("cases_per_category")
    return cases if limit is None else first_of_each_category(cases, limit)


def first_of_each_category(cases: Iterable[Case], limit: int) -> list[Case]:
    """The first `limit` cases of each category, in the order of `cases`."""
    taken: dict[str, int] = {}
    chosen = []
    for case in cases:
        taken[case.category] = taken.get(case.category, 0) + 1
        if taken[case.category] <= limit:
            chosen.append(case)
    return chosen


def write_suite(path: Path, cases: Sequence[Case], producer: str) -> None:
    """Write a suite's cases to Parquet."""
    rows = []
    for case in cases:
        row = {column.name: getattr(case, column.name) for column in CASES.columns}
        row["mutations"] = [{"op": m.op, "query": m.query, "text": m.text} for m in case.mutations]
        rows.append({name: list(value) if isinstance(value, tuple) else value for name, value in row.items()})
    write_rows(path, CASES, rows, producer)


def read_suite(path: Path) -> list[Case]:
    """Read a suite's cases from Parquet."""
    cases = []
    for row in read_rows(path, CASES):
        mutations = tuple(Mutation(**mutation) for mutation in row.pop("mutations"))
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in row.items()
        }
        cases.append(Case(mutations=mutations, **values))
    return cases
