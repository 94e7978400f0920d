"""Set the runs of one suite beside the published runs on the same cases, and ask what a published pass was worth."""

from lethe.study.step import run_step
from lethe.study.steps.compare_released import STEP
from lethe.workflow import job

with job(snakemake):
    run_step(STEP, snakemake)
