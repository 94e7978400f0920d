"""Fail where a run's chat model never answered."""

from pathlib import Path

from lethe.analysis.llm_runs import require_answers
from lethe.parquet import read_rows, write_text
from lethe.schemas import LLM_RUNS
from lethe.workflow import job

with job(snakemake):
    runs = [row for path in snakemake.input.runs for row in read_rows(Path(path), LLM_RUNS)]
    require_answers(runs)
    write_text(Path(snakemake.output.checked), f"{len(runs)} runs with a chat model were answered\n")
