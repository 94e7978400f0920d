"""Annotations of a CI on GitHub: workflow commands on standard output."""

from collections.abc import Iterator
from itertools import islice

from forgeteval.cases.case import Case
from forgeteval.run.formats.told import why
from forgeteval.run.hooked import who_broke
from forgeteval.run.results import Results
from forgeteval.run.trials import Trial

MOST = 10
"""GitHub shows no more errors of a step."""


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
    return _data(text).replace(":", "%3A").replace(",", "%2C")
