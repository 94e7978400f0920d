"""Compare every two systems on one suite case by case, and take the label partition."""

from lethe.study.step import run_step
from lethe.study.steps.compare_systems import STEP
from lethe.workflow import job

with job(snakemake):
    run_step(STEP, snakemake)
