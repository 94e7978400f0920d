"""Write the judge audit and the matrix of the judges' agreement."""

from pathlib import Path

from lethe.parquet import read_rows
from lethe.schemas import JUDGEMENTS
from lethe.tables.judges import judge_audit_table, judge_matrix_table
from lethe.workflow import job

with job(snakemake):
    params, output = snakemake.params, snakemake.output
    rows = [row for path in snakemake.input.judgements for row in read_rows(Path(path), JUDGEMENTS)]
    arguments = (rows, params.label, params.judges, params.not_run)
    judge_audit_table(*arguments).write(Path(output.audit_latex), Path(output.audit_csv))
    judge_matrix_table(*arguments).write(Path(output.matrix_latex), Path(output.matrix_csv))
