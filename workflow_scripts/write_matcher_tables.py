"""Write the two tables about the matcher as LaTeX and CSV."""

from pathlib import Path

from lethe.cases.stored import read_suite
from lethe.parquet import read_rows
from lethe.schemas import TRIALS
from lethe.tables.matcher import SuiteRuns, ablation_table, held_out_table
from lethe.workflow import job

with job(snakemake):
    given, params, output = snakemake.input, snakemake.params, snakemake.output

    def trials(paths):
        return {Path(path).stem: read_rows(Path(path), TRIALS) for path in paths}

    cases = read_suite(Path(given.cases))
    developed_on = SuiteRuns(params.suite, cases, trials(given.trials))
    held_out = (
        SuiteRuns(params.held_out_suite, read_suite(Path(given.held_out_cases[0])), trials(given.held_out_trials))
        if given.held_out_cases
        else None
    )
    labels = {row: label for row, label in params.labels.items() if row in developed_on.trials}
    held_out_table(developed_on, held_out, labels).write(Path(output.held_out), Path(output.held_out_csv))
    ablation_table(cases, trials(given.ablations), params.suite).write(Path(output.ablation), Path(output.ablation_csv))
