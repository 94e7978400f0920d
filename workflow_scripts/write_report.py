"""Write the report for people: the page of all tables, figures and trials, and the page of the replication."""

from pathlib import Path

from lethe.analysis.setup import Setup
from lethe.cases.stored import read_suite
from lethe.files import write_text
from lethe.parquet import read_rows
from lethe.report.explorer import explorer_data
from lethe.report.page import render_page, render_replication
from lethe.schemas import TRIALS
from lethe.tables.table import Table
from lethe.workflow import job

with job(snakemake):
    given, output = snakemake.input, snakemake.output
    setup = Setup.from_json(snakemake.params.setup)
    suites = {name: read_suite(Path(path)) for name, path in zip(setup.suites, given.cases, strict=True)}
    trials = (row for path in given.trials for row in read_rows(Path(path), TRIALS))
    tables = {Path(path).stem: Table.from_json(Path(path).read_text(encoding="utf-8")) for path in given.tables}
    page = render_page(
        list(tables.values()), [Path(path) for path in given.figures], explorer_data(suites, trials, setup)
    )
    write_text(Path(output.page), page)
    write_text(Path(output.replication), render_replication(tables))
