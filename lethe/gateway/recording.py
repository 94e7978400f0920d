"""Making what a run's chat models answered a part of the project."""

import contextlib
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from forgeteval.errors import UserError
from lethe.gateway.cache import Cache
from lethe.gateway.context import JUDGE
from lethe.gateway.recorded import RecordedRun, answers_path, read_answers, read_index, recorded_row, write_index
from lethe.gateway.usage import read_usage, write_usage
from lethe.parquet import Row, read_rows, write_rows
from lethe.schemas import JUDGEMENTS, RECORDED_ANSWERS, TRIALS

_PRODUCER = "forgeteval answers record"
Finished = Callable[[Path], tuple[RecordedRun, set[str]]]
"""Reads a run from its file, and the cases that broke in it."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What answered: SHA-256 of the weights, program and version of the server."""

    weights_sha256: str
    server: str


def record_run(
    run: RecordedRun,
    cache: Path,
    folder: Path,
    weights: Weights,
    broken: Collection[str] = (),
    without_quotes: Callable[[str], str] | None = None,
) -> int:
    """Add the answers that a run used to those recorded in a folder, and the run to its index.

    Args:
        broken: cases whose trial or judgement ended in an error, which comes again as long as every call had an answer.
        without_quotes: see `lethe.gateway.recorded.recorded_row`.

    Returns:
        How many answers were added.

    Raises:
        UserError: where the cache or a file cannot be read or written, or a case broke for want of an answer.
    """
    path = answers_path(folder, run.model)
    known: dict[str, Row] = {row["key"]: row for row in (read_answers(path) if path.is_file() else ())}
    provenance = {"weights_sha256": weights.weights_sha256, "server": weights.server}
    with contextlib.closing(Cache(cache)) as opened:
        incomplete = sorted(opened.unanswered(run.model, run.suite, run.system).intersection(broken))
        if incomplete:
            what = f"{run.suite}, {run.system}@{run.model}: {incomplete[0]} broke for want of an answer"
            raise UserError(f"{what}; run it again before recording")
        used = opened.used(run.model, run.suite, run.system)
        usage = opened.usage(run.model, run.suite, run.system)
    added = {
        found.key: recorded_row(found.key, found.task, found.request, found.answer, provenance, without_quotes)
        for found in used
        if found.key not in known
    }
    write_rows(path, RECORDED_ANSWERS, [row for _, row in sorted({**known, **added}.items())], _PRODUCER)
    others = [one for one in read_index(folder) if _names(one) != _names(run)]
    write_index(folder, [*others, run])
    others_usage = [row for row in read_usage(folder) if (row.model, row.suite, row.system) != _names(run)]
    write_usage(folder, [*others_usage, *usage])
    return len(added)


def _names(run: RecordedRun) -> tuple[str, str, str]:
    return run.model, run.suite, run.system


def finished_run(path: Path) -> tuple[RecordedRun, set[str]]:
    """The run of a file of trials, and the cases of which a trial ended in an error."""
    trials = read_rows(path, TRIALS)
    first, repetitions = trials[0], {trial["repetition"] for trial in trials}
    run = RecordedRun(
        first["model"], first["suite"], first["system"], len(trials) // len(repetitions), len(repetitions)
    )
    return run, {trial["case_id"] for trial in trials if trial["verdict"] == "error"}


def finished_judgements(path: Path) -> tuple[RecordedRun, set[str]]:
    """The run of a file of judgements, and the cases whose judgement is an error."""
    judgements = read_rows(path, JUDGEMENTS)
    run = RecordedRun(judgements[0]["judge"], judgements[0]["suite"], JUDGE, len(judgements), 1)
    return run, {judgement["case_id"] for judgement in judgements if judgement["verdict"] == "error"}


def runs_to_record(results: Path, models: Iterable[str], suites: Iterable[str]) -> dict[Path, Finished]:
    """The files of trials and judgements of some models on some suites.

    Returns:
        Each file with the function that reads its run.
    """
    chosen, found = list(suites), dict[Path, Finished]()
    for model in models:
        for suite in chosen:
            found |= dict.fromkeys((results / "runs" / suite).glob(f"*@{model}.parquet"), finished_run)
            found |= judgements_to_record(results, [model], [suite])
    return dict(sorted(found.items()))


def judgements_to_record(results: Path, models: Iterable[str], suites: Iterable[str]) -> dict[Path, Finished]:
    """The files of judgements alone; see `runs_to_record`."""
    chosen = list(suites)
    paths = (results / "judging" / suite / f"{model}.parquet" for model in models for suite in chosen)
    return {path: finished_judgements for path in paths if path.is_file()}
