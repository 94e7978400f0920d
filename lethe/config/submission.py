"""What somebody hands in: one configuration with its trials, and what made them."""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from forgeteval.csv_cells import as_text
from forgeteval.errors import UserError, shows_something
from forgeteval.json_records import from_json, read_object
from lethe.config.configurations import Configuration
from lethe.config.look_alikes import label_as_seen, skeleton
from lethe.config.model import Config
from lethe.config.selection import all_configurations

SUBMISSION_FILE = "submission.json"
SIGNATURE_FILE = "submission.json.sig"
LOCK_FILE = "environment.lock"
ADAPTER_FILE = "adapter.py"
"""Kept for readers; nothing loads or executes it."""
ADMISSION_FILE = "admission.json"
TRIALS_FILE = "trials/{suite}.parquet"
FORMAT = 1
_NOT_PERIODIC = r"(?!.*(.+?)\1{19}$)"
"""Snakemake takes a name that ends with twenty times the same for one of a rule that feeds itself."""
_NAME = re.compile(_NOT_PERIODIC + r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
LONGEST_NAME = 80
_SYSTEM = re.compile(_NOT_PERIODIC + rf"[A-Za-z0-9][A-Za-z0-9_.+@-]{{0,{LONGEST_NAME - 1}}}")
_MARKUP = re.compile(r"<[A-Za-z/!?]|&#?\w+;")
_SHA256 = re.compile(r"[0-9a-f]{64}")
LONGEST_LABEL, _MOST_MEMORIES, _MOST_REPETITIONS = 60, 1000, 100
_ALIKE = {"LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "CHEROKEE"}
MOST_COUNTED = 1 << 40
"""Calls, tokens, milliseconds or dollars of one trial."""


@dataclass(frozen=True, slots=True)
class HandedSuite:
    """The suite that trials are of: its version (0 for one without), and the checksum of its cases."""

    version: int
    cases_sha256: str


@dataclass(frozen=True, slots=True)
class Submission:
    """What is handed in.

    Attributes:
        format: of the bundle.
        by: who hands in.
        configuration: whose trials these are.
        k: number of memories that a recall returned.
        repetitions: how often each case was run.
        suites: by name.
        code: fingerprint of the package that ran.
        packages: `NAME==VERSION` of the system's environment.
        machine: platform and Python.
        files: SHA-256 of every other file of the bundle, by its path.
    """

    format: int
    by: str
    configuration: Configuration
    k: int
    repetitions: int
    suites: Mapping[str, HandedSuite]
    code: str
    packages: Sequence[str]
    machine: Mapping[str, str]
    files: Mapping[str, str]

    def to_text(self) -> str:
        """The record as it stands in the bundle."""
        return json.dumps(asdict(self), indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


@dataclass(frozen=True, slots=True)
class Admission:
    """What was found of a bundle.

    Attributes:
        own_adapter: the system is none of this project, so that it is judged by its trials alone.
        rerun: how many of its trials were run again here.
        same: how many of these came to the same verdict.
        signer: whose signature the record bears; empty where none was asked for.
    """

    own_adapter: bool
    rerun: int = 0
    same: int = 0
    signer: str = ""
    findings: Sequence[str] = field(default_factory=list)


def read_handed_in(folder: Path) -> list[tuple[Submission, Admission]]:
    """What `forgeteval admit` keeps in a folder, by who handed in and configuration; nothing where there is none.

    Raises:
        UserError: where a record cannot be read, or stands under another name.
    """
    found = []
    for path in sorted(kept / SUBMISSION_FILE for kept in folder.glob("[!.]*/[!.]*/")):
        try:
            submission = read_submission(path)
            admission = from_json(Admission, read_object(path.with_name(ADMISSION_FILE)))
        except (KeyError, TypeError, UserError) as error:
            said = f"not what `forgeteval admit` keeps ({' '.join(str(error).split())})"
            raise UserError(f"{path.parent}: {said}; remove it and admit its bundle again") from error
        if path.parts[-3:-1] != (submission.by, submission.configuration.name):
            of = f"{submission.by}/{submission.configuration.name}"
            raise UserError(f"{path}: is of {of}; move the folder there, or remove it")
        found.append((submission, admission))
    return found


def read_submission(path: Path) -> Submission:
    """Read a record, which may hold anything.

    Raises:
        UserError: where it is none, or names what no bundle may name.
    """
    data = read_object(path)
    try:
        found = from_json(Submission, data)
        found.to_text()
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise UserError(f"{path.name}: not a record of what is handed in ({' '.join(str(error).split())})") from error
    for fault in _faults(found):
        raise UserError(f"{path.name}: {fault}")
    return found


def check_name(by: str) -> None:
    """Raise a UserError where somebody cannot be called so in the tables and in a folder's name."""
    if not _NAME.fullmatch(by):
        rule = "has letters, digits, - and _ alone, at most 40, and does not end with twenty times the same"
        raise UserError(f"the name {by!r:.60} {rule}; choose another")


def is_name(name: str) -> bool:
    """Whether a configuration or a suite can be called so in a bundle."""
    return _SYSTEM.fullmatch(name) is not None


def faults_of_names(by: str, name: str) -> list[str]:
    """What is wrong with the names of who hands in and of the configuration, which are those of folders too."""
    wrong = {
        f"by: {by!r:.60} is not a name": not _NAME.fullmatch(by),
        f"configuration: {name!r:.60} is not a name": not is_name(name),
    }
    return [fault for fault, holds in wrong.items() if holds]


def _faults_of_label(label: str) -> list[str]:
    wrong = {
        f"configuration: label: {label!r:.60} cannot be shown": (
            len(label) > LONGEST_LABEL or not shows_something(label)
        ),
        f"configuration: label: {label!r:.60} mixes scripts within a word": _mixes_scripts(label),
        f"configuration: label: {label!r:.60} is a formula to a spreadsheet": as_text(label) != label,
        f"configuration: label: {label!r:.60} holds markup": bool(_MARKUP.search(label)),
    }
    return [fault for fault, holds in wrong.items() if holds]


def faults_of_own_adapter(
    by: str, name: str, label: str, config: Config, atlas: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """What is wrong with what a system that is none of this project is called: also a label of one that is.

    Args:
        config: this project's.
        atlas: labels of the systems of the atlas, by their names.
    """
    found = [*faults_of_names(by, name), *_faults_of_label(label)]
    if found:
        return found
    if name in atlas:
        return [f"configuration: {name!r} is a system of the atlas here; choose another name"]
    where = f"configuration: label: {label!r}"
    seen, alike = label_as_seen(label), skeleton(label)
    labels = {other: own.label for other, own in all_configurations(config).items()}
    for other, taken in {**labels, **atlas}.items():
        if label_as_seen(taken) == seen:
            return [f"{where} is that of {other} here"]
        if skeleton(taken) == alike:
            return [f"{where} looks like {taken!r}, that of {other} here; choose another"]
    return []


def _faults(found: Submission) -> list[str]:
    configuration = found.configuration
    named = [*faults_of_names(found.by, configuration.name), *_faults_of_label(configuration.label)]
    wrong = {
        f"format: {found.format} is not {FORMAT}": found.format != FORMAT,
        **dict.fromkeys(named, True),
        f"k: must be from 1 to {_MOST_MEMORIES}": not 1 <= found.k <= _MOST_MEMORIES,
        f"repetitions: must be from 1 to {_MOST_REPETITIONS}": not 1 <= found.repetitions <= _MOST_REPETITIONS,
        "suites: none": not found.suites,
        **{f"suites: {name!r:.60} is not a name": not is_name(name) for name in found.suites},
        **{f"suites: {name!r:.60}: version: below 0": suite.version < 0 for name, suite in found.suites.items()},
    }
    sums = [*found.files.values(), *(suite.cases_sha256 for suite in found.suites.values())]
    wrong["a SHA-256 is none"] = not all(map(_SHA256.fullmatch, sums))
    trials = {TRIALS_FILE.format(suite=name) for name in found.suites}
    known = trials | {LOCK_FILE, ADAPTER_FILE}
    wrong["files: must list the trials of each suite, and besides a lock and an adapter alone"] = not (
        trials <= found.files.keys() <= known
    )
    return [fault for fault, holds in wrong.items() if holds]


def _mixes_scripts(label: str) -> bool:
    """Whether a word holds Latin, Greek, Cyrillic, Armenian or Cherokee letters, which look alike, together."""
    words = "".join(each if each.isalpha() else " " for each in unicodedata.normalize("NFKC", label)).split()
    return any(len({unicodedata.name(each, "").split(" ")[0] for each in word} & _ALIKE) > 1 for word in words)


def is_plain_number(value: Any) -> bool:
    """Whether a time or a cost is one: not below nothing, and not beyond any that a run has."""
    return not isinstance(value, float) or 0 <= value <= MOST_COUNTED
