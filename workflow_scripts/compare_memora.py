"""Set the answers to Memora's questions beside the released verdicts, question by question."""

from lethe.analysis.step import run_step
from lethe.analysis.steps.compare_memora import STEP
from lethe.workflow import job

with job(snakemake):
    run_step(STEP, snakemake)
