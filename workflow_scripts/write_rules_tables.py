"""Write the two tables about the rules hook as LaTeX and CSV."""

from pathlib import Path

from lethe.forgeteval.suites import read_suite
from lethe.paper.rules_tables import ablation_table, held_out_table
from lethe.parquet import read_rows
from lethe.schemas import TRIALS
from lethe.workflow import job

with job(snakemake):
    given, params, output = snakemake.input, snakemake.params, snakemake.output
    cases = read_suite(Path(given.cases))
    runs = {Path(path).stem: read_rows(Path(path), TRIALS) for path in given.trials}
    ablations = {Path(path).stem: read_rows(Path(path), TRIALS) for path in given.ablations}
    labels = {row: label for row, label in params.labels.items() if row in runs}
    held_out_table(cases, runs, labels, params.suite).write(Path(output.held_out), Path(output.held_out_csv))
    ablation_table(cases, ablations, params.suite).write(Path(output.ablation), Path(output.ablation_csv))
