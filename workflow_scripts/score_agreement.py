"""Measure how annotators and judges agree."""

from lethe.study.step import run_step
from lethe.study.steps.score_agreement import STEP
from lethe.workflow import job

with job(snakemake):
    run_step(STEP, snakemake)
