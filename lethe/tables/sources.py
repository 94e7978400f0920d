"""What builders name as their inputs: each source says, of a configuration, which input it is or why there is none."""

from collections.abc import Callable

from lethe import schemas
from lethe.schemas import Table
from lethe.study import inputs
from lethe.study.inputs import PUBLISHED, Input, given, joined, keyed, listed
from lethe.study.setup import Setup

Source = Callable[[Setup], Input | str]
"""An input, or the reason why it does not exist in this configuration."""


def record(setup: Setup) -> Input:
    """The record of the configuration itself."""
    return given(setup)


def published_numbers(_: Setup) -> Input:
    """The numbers that the paper printed."""
    return PUBLISHED


def rows(table: Table) -> Source:
    """Rows of a Parquet file that every configuration has."""
    return lambda setup: inputs.rows(table)


def rows_if(table: Table, exists: Callable[[Setup], object]) -> Source:
    """Rows of a Parquet file; none where the configuration does not have it, which the builder then says."""
    return lambda setup: inputs.rows(table) if exists(setup) else given([])


def main(table: Table) -> Source:
    """Rows of a Parquet file about the adversarial suite."""

    def source(setup: Setup) -> Input | str:
        suite = setup.adversarial_suite
        return inputs.rows(table, suite=suite) if suite in setup.suites else reason_no_suite(setup, suite)

    return source


def each_suite(table: Table) -> Source:
    """Rows of a Parquet file of every suite, one after another."""
    return lambda setup: joined(inputs.rows(table, suite=suite) for suite in setup.suites)


def compared(table: Table) -> Source:
    """Rows of a Parquet file of every suite that has published verdicts."""
    return lambda setup: joined(inputs.rows(table, suite=suite) for suite in setup.compared_suites().values())


def of_paper(setup: Setup) -> str | None:
    """The suite of the paper's cases; None where it is not run, or there is no release."""
    return setup.labelled_suite


def labelled(table: Table) -> Source:
    """Rows about the paper's cases, or the sample of them that people labelled; none without the release."""
    return lambda setup: inputs.rows(table, suite=suite) if (suite := of_paper(setup)) else given([])


def judged(suite_of: Callable[[Setup], str | None]) -> Source:
    """What every judge said of one suite; none where there is no such suite."""

    def source(setup: Setup) -> Input:
        suite = suite_of(setup)
        names = setup.judging(suite) if suite else []
        return joined(inputs.rows(schemas.JUDGEMENTS, suite=suite or "", model=name) for name in names)

    return source


def results_of(suite_of: Callable[[Setup], str]) -> Source:
    """The scores of one suite, as `lethe.study.results.SuiteResults`."""

    def source(setup: Setup) -> Input | str:
        suite = suite_of(setup)
        return inputs.results(setup, suite) if suite in setup.suites else reason_no_suite(setup, suite)

    return source


def results_if(suite_of: Callable[[Setup], str | None]) -> Source:
    """The same; None where the suite is not run, which the builder then says."""

    def source(setup: Setup) -> Input:
        suite = suite_of(setup)
        return inputs.results(setup, suite) if suite is not None and suite in setup.suites else given(None)

    return source


main_results = results_of(lambda setup: setup.adversarial_suite)
"""The scores of the adversarial suite."""


def every_results(setup: Setup) -> Input | str:
    """The scores of every suite by its name."""
    found = {suite: inputs.results(setup, suite) for suite in setup.suites}
    return keyed(found) if found else "not run: left out by run.suites"


def samples_of(suite_of: Callable[[Setup], str]) -> Source:
    """The scores of the suites that hold some of the cases of another, as a list."""
    return lambda setup: listed(inputs.results(setup, name) for name in setup.samples_of(suite_of(setup)))


def benchmark(name: str) -> Source:
    """The scores of a benchmark of other authors; none where nothing runs on it."""
    return lambda setup: (
        inputs.rows(schemas.CROSSEVAL_SCORES, benchmark=name) if setup.benchmarks[name].runs else given([])
    )


def reason_no_suite(setup: Setup, suite: str) -> str:
    """Why there are no results of a suite."""
    empty = setup.empty_suites.get(suite)
    return empty.reason if empty else "not run: left out by run.suites"
