"""Judge what the erasure audit found."""

from lethe.study.step import run_step
from lethe.study.steps.score_erasure import STEP
from lethe.workflow import job

with job(snakemake):
    run_step(STEP, snakemake)
