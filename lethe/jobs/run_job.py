"""The one kind of run: a configuration on its works, each in a worker of its own; a job has one, or some in turn.

A run also runs from a Python prompt:

    from lethe.jobs.run_job import RunJob, run

    run(RunJob(system, works, files, ...))
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forgeteval.embed.embedder import CachedEmbedder
from forgeteval.json_records import from_json
from lethe.config.answering import is_live
from lethe.config.configurations import Configuration
from lethe.config.keys import hidden_keys, key_variables
from lethe.config.model import LLM_CACHE, Config
from lethe.embedding.embedder import FastEmbedder
from lethe.embedding.vectors import read_vectors
from lethe.environments.build import interpreter
from lethe.environments.here import embedder_folder, see_to_environments
from lethe.fingerprints import file_fingerprint, value_fingerprint
from lethe.gateway.context import Usage
from lethe.jobs.kept import FinishedTrial, KeptTrials, lent_trials
from lethe.jobs.opening import open_services, prepared_server, recorded_of
from lethe.jobs.session import Code, RunSettings, Session
from lethe.jobs.work import ErasureWork, Files, Limits, Replayed, Work, from_parameter
from lethe.own_modules import files_of_options
from lethe.parquet import Rows, write_rows
from lethe.schemas import TRIALS
from lethe.stored.closing import closing_lines, usage_lines


@dataclass(frozen=True, slots=True)
class RunJob:
    """What a job runs under one configuration, and where it finds and leaves things.

    Attributes:
        files: where each file stands that the works read or write.
        embedder: description of the prepared embedder.
        freezes: description of each environment that the system needs.
        environments: folder of the built environments.
        kept: file of the configuration's finished trials.
        lender: that of a configuration that recalls alike; None for none.
        code: fingerprints of the code of its trials, and of the part that recalls.
        answering: what of a chat model's entry decides its answers; nothing without one.
        producer: fingerprint that the written files carry.
        weights, server: descriptions of a served model's weights and of its server; None where none is started.
    """

    system: Configuration
    works: Sequence[Work]
    files: Files
    embedder: Path
    freezes: Sequence[Path]
    environments: Path
    kept: Path
    lender: Path | None
    log: Path
    code: Code
    answering: Mapping[str, Any]
    producer: str
    config: Config
    weights: Path | None = None
    server: Path | None = None

    @classmethod
    def of(cls, snakemake: Any) -> "list[RunJob]":
        """What the job of a rule runs, in turn."""
        given, params, config = snakemake.input, snakemake.params, Config.of(snakemake.config)
        works = {kept: [from_parameter(work) for work in one["works"]] for kept, one in params.runs.items()}
        every = [work for own in works.values() for work in own]
        read = [path for work in every for path in (*work.vectors, *work.reads)]
        written = [path for work in every for path in work.writes]
        files = {
            **dict(zip(dict.fromkeys(read), map(Path, given.files), strict=True)),
            **dict(zip(written, map(Path, snakemake.output), strict=True)),
        }
        freezes = [Path(path) for path in given.get("freeze", [])]
        return [
            cls(
                from_json(Configuration, one["system"]),
                works[kept],
                files,
                Path(given.embedder),
                [path for path in freezes if path.name == f"{one['system']['environment']}.freeze.txt"],
                Path(params.environments),
                Path(config.output_dir, kept),
                Path(config.output_dir, one["lender"]) if one["lender"] else None,
                Path(snakemake.log[0]),
                Code(*one["code"]),
                one["answering"],
                params.fingerprint,
                config,
                *(Path(given[name]) if given.get(name) else None for name in ("weights", "server")),
            )
            for kept, one in params.runs.items()
        ]


def run(job: RunJob) -> None:
    """Run what is not kept, and write the rows of every work.

    Raises:
        UserError: see `Session.run`; where the model's key variable is not set, or a cache cannot be opened.
    """
    limits = Limits(job.config.run.case_timeout_s, job.config.run.history_timeout_s)
    named = _named_by_options(job)
    with _opened_session(job) as session:
        replayed = [work for work in job.works if isinstance(work, Replayed)]
        finished = session.run([work.workload(session, job.files, limits) for work in replayed]) if replayed else []
        for work, trials in zip(replayed, finished, strict=True):
            _write(job, work.rows(session, job.files, trials))
            _tell_usage(job, job.files[work.writes[0]], trials)
        for audit in job.works:
            if isinstance(audit, ErasureWork):
                _write(job, audit.run(session, job.files, limits))
    for file in sorted(dict(_named_by_options(job) - named)):
        print(
            f"{job.system.name}: {file}, which its options name, was written while it ran; a text file in the "
            "project's folder counts by its content, so the next run starts from scratch: let it write to its HOME",
            file=sys.stderr,
        )


def _named_by_options(job: RunJob) -> set[tuple[Path, str]]:
    return {(file, file_fingerprint(file)) for file in files_of_options(job.system.options)}


def _write(job: RunJob, rows: Rows) -> None:
    for path, (schema, table) in rows.items():
        write_rows(job.files[path], schema, table, job.producer)
        model = job.system.model
        if model and schema is TRIALS:
            cache, suites = Path(job.config.output_dir, LLM_CACHE), {row["suite"] for row in table}
            sources = [recorded_of(cache, job.system, suite) for suite in suites]
            recorded = sum(part for part, _ in sources), sum(whole for _, whole in sources)
            for line in closing_lines(job.files[path], table, is_live(job.config, model), recorded):
                print(line, file=sys.stderr)


def _tell_usage(job: RunJob, path: Path, trials: Sequence[FinishedTrial]) -> None:
    used = sum((trial.usage for trial in trials), Usage())
    if used.calls:
        for line in usage_lines(path, used.unreported, used.cut_off, is_live(job.config, job.system.model)):
            print(line, file=sys.stderr)


@contextmanager
def _opened_session(job: RunJob) -> Iterator[Session]:
    system, config = job.system, job.config
    texts = dict.fromkeys(path for work in job.works for path in (*work.vectors, *_haystacks(work)))
    known = {text: vector for path in texts for text, vector in read_vectors(job.files[path]).items()}
    embedder = CachedEmbedder(known, FastEmbedder(embedder_folder(job.embedder, config)))
    with hidden_keys(config.models):
        see_to_environments(job.freezes, job.environments)
    inputs = [file_fingerprint(path) for path in (job.embedder, *job.freezes)]
    code = Code(
        value_fingerprint([job.code.whole, inputs, dict(job.answering)]),
        value_fingerprint([job.code.recall, inputs]) if job.code.recall else "",
    )
    cache = Path(config.output_dir, LLM_CACHE)
    server = prepared_server(config, job.environments, job.weights, job.server)
    with (
        KeptTrials(job.kept) as kept,
        open_services(system, config, cache, embedder, server) as services,
    ):
        yield Session(
            system,
            interpreter(job.environments, system.environment),
            embedder,
            RunSettings(config.run.k, config.run.start_timeout_s, config.run.worker_failure),
            kept,
            job.log,
            code,
            services,
            key_variables(config.models),
            lent_trials(job.lender) if job.lender is not None else {},
            in_memory=not system.heavy,
        )


def _haystacks(work: Work) -> list[str]:
    haystack = getattr(work, "haystack", "")
    return [haystack] if haystack else []
