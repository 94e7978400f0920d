"""Write one table of the rows that ask a chat model."""

from pathlib import Path

from lethe.analysis.results import SuiteResults
from lethe.parquet import read_rows
from lethe.schemas import LLM_RUNS
from lethe.tables.llm_tables import cross_architecture_table, cross_llm_table, llm_cost_table
from lethe.workflow import job

with job(snakemake):
    labels, suites = snakemake.params.labels, snakemake.params.suites
    results = [SuiteResults.read(Path(p), s, labels) for s, p in zip(suites, snakemake.input.scores, strict=True)]
    runs = [row for path in snakemake.input.runs for row in read_rows(Path(path), LLM_RUNS)]
    name = snakemake.wildcards.table
    if name == "cross_llm":
        table = cross_llm_table(results[0], runs, snakemake.params.models)
    elif name == "cross_architecture":
        table = cross_architecture_table(results[0])
    else:
        table = llm_cost_table(results, runs)
    table.write(Path(snakemake.output.latex), Path(snakemake.output.csv))
