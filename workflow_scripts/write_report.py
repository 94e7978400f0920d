"""Write the report for people: one HTML page."""

from pathlib import Path

from lethe.cases.stored import read_suite
from lethe.files import write_text
from lethe.parquet import read_rows
from lethe.report.explorer import explorer_data
from lethe.report.page import read_table, render_page
from lethe.schemas import TRIALS
from lethe.workflow import job

with job(snakemake):
    given, params = snakemake.input, snakemake.params
    suites = {name: read_suite(Path(path)) for name, path in zip(params.suites, given.cases, strict=True)}
    trials = [row for path in given.trials for row in read_rows(Path(path), TRIALS)]
    explorer = explorer_data(suites, trials, params.systems, params.suite_labels)
    tables = [read_table(Path(path)) for path in given.tables]
    figures = [Path(path) for path in given.figures]
    write_text(Path(snakemake.output.page), render_page(tables, figures, explorer))
