"""What recorded runs used: a file beside the recorded answers, from which the price of a run is estimated."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from forgeteval.csv_cells import read_lines, write_lines

USAGE_FILE = "usage.csv"


@dataclass(frozen=True, slots=True, order=True)
class RecordedUsage:
    """What the calls of a run for one purpose came to, in one repetition of each case.

    Attributes:
        purpose: a task of the hook, with `_repair` for its second attempt; `system` or `judge`.
        answer_ms: sum of the answers' times.
    """

    model: str
    suite: str
    system: str
    purpose: str
    calls: float
    tokens_in: float
    tokens_out: float
    answer_ms: float


def read_usage(folder: Path) -> list[RecordedUsage]:
    """What a folder of recorded answers says of its runs; nothing where it says nothing.

    Raises:
        UserError: naming the line that is none.
    """
    path = folder / USAGE_FILE
    return list(read_lines(path, _usage, "recorded usage", "restore the file")) if path.is_file() else []


def write_usage(folder: Path, rows: Iterable[RecordedUsage]) -> None:
    """Write the file of a folder, sorted."""
    write_lines(folder / USAGE_FILE, RecordedUsage, rows)


def _usage(line: Mapping[str, str]) -> RecordedUsage:
    model, suite, system, purpose = (line[name] for name in ("model", "suite", "system", "purpose"))
    used = (float(line[name]) for name in ("calls", "tokens_in", "tokens_out", "answer_ms"))
    calls, tokens_in, tokens_out, answer_ms = used
    return RecordedUsage(model, suite, system, purpose, calls, tokens_in, tokens_out, answer_ms)
