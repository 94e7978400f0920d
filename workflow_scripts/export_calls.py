"""Write the log of every chat call to Parquet."""

from pathlib import Path

from lethe.trust.recorded_answers import export_calls
from lethe.workflow import job

with job(snakemake):
    export_calls(Path(snakemake.params.cache), Path(snakemake.output.calls), snakemake.params.fingerprint)
