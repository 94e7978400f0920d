"""The pages from the tables, the figures and the trials of an output folder."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from lethe.analysis.inputs import Files
from lethe.analysis.plan import plan_trials
from lethe.analysis.setup import Setup
from lethe.cases.stored import suite_from_rows
from lethe.report.explorer import explorer_data
from lethe.report.page import render_page, render_replication
from lethe.schemas import CASES, TRIALS
from lethe.tables.table import Table


def build_pages(
    setup: Setup, files: Files, tables: Mapping[str, Table], figures: Sequence[Path], manifest: str
) -> tuple[str, str]:
    """The page of all tables, figures and trials, and the page of the replication.

    Args:
        tables: every table by name, in the order of the registry.
        figures: PNG files.
        manifest: SHA-256 of the manifest of these results, which both pages show.
    """
    inputs = {suite: plan_trials(setup, suite).inputs for suite in setup.suites}
    suites = {
        suite: suite_from_rows(row for path in named["cases"] for row in files.rows(CASES, path))
        for suite, named in inputs.items()
    }
    trials = (row for named in inputs.values() for path in named["trials"] for row in files.rows(TRIALS, path))
    page = render_page(list(tables.values()), figures, explorer_data(suites, trials, setup), manifest)
    return page, render_replication(tables, manifest)
