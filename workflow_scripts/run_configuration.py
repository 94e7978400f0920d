"""Run one configuration on all of its works, or some one after the other on that of an axis."""

from lethe.jobs.run_job import RunJob, run
from lethe.workflow import job

with job(snakemake):
    for each in RunJob.of(snakemake):
        run(each)
