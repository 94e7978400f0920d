"""Give one suite's trials their verdict under each scorer, and count passes by system and part of the suite."""

from lethe.study.step import run_step
from lethe.study.steps.score_trials import STEP
from lethe.workflow import job

with job(snakemake):
    run_step(STEP, snakemake)
