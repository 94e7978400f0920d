"""Cases as Parquet."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from forgeteval.cases.case import Case, Mutation
from forgeteval.cases.states import FactState
from lethe.parquet import Row, read_rows, write_rows
from lethe.schemas import CASES

_TOLD = "+told"


def write_suite(path: Path, cases: Sequence[Case], producer: str) -> None:
    """Write a suite's cases to Parquet."""
    write_rows(path, CASES, suite_rows(cases), producer)


def suite_rows(cases: Iterable[Case]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.CASES`."""
    rows = []
    for case in cases:
        row = {column.name: getattr(case, column.name) for column in CASES.columns}
        row["mutations"] = [{"op": m.op, "query": m.query, "text": m.text} for m in case.mutations]
        if case.owners is not None:
            row["owners"] = [list(own) for own in case.owners]
        if case.states is not None:
            row["states"] = [{"fact": s.fact, "state": s.state, "any_of": list(s.any_of)} for s in case.states]
        rows.append({name: list(value) if isinstance(value, tuple) else value for name, value in row.items()})
    return rows


def read_suite(path: Path) -> list[Case]:
    """Read a suite's cases from Parquet."""
    return suite_from_rows(read_rows(path, CASES))


def suite_from_rows(rows: Iterable[Row]) -> list[Case]:
    """The cases of rows of `lethe.schemas.CASES`."""
    cases = []
    for row in rows:
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in row.items()
        }
        values["mutations"] = tuple(Mutation(**mutation) for mutation in row["mutations"])
        if row["owners"] is not None:
            values["owners"] = tuple(tuple(own) for own in row["owners"])
        if row["states"] is not None:
            values["states"] = tuple(FactState(s["fact"], s["state"], tuple(s["any_of"])) for s in row["states"])
        cases.append(Case(**values))
    return cases


def suite_texts(cases: Path) -> dict[str, list[str]]:
    """The texts of a suite, for `lethe.jobs.embed_job`."""
    return {"vectors": [text for case in read_suite(cases) for text in case.texts()]}


def cases_at_size(cases: Iterable[Case], size: int) -> list[Case]:
    """The cases under the suite name that their trials among `size` unrelated memories have."""
    return [replace(case, suite=suite_at_size(case.suite, size)) for case in cases]


def cases_as_told(cases: Iterable[Case]) -> list[Case]:
    """What the cases tell, before any mutation: each fact has to come back where it is asked for by its own text."""
    return [
        Case(
            case.case_id,
            suite_as_told(case.suite),
            case.category,
            case.setup_facts,
            (),
            case.setup_facts[0],
            case.setup_facts[:1],
            (),
            gold_rows=case.setup_facts,
            states=tuple(FactState(number, "stays", (fact,)) for number, fact in enumerate(case.setup_facts)),
        )
        for case in cases
    ]


def suite_as_told(suite: str) -> str:
    """`SUITE+told`, the suite column of their trials."""
    return f"{suite}{_TOLD}"


def suite_of_trials(suite: str) -> str:
    """The suite whose cases a suite column is about.

    >>> suite_of_trials("adversarial+told"), suite_of_trials("adversarial")
    ('adversarial', 'adversarial')
    """
    return suite.removesuffix(_TOLD)


def suite_at_size(suite: str, size: int) -> str:
    """`SUITE+SIZE`, the suite column of the trials."""
    return f"{suite}+{size}"
