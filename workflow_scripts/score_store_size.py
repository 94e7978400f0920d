"""Count each system's passed cases by store size."""

from lethe.analysis.step import run_step
from lethe.analysis.steps.score_store_size import STEP
from lethe.workflow import job

with job(snakemake):
    run_step(STEP, snakemake)
