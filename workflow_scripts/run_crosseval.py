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
from lethe.workflow import job

with job(snakemake):
    row, params, given, output = snakemake.params.system, snakemake.params, snakemake.input, snakemake.output
    system = SystemConfiguration.of_row(row, Path(params.environments))
    histories = read_histories(Path(given.operations), Path(given.questions), params.only)
    embedder = CachedEmbedder(read_vectors(Path(given.vectors)), FastEmbedder(Path(given.embedder).parent))
    inputs = [file_fingerprint(Path(path)) for path in (given.vectors, *given.get("freeze", []))]
    with open_access(row, snakemake.config, Path(params.llm_cache), embedder) as chat:
        answers, replays = run_histories(
            snakemake.wildcards.benchmark,
            system,
            histories,
            embedder,
            RunSettings(**params.settings),
            journal_path=Path(params.journal),
            log_path=Path(snakemake.log[0]),
            fingerprint=" ".join([params.fingerprint, value_fingerprint(params.answering_model), *inputs]),
            hybrid=params.hybrid,
            chat=chat,
        )
    write_rows(Path(output.answers), CROSSEVAL, answers, params.fingerprint)
    write_rows(Path(output.histories), CROSSEVAL_HISTORIES, replays, params.fingerprint)
