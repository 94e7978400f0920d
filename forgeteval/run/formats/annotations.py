"""Annotations of a CI on GitHub: workflow commands on standard output."""

import secrets
from collections.abc import Iterable, Iterator
from itertools import islice
from types import TracebackType

from forgeteval.cases.case import Case
from forgeteval.errors import printable
from forgeteval.run.formats.told import why
from forgeteval.run.hooked import who_broke
from forgeteval.run.results import Results
from forgeteval.run.trials import Trial

MOST = 10
"""GitHub shows no more errors of a step."""


class StoppedCommands:
    """While it is open, a runner of GitHub takes nothing that is printed for a command, except what it is told.

    Such a runner sees commands behind blanks, and some within a line: a traceback of a store may hold them.
    """

    def __init__(self) -> None:
        self._token = secrets.token_hex(16)

    def __enter__(self) -> "StoppedCommands":
        print(f"::stop-commands::{self._token}", flush=True)
        return self

    def tell(self, lines: Iterable[str]) -> None:
        """Print commands."""
        print(f"::{self._token}::", *lines, f"::stop-commands::{self._token}", sep="\n", flush=True)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        print(f"::{self._token}::", flush=True)


def annotation_lines(results: Results) -> Iterator[str]:
    """An error for each case in which the store broke, then for each that it failed, ten at most; a notice counts the
    rest."""
    found = [*results.errors(), *results.failures()]
    yield from (_error(case, trial) for case, trial in islice(found, MOST))
    if len(found) > MOST:
        rest = f"{len(found) - MOST} more of {results.total} cases are not passed"
        yield _command("notice", f"ForgetEval {results.suite.name}", rest)


def _error(case: Case, trial: Trial) -> str:
    broke = who_broke([trial]) or "failed"
    return _command("error", f"{case.case_id} ({case.category}): {broke}", why(trial))


def _command(name: str, title: str, message: str) -> str:
    return f"::{name} title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(printable(text)).replace(":", "%3A").replace(",", "%2C")
