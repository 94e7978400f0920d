"""Read what the authors released beside the cases."""

from pathlib import Path

from lethe.parquet import write_rows
from lethe.study.released.reading import READERS
from lethe.workflow import job

with job(snakemake):
    folder, output = Path(snakemake.input.verdicts).parent, snakemake.output
    for name, (_, table, read) in READERS.items():
        write_rows(Path(output[name]), table, read(folder), snakemake.params.fingerprint)
