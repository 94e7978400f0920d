"""Answers with what they cost, the attempts at one, and those that are recorded."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from forgeteval.chat.completions import Completion
from forgeteval.planners.llm.reading import is_cut_off
from lethe.gateway.context import Usage
from lethe.parquet import Row
from lethe.stored.answers import answers_path, read_answers


@dataclass(frozen=True, slots=True)
class Answer(Completion):
    """A chat completion with what it cost; where nobody says what something cost, the most that it may have cost.

    `latency_ms` is the time of the attempt that was answered, without queueing and back-off; `attempts` is the number
    of requests made, `broken` of those before it that broke off, which may have cost something.
    """

    cost_usd: float = 0.0
    latency_ms: float = 0.0
    attempts: int = 0
    broken: int = 0

    @property
    def usage(self) -> Usage:
        """What one call with this answer used."""
        tokens_in, tokens_out, cut_off = self.tokens_in or 0, self.tokens_out or 0, is_cut_off(self.finish_reason)
        return Usage(1, tokens_in, tokens_out, self.cost_usd, self.latency_ms, int(self.is_unreported), int(cut_off))

    @property
    def is_unreported(self) -> bool:
        """Whether it came without its tokens."""
        return self.tokens_in is None or self.tokens_out is None


class RecordedAnswers:
    """Answers by key, which are part of the project: what a model says that is not switched on.

    Args:
        rows: of `lethe.schemas.RECORDED_ANSWERS`.
    """

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._by_key = {row["key"]: row for row in rows}

    @classmethod
    def of(cls, folder: Path, models: Iterable[str]) -> "RecordedAnswers":
        """The answers of those of the models that have any in a folder; see `lethe.stored.answers.read_answers`."""
        paths = (answers_path(folder, model) for model in models)
        return cls(row for path in paths if path.is_file() for row in read_answers(path))

    def find(self, key: str) -> Answer | None:
        """The answer recorded under a key, if any."""
        row = self._by_key.get(key)
        if row is None:
            return None
        choice = {"index": 0, "message": json.loads(row["answer"]), "finish_reason": row["finish_reason"]}
        used = {"prompt_tokens": row["tokens_in"], "completion_tokens": row["tokens_out"]}
        body = {"id": "recorded", "object": "chat.completion", "choices": [choice], "usage": used}
        numbers = {name: row[name] for name in ("finish_reason", "tokens_in", "tokens_out", "latency_ms")}
        return Answer(json.dumps(body), **numbers)
