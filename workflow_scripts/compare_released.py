"""Set the runs of one suite beside the published runs on the same cases, and ask what a published pass was worth."""

from pathlib import Path

from lethe.analysis.released.compare import paired_rows, replica_rows
from lethe.analysis.released.na import na_rows
from lethe.analysis.released.runs import runs_of
from lethe.analysis.released.worth import ReleasedSuite, claim_rows, worth_rows
from lethe.parquet import read_rows, write_rows
from lethe.schemas import (
    CASES,
    CLAIMS,
    NA_READINGS,
    PAIRED_RELEASED,
    PASS_WORTH,
    RELEASED_VERDICTS,
    REPLICAS,
    TRIALS,
    VERDICTS,
)
from lethe.workflow import job

with job(snakemake):
    given, output, params = snakemake.input, snakemake.output, snakemake.params
    name, controls = snakemake.wildcards.suite, frozenset(params.controls)
    bootstrap = params.resamples, params.seed
    runs = runs_of(read_rows(Path(given.released), RELEASED_VERDICTS), params.released)
    verdicts = read_rows(Path(given.verdicts), VERDICTS)
    trials = [row for path in given.trials for row in read_rows(Path(path), TRIALS)]
    suite = ReleasedSuite(name, params.released, runs, verdicts, controls - set(params.oracles))
    cases = read_rows(Path(given.cases), CASES)
    found = {
        REPLICAS: replica_rows(name, params.released, runs, verdicts, trials),
        PAIRED_RELEASED: paired_rows(name, runs, verdicts, controls, *bootstrap),
        PASS_WORTH: worth_rows(suite),
        NA_READINGS: na_rows(suite, cases),
        CLAIMS: claim_rows(suite, cases, *bootstrap),
    }
    paths = dict(zip(found, (output.replicas, output.paired, output.worth, output.na, output.claims), strict=True))
    for table, rows in found.items():
        write_rows(Path(paths[table]), table, rows, params.fingerprint)
