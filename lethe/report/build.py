"""The pages from the tables, the figures, the analysis and the trials of an output folder."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from lethe.findings.numbers import Numbers, numbers_of
from lethe.report.findings import findings
from lethe.report.inputs import SuiteInputs, read_suite_inputs
from lethe.report.page import Contents, render_page, render_replication
from lethe.report.rates import category_rates
from lethe.report.standings import suite_standings
from lethe.report.systems import describe_systems
from lethe.report.trials import suite_trials
from lethe.report.words import WORDS
from lethe.study.inputs import Files
from lethe.study.setup import Setup
from lethe.tables.table import Table


def build_pages(
    setup: Setup,
    files: Files,
    tables: Mapping[str, Table],
    figures: Sequence[Path],
    manifest: str,
    packages: Mapping[str, Sequence[str]],
) -> tuple[str, str]:
    """The page of findings, systems, trials, tables and figures, and the page of the replication.

    Args:
        tables: every table by name, in the order of the registry.
        figures: PNG files.
        manifest: SHA-256 of the manifest of these results, which both pages show.
        packages: `NAME==VERSION` of what each environment of the run held.
    """
    read = [read_suite_inputs(setup, files, suite) for suite in setup.suites]
    contents = contents_of(setup, read, numbers_of(setup, files), tables, packages)
    return render_page(contents, list(tables.values()), figures, manifest), render_replication(tables, manifest)


def contents_of(
    setup: Setup,
    read: Sequence[SuiteInputs],
    numbers: Numbers,
    tables: Mapping[str, Table],
    packages: Mapping[str, Sequence[str]],
) -> Contents:
    """What the page shows of these suites beside tables and figures; arguments as of `build_pages`."""
    return Contents(
        findings(numbers, tables),
        {
            "main": setup.adversarial_suite,
            "scorer": setup.scorer,
            "meaning": WORDS["measures"],
            "systems": describe_systems(setup, tables, packages),
            "suites": [suite_standings(each) for each in read],
        },
        [
            {
                **suite_trials(each.cases, each.trials, each.verdicts, each.pairs, setup),
                "rates": category_rates(each),
            }
            for each in read
        ],
    )
