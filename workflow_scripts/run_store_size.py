"""Run one system over the chosen cases among a number of unrelated rows."""

from pathlib import Path

from lethe.analysis.store_size import cases_at_size
from lethe.cases.stored import first_of_each_category, read_suite
from lethe.embedding.embedder import CachedEmbedder, FastEmbedder
from lethe.embedding.vectors import read_vectors
from lethe.fingerprints import file_fingerprint
from lethe.parquet import write_rows
from lethe.run.runner import RunSettings, run_system
from lethe.run.worker_process import SystemConfiguration
from lethe.schemas import TRIALS
from lethe.workflow import job, run_limits

with job(snakemake):
    params, size = snakemake.params, int(snakemake.wildcards.size)
    system = SystemConfiguration.of_row(params.system, Path(params.environments))
    files = [Path(snakemake.input.vectors), Path(snakemake.input.haystack)]
    vectors, haystack = map(read_vectors, files)
    embedder = CachedEmbedder(haystack | vectors, FastEmbedder(Path(snakemake.input.embedder).parent))
    inputs = [file_fingerprint(Path(path)) for path in (*files, *snakemake.input.get("freeze", []))]
    cases = first_of_each_category(read_suite(Path(snakemake.input.cases)), params.cases_per_category)
    trials = run_system(
        system,
        cases_at_size(cases, size),
        embedder,
        RunSettings(**params.settings, **run_limits(snakemake.config)),
        journal_path=Path(params.journal),
        log_path=Path(snakemake.log[0]),
        fingerprint=" ".join([params.fingerprint, *inputs]),
        haystack=list(haystack)[:size],
    )
    write_rows(Path(snakemake.output.trials), TRIALS, trials, params.fingerprint)
