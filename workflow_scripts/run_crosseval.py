"""Run one configuration over the histories of one benchmark of other authors."""

from pathlib import Path

from lethe.crosseval.answers import run_benchmark
from lethe.crosseval.records import read_histories
from lethe.parquet import write_rows
from lethe.run.opening import open_session
from lethe.schemas import CROSSEVAL, CROSSEVAL_HISTORIES
from lethe.workflow import job

with job(snakemake):
    params, given, output = snakemake.params, snakemake.input, snakemake.output
    histories = read_histories(Path(given.operations), Path(given.questions), params.only)
    benchmark, limit_s = snakemake.wildcards.benchmark, snakemake.config["crosseval"]["history_timeout_s"]
    with (
        open_session(snakemake, limit_s) as session,
        run_benchmark(session, benchmark, histories, hybrid=params.hybrid) as (answers, replays),
    ):
        write_rows(Path(output.answers), CROSSEVAL, answers, params.fingerprint)
        write_rows(Path(output.histories), CROSSEVAL_HISTORIES, replays, params.fingerprint)
