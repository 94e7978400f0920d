"""Score trials that somebody handed in."""

from lethe.study.step import run_step
from lethe.study.steps.score_handed_in import STEP
from lethe.workflow import job

with job(snakemake):
    run_step(STEP, snakemake)
