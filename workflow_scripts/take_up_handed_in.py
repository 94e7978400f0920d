"""Take up trials that somebody handed in."""

from pathlib import Path

from lethe.trust.take_up import take_up
from lethe.workflow import job

with job(snakemake):
    given = snakemake.input
    out, producer = Path(snakemake.output.trials), snakemake.params.fingerprint
    take_up(Path(given.record), snakemake.wildcards.suite, Path(given.cases), out, producer)
