"""Compare every two systems on one suite case by case, and take their latency and the label partition."""

from pathlib import Path

from lethe.analysis.label_partition import partition_rows
from lethe.analysis.latency import latency_rows
from lethe.analysis.paired import paired_rows
from lethe.cases.stored import read_suite
from lethe.parquet import read_rows, write_rows
from lethe.schemas import LABEL_PARTITION, LATENCY, PAIRED, TRIALS, VERDICTS
from lethe.workflow import job

with job(snakemake):
    files, params, output = snakemake.input, snakemake.params, snakemake.output
    verdicts = read_rows(Path(files.verdicts), VERDICTS)
    trials = [row for path in files.trials for row in read_rows(Path(path), TRIALS)]
    controls = frozenset(params.controls)
    partition = partition_rows(
        read_suite(Path(files.cases)), verdicts, params.reference_system, params.hooked, controls
    )
    for path, table, rows in (
        (output.paired, PAIRED, paired_rows(verdicts, controls, params.resamples, params.seed)),
        (output.latency, LATENCY, latency_rows(trials)),
        (output.partition, LABEL_PARTITION, partition),
    ):
        write_rows(Path(path), table, rows, params.fingerprint)
