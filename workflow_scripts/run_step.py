"""Run a step of the analysis on its files."""

from importlib import import_module

from lethe.study.step import run_step
from lethe.workflow import job

with job(snakemake):
    run_step(import_module(snakemake.params.step).STEP, snakemake)
