"""Run one row of the tables over the histories of one benchmark of other authors."""

from pathlib import Path

from lethe.crosseval.stored import read_histories
from lethe.embedding.embedder import CachedEmbedder, FastEmbedder
from lethe.embedding.vectors import read_vectors
from lethe.fingerprints import file_fingerprint, value_fingerprint
from lethe.parquet import write_rows
from lethe.run.access import open_access
from lethe.run.histories import run_histories
from lethe.run.runner import RunSettings
from lethe.run.worker_process import SystemConfiguration
from lethe.schemas import CROSSEVAL, CROSSEVAL_HISTORIES
from lethe.workflow import answer_cache, job, run_limits

with job(snakemake):
    row, params, given, output = snakemake.params.system, snakemake.params, snakemake.input, snakemake.output
    system = SystemConfiguration.of_row(row, Path(params.environments))
    histories = read_histories(Path(given.operations), Path(given.questions), params.only)
    embedder = CachedEmbedder(read_vectors(Path(given.vectors)), FastEmbedder(Path(given.embedder).parent))
    config = snakemake.config
    limits = run_limits(config) | {"case_timeout_s": config["crosseval"]["history_timeout_s"]}
    inputs = [file_fingerprint(Path(path)) for path in (given.vectors, *given.get("freeze", []))]
    with open_access(row, config, answer_cache(config), embedder) as chat:
        answers, replays = run_histories(
            snakemake.wildcards.benchmark,
            system,
            histories,
            embedder,
            RunSettings(**params.settings, **limits),
            journal_path=Path(params.journal),
            log_path=Path(snakemake.log[0]),
            fingerprint=" ".join([params.fingerprint, value_fingerprint(params.answering_model), *inputs]),
            hybrid=params.hybrid,
            chat=chat,
        )
    write_rows(Path(output.answers), CROSSEVAL, answers, params.fingerprint)
    write_rows(Path(output.histories), CROSSEVAL_HISTORIES, replays, params.fingerprint)
