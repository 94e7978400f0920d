"""Making what a run's chat models answered a part of the project."""

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from lethe.errors import LetheError
from lethe.gateway.cache import Cache
from lethe.gateway.recorded import RecordedRun, answers_path, read_answers, read_index, recorded_row, write_index
from lethe.parquet import Row, read_rows, write_rows
from lethe.schemas import RECORDED_ANSWERS, TRIALS

_PRODUCER = "lethe answers record"


@dataclass(frozen=True, slots=True)
class Weights:
    """What answered: SHA-256 of the weights, program and version of the server."""

    weights_sha256: str
    server: str


def record_run(run: RecordedRun, cache: Path, folder: Path, weights: Weights) -> int:
    """Add the answers that a run used to those recorded in a folder, and the run to its index.

    Returns:
        How many answers were added.

    Raises:
        LetheError: where the cache or a file cannot be read or written.
    """
    path = answers_path(folder, run.model)
    known: dict[str, Row] = {row["key"]: row for row in (read_answers(path) if path.is_file() else ())}
    provenance = {"weights_sha256": weights.weights_sha256, "server": weights.server}
    with contextlib.closing(Cache(cache)) as opened:
        used = opened.used(run.model, run.suite, run.system)
    added = {
        found.key: recorded_row(found.key, found.task, found.request, found.answer, provenance)
        for found in used
        if found.key not in known
    }
    write_rows(path, RECORDED_ANSWERS, [row for _, row in sorted({**known, **added}.items())], _PRODUCER)
    others = [one for one in read_index(folder) if replace(one, cases=run.cases, repetitions=run.repetitions) != run]
    write_index(folder, [*others, run])
    return len(added)


def finished_run(path: Path) -> RecordedRun:
    """The run of a file of trials.

    Raises:
        LetheError: where a trial ended in an error: its answers would be incomplete.
    """
    trials = read_rows(path, TRIALS)
    broken = [trial["case_id"] for trial in trials if trial["verdict"] == "error"]
    if broken:
        raise LetheError(f"{path}: the trial of {broken[0]} ended in an error; run it again before recording")
    first, repetitions = trials[0], {trial["repetition"] for trial in trials}
    return RecordedRun(
        first["model"], first["suite"], first["system"], len(trials) // len(repetitions), len(repetitions)
    )


def runs_to_record(results: Path, models: Iterable[str], suites: Mapping[str, Mapping[str, object]]) -> list[Path]:
    """The files of trials of some models, on the suites whose cases are this project's own."""
    names = [name for name, options in suites.items() if "url" not in options]
    return sorted(
        path for model in models for suite in names for path in (results / "runs" / suite).glob(f"*@{model}.parquet")
    )
