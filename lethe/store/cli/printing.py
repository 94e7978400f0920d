"""Printing for people: a line is a line, and what it holds of other people's texts does nothing to the terminal."""

import io
import json
import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from lethe.store.cli.streams import open_closed, say, written
from lethe.store.documents import searched_text
from lethe.store.errors import LetheError, describe_os_error
from lethe.store.items import read_record
from lethe.store.memories import Memory


def printable(text: str) -> str:
    """The text with every character that would act on a terminal instead of being seen written as its escape."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def show(*fields: object) -> None:
    """Print one line with a tab between fields, which hold none."""
    say("\t".join(printable(str(field)) for field in fields))


def readable(text: str) -> str:
    """What a person reads of a memory: of an item, which an adapter or an import has stored, the text that is searched
    for, or all texts of its value."""
    record = read_record(text)
    if record is None:
        return text
    said, value = searched_text(record), record["value"]
    return "; ".join(_strings(value)) or json.dumps(value, ensure_ascii=False) if said is None else said


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


def show_json(content: Any) -> None:
    """Print one line of JSON; infinite numbers as the word for what they mean here, pinned."""
    finite = {name: "pinned" if value == math.inf else value for name, value in content.items()}
    say(json.dumps(finite, ensure_ascii=True))


def told_why(actor: str | None, reason: str | None, cause: str | None = None) -> list[str]:
    """Who did something, and why, in fields for `show`; none where nobody said it."""
    if cause is not None and actor is None and reason is None:
        return ["who and why: (erased)"]
    fields = {"by": actor, "because": reason}
    return [f"{name}: {value}" for name, value in fields.items() if value is not None]


def show_memories(memories: Sequence[Memory], as_json: bool) -> None:
    """Print one memory a line."""
    for memory in memories:
        if as_json:
            show_json(asdict(memory))
        else:
            show(memory.memory_id, readable(memory.text))


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Print a mistake of the user's, or a failed file operation, as one line on standard error, and exit with code 1.

    So is what was printed and could not be written. Characters that a terminal lacks are written as escapes.
    """
    open_closed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    code: str | int | None = 0
    told: list[Exception] = []
    try:
        yield
    except (LetheError, OSError) as error:
        told = [error]
    except SystemExit as ended:
        code = ended.code
    try:
        with written():
            pass
    except LetheError as error:
        # An error without a file's name came from printing, then.
        told = [each for each in told if not isinstance(each, OSError) or each.filename] + [error]
    except SystemExit as ended:
        code = code or ended.code
    for each in told:
        if isinstance(each, OSError):
            each = describe_os_error(each, str(each.filename or "file operation"))
        print(f"error: {printable(' '.join(str(each).split()))}", file=sys.stderr, flush=True)
    raise SystemExit(code or (1 if told else 0))
