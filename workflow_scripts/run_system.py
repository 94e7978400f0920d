"""Run one row of the tables over one suite."""

from pathlib import Path

from lethe.cases.stored import read_suite
from lethe.embedding.embedder import CachedEmbedder, FastEmbedder
from lethe.embedding.vectors import read_vectors
from lethe.fingerprints import file_fingerprint, value_fingerprint
from lethe.parquet import write_rows
from lethe.run.access import open_access
from lethe.run.runner import RunSettings, run_system
from lethe.run.worker_process import SystemConfiguration
from lethe.schemas import TRIALS
from lethe.workflow import answer_cache, job, run_limits

with job(snakemake):
    row, params = snakemake.params.system, snakemake.params
    system = SystemConfiguration.of_row(row, Path(params.environments))
    vectors = Path(snakemake.input.vectors)
    embedder = CachedEmbedder(read_vectors(vectors), FastEmbedder(Path(snakemake.input.embedder).parent))
    inputs = [file_fingerprint(Path(path)) for path in (vectors, *snakemake.input.get("freeze", []))]
    with open_access(row, snakemake.config, answer_cache(snakemake.config), embedder) as chat:
        trials = run_system(
            system,
            read_suite(Path(snakemake.input.cases)),
            embedder,
            RunSettings(**params.settings, **run_limits(snakemake.config)),
            journal_path=Path(params.journal),
            log_path=Path(snakemake.log[0]),
            fingerprint=" ".join([params.fingerprint, value_fingerprint(params.answering_model), *inputs]),
            chat=chat,
        )
    write_rows(Path(snakemake.output.trials), TRIALS, trials, params.fingerprint)
