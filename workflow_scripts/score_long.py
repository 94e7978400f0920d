"""Count what was there when the long histories asked for it."""

from lethe.analysis.step import run_step
from lethe.analysis.steps.score_long import STEP
from lethe.workflow import job

with job(snakemake):
    run_step(STEP, snakemake)
