"""Count the pairs of a case and its twin that each configuration passes."""

from lethe.analysis.step import run_step
from lethe.analysis.steps.pair_twins import STEP
from lethe.workflow import job

with job(snakemake):
    run_step(STEP, snakemake)
