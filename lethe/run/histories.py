"""Running one system over the histories of a benchmark: a worker, a journal line a history, scored rows at the end."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lethe.crosseval.records import History, Question
from lethe.crosseval.scoring import score_answer
from lethe.embedding.embedder import CachedEmbedder
from lethe.errors import LetheError
from lethe.fingerprints import value_fingerprint
from lethe.progress import progress
from lethe.run.journal import Journal
from lethe.run.runner import ChatAccess, RunSettings, start_message, with_vectors
from lethe.run.worker_process import SystemConfiguration, WorkerFailure, started_worker

_NOTHING_SPENT = {"llm_calls": 0, "tokens_in": 0, "tokens_out": 0, "cost_usd": 0.0}
_MUTATIONS_A_CASE = 4
"""What a chat access reckons its patience by; a history has many more."""


@dataclass(frozen=True, slots=True)
class HistoryRun:
    """One run of one system: what `run_histories` was given, and the journal."""

    benchmark: str
    system: SystemConfiguration
    histories: Mapping[str, History]
    embedder: CachedEmbedder
    settings: RunSettings
    hybrid: bool
    journal: Journal
    log_path: Path
    chat: ChatAccess | None

    def finish(self) -> None:
        """Run what the journal lacks."""
        repeats = self.chat is not None and self.chat.asks_model
        finished = {row["history"] for row in self.journal.trials if not (repeats and row["error"])}
        pending = [name for name in self.histories if name not in finished]
        if finished:
            print(f"{self._name}: {len(finished)} histories are in {self.journal.path}", file=sys.stderr)
        with progress(f"{self._name} on {self.benchmark}", len(self.histories), len(finished)) as advance:
            while pending:
                try:
                    self._run_worker(pending, advance)
                except WorkerFailure as failure:
                    if self.settings.worker_failure == "stop" or failure.position is None:
                        mend = "run again to go on, or set run.worker_failure: record to score them as errors"
                        raise LetheError(f"{failure}; {self._kept}; log: {self.log_path}; {mend}") from failure
                    self.journal.append(self._broken(pending.pop(failure.position), str(failure)))
                    advance(1)
                if self.chat is not None and self.chat.stop is not None:
                    raise LetheError(f"{self._name}: {self.chat.stop}; {self._kept}")

    @property
    def _name(self) -> str:
        return f"{self.system.name} with {self.system.model}" if self.system.model else self.system.name

    @property
    def _kept(self) -> str:
        return f"{len(self.journal.trials)} finished histories are kept in {self.journal.path}"

    def _run_worker(self, pending: list[str], advance: Callable[[int], object]) -> None:
        """Run histories in one worker and take those that are done out of `pending`."""
        lanes = 1 if self.chat is None or self.settings.worker_failure == "record" else self.chat.lanes
        start = start_message(self.system, self.embedder, self.settings.k, lanes, self.chat)
        home = self.journal.path.with_suffix(".home")
        respond = None if self.chat is None else self.chat.respond
        given, done = list(pending), set[int]()
        jobs = (self._job(self.histories[name]) for name in given)
        try:
            with started_worker(
                self.system, start, self.settings.start_timeout_s, home, self.log_path, self.embedder
            ) as worker:
                for position, row in worker.run(jobs, lanes, self._limit_s(given), respond):
                    if self.chat is not None and self.chat.stop is not None:
                        return
                    self.journal.append(self._journalled(given[position], row))
                    done.add(position)
                    advance(1)
        except WorkerFailure as failure:
            if failure.position is not None:
                failure.position -= sum(position < failure.position for position in done)
            raise
        finally:
            pending[:] = [name for position, name in enumerate(given) if position not in done]

    def _limit_s(self, names: Sequence[str]) -> float:
        """What the longest history may take: its own limit, and the model's patience for each few mutations."""
        if self.chat is None:
            return self.settings.case_timeout_s
        most = max(self.histories[name].mutations for name in names)
        return self.settings.case_timeout_s + self.chat.patience_s * (1 + most / _MUTATIONS_A_CASE)

    def _key(self, history: str) -> dict[str, Any]:
        names = {"suite": self.benchmark, "system": self.system.name, "model": self.system.model}
        return {**names, "repetition": 0, "case_id": history}

    def _job(self, history: History) -> tuple[str, dict[str, Any]]:
        key = self._key(history.name)
        if self.chat is not None:
            self.chat.begin(key)
        message = {"history": history.to_message(hybrid=self.hybrid), "key": key}
        return f"in history {history.name}", {**message, **with_vectors(self.embedder, history.texts())}

    def _journalled(self, history: str, row: Mapping[str, Any]) -> dict[str, Any]:
        spent = _NOTHING_SPENT if self.chat is None else self.chat.usage(self._key(history))
        return {"history": history, **row, **{name: spent[name] for name in _NOTHING_SPENT}}

    def _broken(self, history: str, error: str) -> dict[str, Any]:
        counts = {"inscribed": 0, "mutated": 0, "not_expressed": 0, "inscribe_ms": 0.0, "mutate_ms": 0.0}
        return {"history": history, **counts, "fallbacks": 0, "error": error, "answers": [], **_NOTHING_SPENT}


