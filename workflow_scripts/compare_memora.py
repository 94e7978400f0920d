"""Set the answers to Memora's questions beside the released verdicts, question by question."""

from lethe.study.step import run_step
from lethe.study.steps.compare_memora import STEP
from lethe.workflow import job

with job(snakemake):
    run_step(STEP, snakemake)
