"""Count the passes with each embedder."""

from lethe.study.step import run_step
from lethe.study.steps.score_embedder_ablation import STEP
from lethe.workflow import job

with job(snakemake):
    run_step(STEP, snakemake)
