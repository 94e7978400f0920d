"""Count the passes of the matcher without each kind of evidence."""

from lethe.study.step import run_step
from lethe.study.steps.score_ablation import STEP
from lethe.workflow import job

with job(snakemake):
    run_step(STEP, snakemake)
