"""Count the passes with each embedder."""

from lethe.analysis.step import run_step
from lethe.analysis.steps.score_embedder_ablation import STEP
from lethe.workflow import job

with job(snakemake):
    run_step(STEP, snakemake)
