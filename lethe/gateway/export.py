"""The log of a cache file as a Parquet table."""

import contextlib
from pathlib import Path

from lethe.gateway.cache import Cache
from lethe.parquet import write_rows
from lethe.schemas import LLM_CALLS


def export_calls(cache: Path, target: Path, producer: str) -> None:
    """Write every call logged in the file `cache` to `target`, a Parquet file of kind `LLM_CALLS`.

    A missing cache file counts as one without calls. `producer` is the fingerprint of the code; see `write_rows`.

    Raises:
        UserError: if `cache` is not a cache, or a file cannot be read or written.
    """
    write_rows(target, LLM_CALLS, _logged_calls(cache) if cache.exists() else [], producer)


def _logged_calls(cache: Path) -> list[dict[str, object]]:
    with contextlib.closing(Cache(cache)) as opened:
        rows = opened.calls(tuple(column.name for column in LLM_CALLS.columns))
    return [{**row, "cache_hit": bool(row["cache_hit"])} for row in rows]
