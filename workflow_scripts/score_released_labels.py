"""Measure how the paper's annotators and judges agree, from the released labels."""

from lethe.study.step import run_step
from lethe.study.steps.score_released_labels import STEP
from lethe.workflow import job

with job(snakemake):
    run_step(STEP, snakemake)
