"""Run one configuration on all of its works, or on those of an axis."""

from lethe.jobs.run_job import RunJob, run
from lethe.workflow import job

with job(snakemake):
    run(RunJob.of(snakemake))
