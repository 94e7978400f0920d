"""Set every published number beside the measured one."""

from pathlib import Path

from lethe.analysis.published import read_published
from lethe.analysis.replication.compare import replication_rows
from lethe.analysis.replication.measured import Measured
from lethe.analysis.results import SuiteResults
from lethe.parquet import read_rows, write_rows
from lethe.schemas import (
    AGREEMENT,
    CROSSEVAL_SCORES,
    LABEL_PARTITION,
    LATENCY,
    LLM_RUNS,
    PAIRED,
    RATER_PAIRS,
    REPLICATION,
)
from lethe.workflow import job

with job(snakemake):
    files, params = snakemake.input, snakemake.params
    suites = {
        role: SuiteResults.read(Path(path), params.suites[role], params.labels)
        for role, path in zip(params.suites, files.scores, strict=True)
    }
    crosseval = {
        name: read_rows(Path(path), CROSSEVAL_SCORES)
        for name, path in zip(params.benchmarks, files.crosseval, strict=True)
    }
    measured = Measured(
        systems=params.labels["systems"],
        suites=suites,
        crosseval=crosseval,
        absent=params.absent,
        paired=read_rows(Path(files.paired[0]), PAIRED),
        latency=read_rows(Path(files.latency[0]), LATENCY),
        partition=read_rows(Path(files.partition[0]), LABEL_PARTITION),
        llm_runs=read_rows(Path(files.llm_runs[0]), LLM_RUNS),
        agreement=read_rows(Path(files.agreement), AGREEMENT),
        raters=read_rows(Path(files.raters), RATER_PAIRS),
        embedder=params.embedder,
    )
    rows = replication_rows(read_published(Path(files.published)), measured)
    write_rows(Path(snakemake.output.rows), REPLICATION, rows, params.fingerprint)
