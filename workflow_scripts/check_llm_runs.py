"""Fail where a chat model, of a run or a judge, never answered."""

from pathlib import Path

from forgeteval.files import write_text
from lethe.parquet import read_rows
from lethe.schemas import JUDGEMENTS, LLM_RUNS
from lethe.study.judges import require_judgements, tally
from lethe.study.llm_runs import require_answers
from lethe.workflow import job

with job(snakemake):
    runs = [row for path in snakemake.input.runs for row in read_rows(Path(path), LLM_RUNS)]
    require_answers(runs)
    judgements = [row for path in snakemake.input.judgements for row in read_rows(Path(path), JUDGEMENTS)]
    require_judgements(judgements)
    given = f"{tally(judgements).judged} of {len(judgements)} judgements have a verdict"
    write_text(Path(snakemake.output.checked), f"{len(runs)} runs were answered, and {given}\n")
