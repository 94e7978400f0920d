"""Count what was there when the long histories asked for it."""

from lethe.study.step import run_step
from lethe.study.steps.score_long import STEP
from lethe.workflow import job

with job(snakemake):
    run_step(STEP, snakemake)
