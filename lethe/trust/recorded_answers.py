"""What chat models answered in finished runs: made a part of the project, asked for again, or written as a table."""

import asyncio
import contextlib
import json
import random
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from forgeteval.errors import UserError
from lethe.gateway.answers import Answer
from lethe.gateway.cache import Cache
from lethe.parquet import Row, read_rows, write_rows
from lethe.schemas import JUDGEMENTS, LLM_CALLS, RECORDED_ANSWERS, TRIALS
from lethe.stored.answers import (
    JUDGE,
    RecordedRun,
    RecordedUsage,
    answers_path,
    read_answers,
    read_index,
    read_usage,
    recorded_row,
    write_index,
    write_usage,
)

# Those of the endpoint that was asked last: with another one, a run is made anew as a whole.
_RUN = """
WITH run AS (
    SELECT * FROM calls WHERE model = ?1 AND suite = ?2 AND system = ?3 AND endpoint = (
        SELECT endpoint FROM calls WHERE model = ?1 AND suite = ?2 AND system = ?3 ORDER BY call DESC LIMIT 1))
"""
# An answer that is not kept, such as one that was cut off, stands in the log alone.
_USED = f"""{_RUN}
SELECT key, endpoint, max(c.purpose) AS task, coalesce(a.request, c.request) AS request,
       coalesce(a.response, c.response) AS response, coalesce(a.finish_reason, c.finish_reason) AS finish_reason,
       coalesce(a.tokens_in, c.tokens_in) AS tokens_in, coalesce(a.tokens_out, c.tokens_out) AS tokens_out,
       coalesce(a.latency_ms, c.latency_ms) AS latency_ms
FROM run AS c LEFT JOIN answers AS a USING (key, endpoint)
WHERE c.error IS NULL AND (a.response IS NOT NULL OR c.response IS NOT NULL)
GROUP BY key ORDER BY key
"""
_UNANSWERED = f"""{_RUN}
SELECT DISTINCT case_id FROM run AS c
WHERE c.error IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM answers AS a WHERE a.key = c.key AND a.endpoint = c.endpoint)
      AND NOT EXISTS (SELECT 1 FROM calls AS d WHERE d.key = c.key AND d.endpoint = c.endpoint AND d.error IS NULL)
"""
# A call that was repeated, as by a run that was started again, counts once.
_USAGE = f"""{_RUN}
SELECT purpose, count(DISTINCT repetition) AS times, count(*) AS calls, total(tokens_in) AS tokens_in,
       total(tokens_out) AS tokens_out, total(latency_ms) AS answer_ms
FROM (SELECT DISTINCT case_id, repetition, purpose, key, tokens_in, tokens_out, latency_ms FROM run
      WHERE error IS NULL)
GROUP BY purpose
"""
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
        without_quotes: see `lethe.stored.answers.recorded_row`.

    Returns:
        How many answers were added.

    Raises:
        UserError: where the cache or a file cannot be read or written, or a case broke for want of an answer.
    """
    names, path = (run.model, run.suite, run.system), answers_path(folder, run.model)
    known: dict[str, Row] = {row["key"]: row for row in (read_answers(path) if path.is_file() else ())}
    with contextlib.closing(Cache(cache)) as opened:
        unanswered = {row["case_id"] for row in opened.select(_UNANSWERED, names)}
        incomplete = sorted(unanswered.intersection(broken))
        if incomplete:
            what = f"{run.suite}, {run.system}@{run.model}: {incomplete[0]} broke for want of an answer"
            raise UserError(f"{what}; run it again before recording")
        used, usage = opened.select(_USED, names), opened.select(_USAGE, names)
        for answered in used:
            opened.find(answered["key"], answered.pop("endpoint"))
    provenance = {"weights_sha256": weights.weights_sha256, "server": weights.server}
    added = {
        answered["key"]: recorded_row({**answered, **provenance}, response, without_quotes)
        for answered in used
        if (response := answered.pop("response")) and answered["key"] not in known
    }
    if added or not path.is_file():
        write_rows(path, RECORDED_ANSWERS, [row for _, row in sorted({**known, **added}.items())], _PRODUCER)
    write_index(folder, [run, *(one for one in read_index(folder) if (one.model, one.suite, one.system) != names)])
    others = [row for row in read_usage(folder) if (row.model, row.suite, row.system) != names]
    write_usage(folder, [*others, *(_usage(names, **row) for row in usage)])
    return len(added)


def _usage(names: tuple[str, str, str], purpose: str, times: int, **totals: float) -> RecordedUsage:
    calls, tokens_in, tokens_out, answer_ms = (round(total / times, 3) for total in totals.values())
    return RecordedUsage(*names, purpose, calls, tokens_in, tokens_out, answer_ms)


def finished_run(path: Path) -> tuple[RecordedRun, set[str]]:
    """The run of a file of trials, and the cases of which a trial ended in an error."""
    trials = read_rows(path, TRIALS)
    first, repetitions = trials[0], len({trial["repetition"] for trial in trials})
    run = RecordedRun(first["model"], first["suite"], first["system"], len(trials) // repetitions, repetitions)
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
    asked, chosen = list(models), list(suites)
    paths = (path for m in asked for suite in chosen for path in (results / "runs" / suite).glob(f"*@{m}.parquet"))
    return dict(sorted({**dict.fromkeys(paths, finished_run), **judgements_to_record(results, asked, chosen)}.items()))


def judgements_to_record(results: Path, models: Iterable[str], suites: Iterable[str]) -> dict[Path, Finished]:
    """The files of judgements alone; see `runs_to_record`."""
    chosen = list(suites)
    paths = (results / "judging" / suite / f"{model}.parquet" for model in models for suite in chosen)
    return {path: finished_judgements for path in paths if path.is_file()}


class Endpoint(Protocol):
    """What answers chat requests; see `lethe.gateway.upstream.Upstream`."""

    async def complete(self, fields: dict[str, object]) -> Answer: ...


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """A recorded answer and what the model says now, both as the JSON of the message."""

    key: str
    task: str
    recorded: str
    now: str

    @property
    def equal(self) -> bool:
        """Whether both have the same text and the same tool calls."""
        return _said(self.recorded) == _said(self.now)


def sample_rows(rows: Iterable[Row], count: int, seed: int) -> list[Row]:
    """Some rows of `lethe.schemas.RECORDED_ANSWERS`, the same for the same seed."""
    known = sorted(rows, key=lambda row: str(row["key"]))
    return random.Random(seed).sample(known, min(count, len(known)))


def ask_again(rows: Sequence[Row], endpoint: Endpoint) -> list[AskedAgain]:
    """Send the requests of some rows of `lethe.schemas.RECORDED_ANSWERS`, one after another.

    Raises:
        GatewayError: where the endpoint gives no answer.
    """

    async def ask(row: Row) -> AskedAgain:
        answer = await endpoint.complete(json.loads(row["request"]))
        message = json.loads(answer.response)["choices"][0]["message"]
        return AskedAgain(row["key"], row["task"], row["answer"], json.dumps(message, ensure_ascii=False))

    async def ask_all() -> list[AskedAgain]:
        return [await ask(row) for row in rows]

    return asyncio.run(ask_all())


def _said(message: str) -> tuple[object, object]:
    said = json.loads(message)
    return said.get("content"), [call.get("function") for call in said.get("tool_calls") or ()]


def export_calls(cache: Path, target: Path, producer: str) -> None:
    """Write every call logged in the file `cache` to `target`, a Parquet file of kind `LLM_CALLS`.

    A missing cache file counts as one without calls. `producer` is the fingerprint of the code; see `write_rows`.

    Raises:
        UserError: if `cache` is not a cache, or a file cannot be read or written.
    """
    rows = []
    if cache.exists():
        with contextlib.closing(Cache(cache)) as opened:
            columns = ", ".join(column.name for column in LLM_CALLS.columns)
            rows = opened.select(f"SELECT {columns} FROM calls ORDER BY call")
    write_rows(target, LLM_CALLS, [{**row, "cache_hit": bool(row["cache_hit"])} for row in rows], producer)
