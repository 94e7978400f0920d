"""The trials that somebody hands in, judged: against the cases of this project, and by what they recalled."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from forgeteval.cases.case import Case
from forgeteval.cases.errata import suite_version
from forgeteval.cases.interchange import cases_sha256
from forgeteval.cases.suites import build_suite
from forgeteval.errors import UserError
from lethe.config.model import Config
from lethe.config.selection import all_configurations
from lethe.config.submission import TRIALS_FILE, HandedSuite, Submission
from lethe.parquet import check_foreign, read_rows
from lethe.schemas import TRIALS
from lethe.trust.trials import check_suite
from lethe.trust.versions import without_credentials


def check_trials(folder: Path, submission: Submission, config: Config) -> list[str]:
    """One line for each trial that is not what its case and its recalled texts let it be.

    Args:
        folder: where the bundle is unpacked.
        config: this project's; its suites are those that trials may be of.
    """
    return list(_findings(folder, submission, config))


def _findings(folder: Path, submission: Submission, config: Config) -> Iterator[str]:
    if submission.k != config.run.k:
        yield f"k: {submission.k} memories a recall; the tables here are of k = {config.run.k}: run it with that"
    for suite, handed in submission.suites.items():
        path = TRIALS_FILE.format(suite=suite)
        try:
            cases = cases_of(suite, handed, config)
            check_foreign(folder / path)
            found, entry = read_rows(folder / path, TRIALS), submission.configuration
            yield from check_suite(path, cases, found, entry, submission.repetitions, submission.k)
        except UserError as error:
            # Where it is unpacked, and what to do with a file of one's own, helps nobody who has the bundle.
            said, unpacked = str(error), f"{folder / path}: "
            yield f"{path}: {said.removeprefix(unpacked).partition('; ')[0] if said.startswith(unpacked) else said}"


def cases_of(suite: str, handed: HandedSuite, config: Config) -> list[Case]:
    """The cases that trials are of, built here.

    Raises:
        UserError: where this project has no such suite, or other cases in that version.
    """
    if suite not in config.suites:
        raise UserError(f"this project has no suite {suite}; hand in its cases first (docs/contributing-cases.md)")
    options = config.suites[suite].options()
    here = suite_version(options)
    if here and not handed.version:
        raise UserError(f"version 0 of {suite}, which no suite has; here it is of version {here}: run it with that")
    if handed.version and not here:
        raise UserError(f"version {handed.version} of {suite}, which has none: its cases are made, not written")
    cases = build_suite(suite, {**options, "suite_version": handed.version} if handed.version else options)
    if cases_sha256(cases) != handed.cases_sha256:
        raise UserError(f"the cases of {suite} have another checksum here; run the system on those of this project")
    return cases


def is_of_this_project(submission: Submission, config: Config) -> bool:
    """Whether the configuration is one that this project has, apart from credentials, so that it can be run again from
    here."""
    own = all_configurations(config).get(submission.configuration.name)
    return own is not None and without_credentials(asdict(own.for_trials())) == asdict(
        submission.configuration.for_trials()
    )
