"""The log of a cache file as a Parquet table."""

from pathlib import Path

import pyarrow as pa

from lethe.gateway.cache import Cache
from lethe.parquet import write_rows
from lethe.schemas import Column, Table


def _text(name: str, meaning: str, nullable: bool = False) -> Column:
    return Column(name, pa.string(), meaning, nullable)


def _count(name: str, meaning: str, nullable: bool = False) -> Column:
    return Column(name, pa.int64(), meaning, nullable)


def _real(name: str, meaning: str) -> Column:
    return Column(name, pa.float64(), meaning)


LLM_CALLS = Table(
    "llm_calls",
    "results/llm/calls.parquet",
    "Every chat call that went through the gateway, answered or not.",
    ("call",),
    (
        _count("call", "number of the call in the log, from 1"),
        _text("suite", "name of the suite; empty where the caller gave none"),
        _text("system", "name of the system in config; empty where the caller gave none"),
        _text("case_id", "name of the case; empty where the caller gave none"),
        _count("repetition", "number of the repetition, from 0"),
        _text("purpose", "what the call was for; empty where the caller gave none"),
        _text("prompt_hash", "first 16 hexadecimal digits of the SHA-256 of the messages"),
        _text("model", "name of the chat model in config"),
        _count("tokens_in", "prompt tokens of the answer; null where there is none or it reports none", nullable=True),
        _count("tokens_out", "completion tokens, likewise", nullable=True),
        _real("cost_usd", "cost of the answer when it was made, US dollars; a cache hit was not paid again"),
        _real("latency_ms", "time of the answered (else the last) attempt, without queueing and back-off, ms"),
        _count("attempts", "requests sent to the endpoint for this call; 0 for a cache hit"),
        Column("cache_hit", pa.bool_(), "answered from the cache, or by an identical call that was under way"),
        _text("finish_reason", "why the model ended its answer; empty where there is none"),
        _text("error", "why there is no answer", nullable=True),
    ),
)


def export_calls(cache: Path, target: Path, producer: str) -> None:
    """Write every call logged in the file `cache` to `target`, a Parquet file of kind `LLM_CALLS`.

    A cache file that does not exist has logged no call. `producer` is the fingerprint of the code; see `write_rows`.

    Raises:
        LetheError: where the cache is none, or a file cannot be read or written.
    """
    write_rows(target, LLM_CALLS, _logged_calls(cache) if cache.exists() else [], producer)


def _logged_calls(cache: Path) -> list[dict[str, object]]:
    opened = Cache(cache)
    try:
        rows = opened.calls(tuple(column.name for column in LLM_CALLS.columns))
    finally:
        opened.close()
    return [{**row, "cache_hit": bool(row["cache_hit"])} for row in rows]
