"""Take up what is recorded of the systems of the atlas."""

from pathlib import Path

from lethe.trust.atlas import take_up
from lethe.workflow import job

with job(snakemake):
    params, output = snakemake.params, snakemake.output
    cases = dict(zip(params.suites, map(Path, snakemake.input.cases), strict=True))
    written = map(Path, (output.trials, output.answers, output.records))
    made_from = params.long, params.seed, params.k
    take_up(Path(params.atlas), cases, *made_from, *written, params.fingerprint)
