"""Taking in a bundle: checked as what an enemy made, and kept in a folder from which the tables take it up."""

import contextlib
import fcntl
import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from forgeteval.errors import UserError
from forgeteval.files import write_text
from forgeteval.foreign import apart
from forgeteval.limits import Limits
from lethe.config.atlas import atlas_labels
from lethe.config.configurations import ATLAS
from lethe.config.look_alikes import skeleton
from lethe.config.model import Config
from lethe.config.submission import (
    ADMISSION_FILE,
    SIGNATURE_FILE,
    SUBMISSION_FILE,
    TRIALS_FILE,
    Admission,
    Submission,
    faults_of_own_adapter,
    read_handed_in,
)
from lethe.folders import held, remove_folder
from lethe.trust.bundle import unpack_bundle
from lethe.trust.judging import check_trials, is_of_this_project
from lethe.trust.rerun import Rerun, run_again
from lethe.trust.signature import signer_of

_BEING_CHECKED = ".being-checked-"
_LIMITS = Limits(memory=3 << 30, seconds=900)
"""Of the processes that unpack a bundle and judge its trials."""


def admit(
    bundle: Path, config: Config, into: Path, sample: Rerun | None = None, signers: Path | None = None
) -> tuple[Submission, Admission]:
    """Check a bundle, and if nothing is found keep it in `into`/BY/CONFIGURATION. Nothing in it is executed.

    Args:
        config: this project's.
        sample: runs cases again; None for no such run.
        signers: keys of those whose signature counts; None asks for none.

    Raises:
        UserError: where the bundle cannot be read, nobody of the signers signed it, or its place is taken.
    """
    with _work_folder(into) as work:
        submission = apart(unpack_bundle, bundle, work, limits=_LIMITS)
        target = into / submission.by / submission.configuration.name
        taken = f"{target}: already there; remove it first if {bundle} is to stand in its place"
        if target.exists():
            raise UserError(taken)
        signer = _signer(work, signers, submission.by)
        findings = apart(check_trials, work, submission, config, limits=_LIMITS)
        own_adapter = not is_of_this_project(submission, config)
        if own_adapter:
            entry = submission.configuration
            atlas = atlas_labels(Path(ATLAS))
            faults = faults_of_own_adapter(submission.by, entry.name, entry.label, config, atlas)
            findings += [f"{SUBMISSION_FILE}: {fault}" for fault in faults]
        made = (0, 0)
        if sample is not None and not findings:
            if own_adapter:
                raise UserError(f"{submission.configuration.name} is not a system of this project; leave out --rerun")
            made, differing = run_again(work, submission, config, sample)
            findings += differing
        # Another may have put its own there since; none does while this looks at what is beside.
        with held(into):
            if target.exists():
                raise UserError(taken)
            findings += _faults_beside(submission, into)
            admission = Admission(own_adapter, *made, signer, findings)
            if not findings:
                write_text(work / ADMISSION_FILE, json.dumps(asdict(admission), indent=1, sort_keys=True) + "\n")
                work.chmod(0o755)
                target.parent.mkdir(exist_ok=True)
                work.rename(target)
        return submission, admission


def _faults_beside(submission: Submission, into: Path) -> Iterator[str]:
    """What of a bundle was handed in before: a name that looks like somebody else's, or their trials; the label of
    another system of the same person, since the tables show no more of it."""
    trials, own = _trials_of(submission), submission.configuration
    for other, _ in read_handed_in(into):
        if other.by == submission.by:
            if skeleton(other.configuration.label) == skeleton(own.label):
                of = f"that of {other.configuration.name}, which {other.by} handed in before"
                yield f"{SUBMISSION_FILE}: configuration: label: {own.label!r} is {of}; rename it, run again"
            continue
        if skeleton(other.by) == skeleton(submission.by):
            yield f"{SUBMISSION_FILE}: by: {submission.by} looks like {other.by}, who handed in before; choose another"
        if trials & _trials_of(other):
            yield f"{SUBMISSION_FILE}: files: holds trials that {other.by} handed in before"


def _trials_of(submission: Submission) -> set[str]:
    return {submission.files[TRIALS_FILE.format(suite=suite)] for suite in submission.suites}


@contextlib.contextmanager
def _work_folder(into: Path) -> Iterator[Path]:
    """A new folder in `into`, which is removed unless it was moved; so are those whose process was killed.

    Each is locked for as long as it is in use. What the process has started holds the lock too, and may still write.
    """
    with held(into):
        for left_behind in into.glob(f"{_BEING_CHECKED}*"):
            _remove_unused(left_behind)
        work = Path(tempfile.mkdtemp(dir=into, prefix=_BEING_CHECKED))
        descriptor = os.open(work, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield work
    finally:
        remove_folder(work)
        os.close(descriptor)


def _remove_unused(folder: Path) -> None:
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        # Removed meanwhile, or nothing that was made here.
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    else:
        remove_folder(folder)
    finally:
        os.close(descriptor)


def _signer(work: Path, signers: Path | None, by: str) -> str:
    signature = work / SIGNATURE_FILE
    if signers is None:
        return ""
    if not signature.is_file():
        raise UserError("the bundle bears no signature; ask for one, or leave out --signers")
    return signer_of(work / SUBMISSION_FILE, signature, signers, by)
