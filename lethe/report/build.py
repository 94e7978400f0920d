"""The pages from the tables, the figures, the analysis and the trials of an output folder."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from lethe.analysis.inputs import Files
from lethe.analysis.setup import Setup
from lethe.report.findings import findings
from lethe.report.inputs import read_suite_inputs
from lethe.report.page import Contents, render_page, render_replication
from lethe.report.standings import suite_standings
from lethe.report.systems import describe_systems
from lethe.report.trials import suite_trials
from lethe.tables.table import Table


def build_pages(
    setup: Setup, files: Files, tables: Mapping[str, Table], figures: Sequence[Path], manifest: str
) -> tuple[str, str]:
    """The page of findings, systems, trials, tables and figures, and the page of the replication.

    Args:
        tables: every table by name, in the order of the registry.
        figures: PNG files.
        manifest: SHA-256 of the manifest of these results, which both pages show.
    """
    read = [read_suite_inputs(setup, files, suite) for suite in setup.suites]
    standings = [suite_standings(each) for each in read]
    contents = Contents(
        findings(setup, standings),
        {
            "main": setup.adversarial_suite,
            "scorer": setup.scorer,
            "systems": describe_systems(setup, tables),
            "suites": standings,
        },
        [suite_trials(each.cases, each.trials, each.verdicts, each.pairs, setup) for each in read],
    )
    return render_page(contents, list(tables.values()), figures, manifest), render_replication(tables, manifest)
