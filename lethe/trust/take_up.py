"""Taking up kept trials into the results."""

from pathlib import Path

from forgeteval.cases.interchange import cases_sha256
from forgeteval.errors import UserError
from lethe.config.submission import TRIALS_FILE, read_submission
from lethe.fingerprints import sha256_of
from lethe.parquet import read_rows, write_rows
from lethe.schemas import TRIALS
from lethe.stored.cases import read_suite


def take_up(record: Path, suite: str, cases: Path, out: Path, producer: str) -> None:
    """Copy the trials of a suite that stand beside a record.

    Args:
        cases: of the suite, as they are run here.

    Raises:
        UserError: where the trials were changed since they were admitted, or are of other cases.
    """
    submission, name = read_submission(record), TRIALS_FILE.format(suite=suite)
    path = record.parent / name
    if sha256_of(path) != submission.files[name]:
        raise UserError(f"{path}: changed since it was admitted; remove its folder and admit the bundle again")
    if cases_sha256(read_suite(cases)) != submission.suites[suite].cases_sha256:
        raise UserError(f"{path}: of other cases than {suite} has here; remove its folder")
    write_rows(out, TRIALS, read_rows(path, TRIALS), producer)