def run_histories(
    benchmark: str,
    system: SystemConfiguration,
    histories: Sequence[History],
    embedder: CachedEmbedder,
    settings: RunSettings,
    journal_path: Path,
    log_path: Path,
    fingerprint: str,
    *,
    hybrid: bool = False,
    chat: ChatAccess | None = None,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Run every history on one system.

    Finished histories of an interrupted run with the same fingerprint are taken from the journal; with a chat model,
    those that broke are run again.

    Args:
        settings: `case_timeout_s` is the limit of one whole history.
        fingerprint: what the answers depend on besides histories and configuration (code, environment, embedder).
        hybrid: ask a system that has a retrieval of its own besides the paper's by that one.
        chat: the model that plans the mutations, or that the system asks; None for neither.

    Returns:
        Rows of `lethe.schemas.CROSSEVAL` and of `lethe.schemas.CROSSEVAL_HISTORIES`, in the histories' order.

    Raises:
        LetheError: where the worker cannot start, dies or hangs, a file cannot be written, a cap is reached, or,
            without a chat model, every history broke.
    """
    configuration = [system.name, system.backend, dict(system.policies), dict(system.options), system.model]
    inputs = [[history.name, history.to_message(hybrid=hybrid)] for history in histories]
    whole = value_fingerprint([fingerprint, benchmark, configuration, settings.k, inputs])
    by_name = {history.name: history for history in histories}
    with Journal(journal_path, whole) as journal:
        HistoryRun(benchmark, system, by_name, embedder, settings, hybrid, journal, log_path, chat).finish()
        runs = {row["history"]: row for row in journal.trials}
        journal.discard()
    if not system.model and all(run["error"] for run in runs.values()):
        first = runs[histories[0].name]["error"]
        raise LetheError(f"{system.name}: every one of {len(runs)} histories broke, the first with: {first}")
    key = {"benchmark": benchmark, "system": system.name, "model": system.model}
    answers = [row for history in histories for row in _answer_rows(key, history, runs[history.name])]
    kept = ("history", "inscribed", "mutated", "not_expressed", "inscribe_ms", "mutate_ms", "fallbacks", "error")
    overview = [{**key, **{name: runs[h.name][name] for name in (*kept, *_NOTHING_SPENT)}} for h in histories]
    return answers, overview


def _answer_rows(key: Mapping[str, str], history: History, run: Mapping[str, Any]) -> list[dict[str, Any]]:
    answers = {question_id: rest for question_id, *rest in run["answers"]}
    ids = RowIds(history)
    rows = []
    for question in history.questions:
        texts, recall_ms, error = answers.get(question.question_id, ([], 0.0, run["error"]))
        recalled = ids.of(texts) if question.rule == "rows" else texts
        rows.append(
            {
                **key,
                "history": history.name,
                "question_id": question.question_id,
                "part": question.part,
                **_scored(question, recalled, error),
                "recalled": recalled,
                "recall_ms": recall_ms,
                "error": error,
            }
        )
    return rows


def _scored(question: Question, recalled: Sequence[str], error: str | None) -> dict[str, Any]:
    if error is None:
        scored = asdict(score_answer(question, recalled))
        return {name: list(value) if isinstance(value, tuple) else value for name, value in scored.items()}
    unscored = {"recall_rate": None, "forgetting_rate": None, "ndcg": None}
    return {"verdict": "error", "missing": [], "leaked": [], "gold_ranks": [], **unscored}


class RowIds:
    """The row ids of a history by text; equal texts give their ids in the order of the history."""

    def __init__(self, history: History) -> None:
        self._ids: dict[str, list[str]] = {}
        for operation in history.operations:
            if operation.text is not None and operation.row_id is not None:
                self._ids.setdefault(operation.text, []).append(operation.row_id)

    def of(self, texts: Sequence[str]) -> list[str]:
        """The id of each recalled text; an empty one for a text that is no row of the history."""
        left = {text: iter(self._ids.get(text, ())) for text in texts}
        return [next(left[text], "") for text in texts]
