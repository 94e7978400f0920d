"""Count the questions that each system passed on one benchmark of other authors."""

from lethe.study.step import run_step
from lethe.study.steps.score_crosseval import STEP
from lethe.workflow import job

with job(snakemake):
    run_step(STEP, snakemake)
