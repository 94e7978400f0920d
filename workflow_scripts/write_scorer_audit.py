"""Write the scorer audit: the table, and the list of trials on which scorers disagree."""

from pathlib import Path

from lethe.files import write_text
from lethe.parquet import read_rows
from lethe.schemas import SCORER_AUDIT
from lethe.tables.scorer_audit import scorer_audit_cases, scorer_audit_table
from lethe.workflow import job

with job(snakemake):
    trials = read_rows(Path(snakemake.input.audit), SCORER_AUDIT)
    table = scorer_audit_table(trials, snakemake.params.label)
    table.write(Path(snakemake.output.latex), Path(snakemake.output.csv))
    write_text(Path(snakemake.output.cases), scorer_audit_cases(trials).to_csv())
