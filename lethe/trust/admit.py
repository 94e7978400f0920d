"""Taking in a bundle: checked as what an enemy made, and kept in a folder from which the tables take it up."""

import json
import tempfile
from dataclasses import asdict
from pathlib import Path

from forgeteval.errors import UserError
from forgeteval.files import write_text
from forgeteval.foreign import apart
from forgeteval.limits import Limits
from lethe.config.atlas import label_as_seen
from lethe.config.model import Config
from lethe.config.selection import all_configurations
from lethe.config.submission import ADMISSION_FILE, SIGNATURE_FILE, SUBMISSION_FILE, Admission, Submission
from lethe.folders import remove_folder
from lethe.trust.bundle import unpack_bundle
from lethe.trust.judging import check_trials, is_of_this_project
from lethe.trust.rerun import Rerun, run_again
from lethe.trust.signature import signer_of

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
    into.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(dir=into, prefix=".being-checked-"))
    try:
        submission = apart(unpack_bundle, bundle, work, limits=_LIMITS)
        target = into / submission.by / submission.configuration.name
        taken = f"{target}: already there; remove it first if {bundle} is to stand in its place"
        if target.exists():
            raise UserError(taken)
        signer = _signer(work, signers, submission.by)
        findings = apart(check_trials, work, submission, config, limits=_LIMITS)
        own_adapter = not is_of_this_project(submission, config)
        findings += _taken_label(submission, config) if own_adapter else []
        made = (0, 0)
        if sample is not None and not findings:
            if own_adapter:
                raise UserError(f"{submission.configuration.name} is not a system of this project; leave out --rerun")
            made, differing = run_again(work, submission, config, sample)
            findings += differing
        admission = Admission(own_adapter, *made, signer, findings)
        if not findings:
            write_text(work / ADMISSION_FILE, json.dumps(asdict(admission), indent=1, sort_keys=True) + "\n")
            work.chmod(0o755)
            target.parent.mkdir(exist_ok=True)
            try:
                work.rename(target)
            except OSError as error:
                # Another may have put its own there since.
                if target.exists():
                    raise UserError(taken) from error
                raise
        return submission, admission
    finally:
        remove_folder(work)


def _taken_label(submission: Submission, config: Config) -> list[str]:
    """What is wrong where a system that is none of this project bears the label of one that is."""
    label = submission.configuration.label
    seen = label_as_seen(label)
    taken = [name for name, own in all_configurations(config).items() if label_as_seen(own.label) == seen]
    return [f"{SUBMISSION_FILE}: configuration: label: {label!r} is that of {name} here" for name in taken[:1]]


def _signer(work: Path, signers: Path | None, by: str) -> str:
    signature = work / SIGNATURE_FILE
    if signers is None:
        return ""
    if not signature.is_file():
        raise UserError("the bundle bears no signature; ask for one, or leave out --signers")
    return signer_of(work / SUBMISSION_FILE, signature, signers, by)
