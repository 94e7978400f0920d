"""Count the pairs of a case and its twin that each configuration passes."""

from lethe.study.step import run_step
from lethe.study.steps.pair_twins import STEP
from lethe.workflow import job

with job(snakemake):
    run_step(STEP, snakemake)
