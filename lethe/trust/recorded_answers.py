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
from lethe.gateway.errors import GatewayError
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
_KEYS = f"{_RUN} SELECT DISTINCT key FROM run WHERE error IS NULL"
# A call that was repeated, as by a run that was started again, counts once.
_USAGE = f"""{_RUN}
SELECT purpose, count(DISTINCT repetition) AS times, count(*) AS calls, total(tokens_in) AS tokens_in,
       total(tokens_out) AS tokens_out, total(latency_ms) AS answer_ms
FROM (SELECT DISTINCT case_id, repetition, purpose, key, tokens_in, tokens_out, latency_ms FROM run
      WHERE error IS NULL)
GROUP BY purpose
"""
_PRODUCER = "forgeteval answers record"


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished run.

    Attributes:
        calls: how often the model was asked in it, by its trials or judgements.
        broken: cases of which one ended in an error, which comes again as long as every call had an answer.
    """

    run: RecordedRun
    calls: int
    broken: Collection[str] = ()


ReadFinished = Callable[[Path], Finished]


@dataclass(frozen=True, slots=True)
class Weights:
    """What answered: SHA-256 of the weights, program and version of the server."""

    weights_sha256: str
    server: str


@dataclass(frozen=True, slots=True)
class ToRecord:
    """A finished run, what answered, and `without_quotes` as of `lethe.stored.answers.recorded_row`."""

    finished: Finished
    weights: Weights
    without_quotes: Callable[[str], str] | None = None


@dataclass(frozen=True, slots=True)
class _Answered:
    """A run, the answers that it used and that are not recorded yet, by their keys, and what its calls came to."""

    run: RecordedRun
    added: dict[str, Row]
    usage: list[RecordedUsage]


def record_runs(orders: Iterable[ToRecord], cache: Path, folder: Path) -> list[int]:
    """Add the answers that some runs used to those recorded in a folder, and the runs to its index.

    Returns:
        How many answers were added for each.

    Raises:
        UserError: where the cache or a file cannot be read or written, a case broke for want of an answer, or the
            answers of a run are neither in the cache nor recorded; only where writing fails, anything is written.
    """
    if not cache.is_file():
        raise UserError(f"{cache}: not there, and the answers of the runs stand in it; restore it, or run them again")
    with contextlib.closing(Cache(cache)) as opened:
        found = [_answered(order, opened, folder) for order in orders]
    return [_record(answered, folder) for answered in found]


def _answered(order: ToRecord, cache: Cache, folder: Path) -> _Answered:
    run = order.finished.run
    names, where = (run.model, run.suite, run.system), f"{run.suite}, {run.system}@{run.model}"
    unanswered = {row["case_id"] for row in cache.select(_UNANSWERED, names)}
    if incomplete := sorted(unanswered.intersection(order.finished.broken)):
        raise UserError(f"{where}: {incomplete[0]} broke for want of an answer; run it again before recording")
    keys = {row["key"] for row in cache.select(_KEYS, names)}
    if order.finished.calls and not keys:
        raise UserError(f"{where}: no call of it is in {cache.path}; run it again before recording")
    used = cache.select(_USED, names)
    for answered in used:
        cache.find(answered["key"], answered.pop("endpoint"))
    known = _recorded(folder, run.model)
    provenance = {"weights_sha256": order.weights.weights_sha256, "server": order.weights.server}
    added = {
        answered["key"]: recorded_row({**answered, **provenance}, response, order.without_quotes)
        for answered in used
        if (response := answered.pop("response")) and answered["key"] not in known
    }
    if lacking := keys - added.keys() - known.keys():
        what = f"{len(lacking)} of its {len(keys)} answers are neither in {cache.path} nor recorded in {folder}"
        raise UserError(f"{where}: {what}; serve the model (llm.serve) and run it again before recording")
    return _Answered(run, added, [_usage(names, **row) for row in cache.select(_USAGE, names)])


def _record(answered: _Answered, folder: Path) -> int:
    run, path = answered.run, answers_path(folder, answered.run.model)
    names, known = (run.model, run.suite, run.system), _recorded(folder, run.model)
    added = {key: row for key, row in answered.added.items() if key not in known}
    if added:
        write_rows(path, RECORDED_ANSWERS, [row for _, row in sorted({**known, **added}.items())], _PRODUCER)
    write_index(folder, [run, *(one for one in read_index(folder) if (one.model, one.suite, one.system) != names)])
    others = [row for row in read_usage(folder) if (row.model, row.suite, row.system) != names]
    write_usage(folder, [*others, *answered.usage])
    return len(added)


def _recorded(folder: Path, model: str) -> dict[str, Row]:
    """The answers of a model in a folder, by their keys."""
    path = answers_path(folder, model)
    return {row["key"]: row for row in (read_answers(path) if path.is_file() else ())}


def _usage(names: tuple[str, str, str], purpose: str, times: int, **totals: float) -> RecordedUsage:
    calls, tokens_in, tokens_out, answer_ms = (round(total / times, 3) for total in totals.values())
    return RecordedUsage(*names, purpose, calls, tokens_in, tokens_out, answer_ms)


def finished_run(path: Path) -> Finished:
    """The run of a file of trials."""
    trials = read_rows(path, TRIALS)
    first, repetitions = trials[0], len({trial["repetition"] for trial in trials})
    run = RecordedRun(first["model"], first["suite"], first["system"], len(trials) // repetitions, repetitions)
    return _finished(run, trials)


def finished_judgements(path: Path) -> Finished:
    """The run of a file of judgements."""
    judgements = read_rows(path, JUDGEMENTS)
    run = RecordedRun(judgements[0]["judge"], judgements[0]["suite"], JUDGE, len(judgements), 1)
    return _finished(run, judgements)


def _finished(run: RecordedRun, rows: Sequence[Row]) -> Finished:
    calls, broken = sum(row["llm_calls"] for row in rows), {row["case_id"] for row in rows if row["verdict"] == "error"}
    return Finished(run, calls, broken)


def runs_to_record(results: Path, models: Iterable[str], suites: Iterable[str]) -> dict[Path, ReadFinished]:
    """The files of trials and judgements of some models on some suites.

    Returns:
        Each file with the function that reads its run.
    """
    asked, chosen = list(models), list(suites)
    paths = (path for m in asked for suite in chosen for path in (results / "runs" / suite).glob(f"*@{m}.parquet"))
    return dict(sorted({**dict.fromkeys(paths, finished_run), **judgements_to_record(results, asked, chosen)}.items()))


def judgements_to_record(results: Path, models: Iterable[str], suites: Iterable[str]) -> dict[Path, ReadFinished]:
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
        UserError: where the endpoint gives no answer.
    """

    async def ask(row: Row) -> AskedAgain:
        try:
            answer = await endpoint.complete(json.loads(row["request"]))
        except GatewayError as error:
            raise UserError(str(error)) from error
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
