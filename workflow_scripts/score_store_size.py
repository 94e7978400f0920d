"""Count each system's passed cases by store size."""

from lethe.study.step import run_step
from lethe.study.steps.score_store_size import STEP
from lethe.workflow import job

with job(snakemake):
    run_step(STEP, snakemake)
