"""What the report reads of each suite beside tables and figures."""

from collections.abc import Iterable
from dataclasses import dataclass

from forgeteval.cases.case import Case
from lethe import schemas
from lethe.parquet import Row
from lethe.stored.cases import suite_from_rows
from lethe.study import paths
from lethe.study.inputs import Files
from lethe.study.results import SuiteResults
from lethe.study.setup import Setup

_ANALYSED = (schemas.SCORES, schemas.FACT_STATES, schemas.VERDICTS, schemas.PAIRED)


@dataclass(frozen=True, slots=True)
class SuiteInputs:
    """One suite: its cases, what ran on it, and what the analysis made of that.

    Attributes:
        states, verdicts, pairs, trials: rows of `lethe.schemas.FACT_STATES`, `VERDICTS`, `PAIRED` and `TRIALS`.
    """

    results: SuiteResults
    cases: list[Case]
    states: list[Row]
    verdicts: list[Row]
    pairs: list[Row]
    trials: list[Row]


def analysed_paths(suites: Iterable[str]) -> list[str]:
    """The files of the analysis that the report reads."""
    return [table.path.format(suite=suite) for suite in suites for table in _ANALYSED]


def read_suite_inputs(setup: Setup, files: Files, suite: str) -> SuiteInputs:
    """Everything that the report shows of a suite."""
    scores, states, verdicts, pairs = (files.rows(table, table.path.format(suite=suite)) for table in _ANALYSED)
    return SuiteInputs(
        SuiteResults.of(scores, suite, setup),
        suite_from_rows(row for path in paths.cases(suite) for row in files.rows(schemas.CASES, path)),
        states,
        verdicts,
        pairs,
        [row for path in paths.trials(setup, suite) for row in files.rows(schemas.TRIALS, path)],
    )
