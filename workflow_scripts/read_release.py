"""Read what the authors released beside the cases."""

from pathlib import Path

from lethe.parquet import write_rows
from lethe.schemas import RELEASED_LABELS, RELEASED_MEMORA, RELEASED_VERDICTS
from lethe.study.released.reading import read_labels, read_memora, read_verdicts
from lethe.workflow import job

with job(snakemake):
    folder, output = Path(snakemake.input.verdicts).parent, snakemake.output
    fingerprint = snakemake.params.fingerprint
    write_rows(Path(output.verdicts), RELEASED_VERDICTS, read_verdicts(folder), fingerprint)
    write_rows(Path(output.memora), RELEASED_MEMORA, read_memora(folder), fingerprint)
    write_rows(Path(output.labels), RELEASED_LABELS, read_labels(folder), fingerprint)
