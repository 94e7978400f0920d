"""The trials that somebody hands in, judged: against the cases of this project, and by what they recalled."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from forgeteval.cases.case import Case
from forgeteval.cases.interchange import cases_sha256
from forgeteval.cases.suites import build_suite
from forgeteval.errors import UserError
from lethe.config.model import Config
from lethe.config.selection import all_configurations
from lethe.config.submission import TRIALS_FILE, HandedSuite, Submission, is_plain_number
from lethe.parquet import Row, read_rows
from lethe.schemas import TRIALS
from lethe.trust.folder import oversized
from lethe.trust.judged import compare_trials


def check_trials(folder: Path, submission: Submission, config: Config) -> Iterator[str]:
    """One line for each trial that is not what its case and its recalled texts let it be.

    Args:
        folder: where the bundle is unpacked.
        config: this project's; its suites are those that trials may be of.
    """
    for suite, handed in submission.suites.items():
        path = TRIALS_FILE.format(suite=suite)
        try:
            cases = cases_of(suite, handed, config)
            yield from _check_suite(path, cases, _rows(folder / path), submission)
        except UserError as error:
            yield f"{path}: {error}"


def cases_of(suite: str, handed: HandedSuite, config: Config) -> list[Case]:
    """The cases that trials are of, built here.

    Raises:
        UserError: where this project has no such suite, or other cases in that version.
    """
    if suite not in config.suites:
        raise UserError(f"this project has no suite {suite}; hand in its cases first (docs/contributing-cases.md)")
    options = config.suites[suite].options()
    cases = build_suite(suite, {**options, "suite_version": handed.version} if handed.version else options)
    if cases_sha256(cases) != handed.cases_sha256:
        raise UserError(f"the cases of {suite} have another checksum here; run the system on those of this project")
    return cases


def is_of_this_project(submission: Submission, config: Config) -> bool:
    """Whether the configuration is one that this project has, so that it can be run again from here."""
    own = all_configurations(config).get(submission.configuration.name)
    return own is not None and own.for_trials() == submission.configuration.for_trials()


def _rows(path: Path) -> list[dict[str, Any]]:
    try:
        refused = next(oversized(path), None)
    except (OSError, pa.ArrowException) as error:
        raise UserError(f"cannot be read as Parquet ({' '.join(str(error).split())})") from error
    if refused:
        raise UserError(refused)
    return read_rows(path, TRIALS)


def _check_suite(path: str, cases: Sequence[Case], found: Sequence[Row], submission: Submission) -> Iterator[str]:
    yield from compare_trials(path, cases, found, submission.configuration, submission.repetitions)
    for row in found:
        where = f"{path}: case {row['case_id']!r:.60}"
        if len(row["recalled"]) > submission.k:
            yield f"{where}: {len(row['recalled'])} texts recalled; k is {submission.k}"
        wrong = [name for name, value in row.items() if not is_plain_number(value)]
        if wrong:
            yield f"{where}: {', '.join(wrong)}: no number of milliseconds or dollars"
        if row["llm_calls"] < 0 or row["tokens_in"] < 0 or row["tokens_out"] < 0:
            yield f"{where}: a count below zero"
