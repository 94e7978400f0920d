"""Measure how alike the cases of one suite are."""

from lethe.study.step import run_step
from lethe.study.steps.find_near_duplicates import STEP
from lethe.workflow import job

with job(snakemake):
    run_step(STEP, snakemake)
