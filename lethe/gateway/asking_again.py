"""Asking a model again what its recorded answers answered."""

import asyncio
import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from lethe.gateway.answers import Answer
from lethe.parquet import Row


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
    known = sorted(rows, key=lambda row: row["key"])
    return random.Random(seed).sample(known, min(count, len(known)))


def ask_again(rows: Sequence[Row], endpoint: Endpoint) -> list[AskedAgain]:
    """Send the requests of some rows of `lethe.schemas.RECORDED_ANSWERS`, one after another.

    Raises:
        GatewayError: where the endpoint gives no answer.
    """
    return asyncio.run(_ask_all(rows, endpoint))


async def _ask_all(rows: Sequence[Row], endpoint: Endpoint) -> list[AskedAgain]:
    found = []
    for row in rows:
        answer = await endpoint.complete(json.loads(row["request"]))
        message = json.loads(answer.response)["choices"][0]["message"]
        found.append(AskedAgain(row["key"], row["task"], row["answer"], json.dumps(message, ensure_ascii=False)))
    return found


def _said(message: str) -> tuple[object, object]:
    said = json.loads(message)
    calls = [call.get("function") for call in said.get("tool_calls") or ()]
    return said.get("content"), calls
