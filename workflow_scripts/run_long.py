"""Run one configuration over the long histories."""

from pathlib import Path

from lethe.config.model import Config
from lethe.jobs.long_trials import run_long
from lethe.jobs.opening import open_session
from lethe.parquet import write_rows
from lethe.schemas import LONG_ANSWERS, LONG_REPLAYS
from lethe.stored.histories import read_long
from lethe.workflow import job

with job(snakemake):
    histories = [history.to_history() for history in read_long(Path(snakemake.input.events))]
    limit_s, producer = Config.of(snakemake.config).run.history_timeout_s, snakemake.params.fingerprint
    with open_session(snakemake, limit_s) as session, run_long(session, histories) as (answers, replays):
        write_rows(Path(snakemake.output.answers), LONG_ANSWERS, answers, producer)
        write_rows(Path(snakemake.output.replays), LONG_REPLAYS, replays, producer)
