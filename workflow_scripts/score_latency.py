"""Take the time per case of each configuration."""

from lethe.study.step import run_step
from lethe.study.steps.score_latency import STEP
from lethe.workflow import job

with job(snakemake):
    run_step(STEP, snakemake)
