"""What an importer reads: the record that all of them share, and what may stand in it, since nobody vouches for it."""

import json
import stat
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lethe.store.errors import LetheError
from lethe.store.items import Namespace, record, session_of
from lethe.store.normalisation import is_blank
from lethe.store.verifier import unique_keys

Left = Counter[str]
"""What of another store cannot be kept, by reason."""
MOST_BYTES = 4 << 20
"""Of one row, or one line."""
_DEEPEST = 100
"""A tenth of what SQLite reads of nested JSON."""


@dataclass(frozen=True, slots=True)
class Row:
    """What stands under a key of another store, and where that was read; times in seconds since the epoch.

    `texts`: what its vectors are of, each with its place in the value as `Embedded` has it. `ttl` is in seconds.
    """

    where: str
    namespace: Namespace
    key: str
    value: dict[str, Any]
    texts: Sequence[tuple[str, Any]] = ()
    created_at: float | None = None
    expires_at: float | None = None
    ttl: float | None = None


def checked(row: Row) -> Row:
    """The same row; `LetheError` for one that cannot stand in a store."""
    try:
        if not isinstance(row.key, str):
            raise ValueError(f"a key is a string, not {row.key!r:.80}")
        check_size([row.key, row.value, [text for text, _ in row.texts]])
        (session_of(row.namespace) + row.key + record(row.value)).encode()
    except ValueError as error:
        raise LetheError(f"{row.where}: {error!s:.200}; mend it there, or take it out") from error
    return row


def check_size(value: Any, most: int = MOST_BYTES) -> None:
    """`ValueError` for what is too deep or too large, also by references to one part from many places."""
    waiting, weight = [(value, 0)], 0
    while waiting:
        part, level = waiting.pop()
        weight += len(part) if isinstance(part, str | list | tuple | dict) else 1
        if level > _DEEPEST:
            raise ValueError(f"it is nested more than {_DEEPEST} levels deep")
        if weight > most:
            raise ValueError(f"it is larger than {most >> 20} MiB")
        if isinstance(part, dict):
            waiting += [(each, level + 1) for pair in part.items() for each in pair]
        elif isinstance(part, list | tuple):
            waiting += [(each, level + 1) for each in part]


def embedded(text: str, place: Any) -> list[tuple[str, Any]]:
    """A text as `texts` has it; a blank one has no vector."""
    return [] if is_blank(text) else [(text, place)]


def string(where: str, what: str, given: Any) -> str:
    """`given`, if it is a string; else `LetheError`."""
    if not isinstance(given, str):
        raise LetheError(f"{where}: {what} is not text but {given!r:.80}; mend it there, or take it out")
    return given


def json_of(where: str, text: str | bytes, most: int = MOST_BYTES) -> Any:
    """What a text of JSON says; `LetheError` if it is none, or too deep or large."""
    try:
        told = json.loads(text, object_pairs_hook=unique_keys)
        check_size(told, most)
    except (ValueError, RecursionError) as error:
        raise LetheError(
            f"{where}: no JSON that can be taken ({error!s:.80}); mend it there, or take it out"
        ) from error
    return told


def moment(where: str, given: Any) -> float | None:
    """A time as ISO 8601 has it, of UTC where it names no zone, in seconds since the epoch; None for None."""
    if given is None:
        return None
    try:
        told = datetime.fromisoformat(given)
        return (told if told.tzinfo else told.replace(tzinfo=UTC)).timestamp()
    except (TypeError, ValueError, OverflowError) as error:
        raise LetheError(f"{where}: {given!r:.80} is not a time as ISO 8601 has it; mend it there") from error


def regular(path: Path, within: Path | None = None) -> Path:
    """The path without links, if it is a regular file; `LetheError` for another, and for a link within a folder."""
    if not path.exists():
        raise LetheError(f"{path}: is not there; name the file or the folder that the other store has written")
    if not stat.S_ISREG(path.stat().st_mode):
        raise LetheError(f"{path}: a folder, a pipe or a device, where a file is needed; name the file")
    file = path.resolve()
    if within is not None and file != within.resolve() / path.relative_to(within):
        raise LetheError(f"{path}: a link, in a folder that is to be imported; put the file itself there")
    return file
