"""Run one configuration over the histories of one benchmark of other authors, or take over an equal run's answers."""

from contextlib import ExitStack
from pathlib import Path

from forgeteval.json_records import from_json
from lethe.config.configurations import Configuration
from lethe.config.model import Config
from lethe.crosseval.answers import read_equal_run, run_benchmark
from lethe.crosseval.records import read_histories
from lethe.jobs.opening import open_session
from lethe.parquet import write_rows
from lethe.schemas import CROSSEVAL, CROSSEVAL_HISTORIES
from lethe.workflow import job

with job(snakemake), ExitStack() as stack:
    params, given, output = snakemake.params, snakemake.input, snakemake.output
    histories = read_histories(Path(given.operations), Path(given.questions), params.only)
    benchmark, limit_s = snakemake.wildcards.benchmark, Config.of(snakemake.config).run.history_timeout_s
    if equal := given.get("equal"):
        answers, replays = read_equal_run(from_json(Configuration, params.system), histories, *map(Path, equal))
    else:
        session = stack.enter_context(open_session(snakemake, limit_s))
        answers, replays = stack.enter_context(run_benchmark(session, benchmark, histories, hybrid=params.hybrid))
    write_rows(Path(output.answers), CROSSEVAL, answers, params.fingerprint)
    write_rows(Path(output.histories), CROSSEVAL_HISTORIES, replays, params.fingerprint)
