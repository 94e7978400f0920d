"""Errata: cases of written suites that were found faulty, and since which version of their suite they are withdrawn.

Version 1 of a suite has every case. A withdrawal makes a new version, whose number it gives; earlier versions can be
built for ever, since no case is removed from its file.
"""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forgeteval.cases.case import Case
from forgeteval.cases.yaml_records import read_records
from forgeteval.errors import UserError

ERRATA_FILE = "errata.yaml"
"""Stands beside the folders of the suites that it is about."""
_FIELDS = {"suite": str, "case": str, "date": datetime.date, "reason": str, "from_version": int}


@dataclass(frozen=True, slots=True)
class Erratum:
    """One case that is withdrawn.

    Attributes:
        suite: folder of the suite.
        from_version: the first version of the suite that lacks the case.
    """

    suite: str
    case: str
    date: datetime.date
    reason: str
    from_version: int


def read_errata(folder: Path) -> list[Erratum]:
    """The errata of the suite in a folder, in the order of the file; none where there is no such file.

    Raises:
        UserError: where an entry is malformed or of a suite that is not there, a case has two, or the versions are not
            counted one by one.
    """
    path = folder.parent / ERRATA_FILE
    if not path.is_file():
        return []
    found = [_erratum(record, f"{path}:{line}") for line, record in read_records(path)]
    for erratum in found:
        if not (folder.parent / erratum.suite).is_dir():
            raise UserError(f"{path}: no folder {erratum.suite!r:.80} stands beside it; correct `suite`")
    errata = [erratum for erratum in found if erratum.suite == folder.name]
    cases = [erratum.case for erratum in errata]
    for case in cases:
        if cases.count(case) > 1:
            raise UserError(f"{path}: {case} of {folder.name} is withdrawn twice; remove one of the entries")
    versions = sorted({erratum.from_version for erratum in errata})
    if versions != list(range(2, len(versions) + 2)):
        raise UserError(f"{path}: from_version of {folder.name} must count 2, 3 and so on, not {versions}")
    return errata


def newest_version(folder: Path) -> int:
    """The newest version of the suite in a folder."""
    return max((erratum.from_version for erratum in read_errata(folder)), default=1)


def withdrawn(options: Mapping[str, Any]) -> list[Erratum]:
    """The errata that count for a suite, as its entry in `config/suites.yaml` describes it; see `suite_version`."""
    if "folder" not in options:
        return []
    version = suite_version(options)
    return [erratum for erratum in read_errata(Path(options["folder"])) if erratum.from_version <= version]


def suite_version(options: Mapping[str, Any]) -> int:
    """The version that a suite's entry asks for, the newest unless it says so; 0 where it is not a written suite.

    Raises:
        UserError: where the version does not exist yet.
    """
    if "folder" not in options:
        return 0
    newest = newest_version(Path(options["folder"]))
    version: int = options.get("suite_version", newest)
    if version > newest:
        remedy = f"the newest is {newest}"
        raise UserError(f"config: suite_version: {options['folder']} has no version {version}; {remedy}")
    return version


def without_withdrawn(cases: Sequence[Case], options: Mapping[str, Any]) -> list[Case]:
    """The cases of the version of a suite that is asked for.

    Raises:
        UserError: where a case that is withdrawn is none of them.
    """
    gone = {erratum.case for erratum in withdrawn(options)}
    unknown = gone - {case.case_id for case in cases}
    if unknown:
        path = Path(options["folder"]).parent / ERRATA_FILE
        raise UserError(f"{path}: {sorted(unknown)[0]} is not a case of {options['folder']}; correct `case`")
    return [case for case in cases if case.case_id not in gone]


def _erratum(record: Any, where: str) -> Erratum:
    if not isinstance(record, dict) or record.keys() != _FIELDS.keys():
        raise UserError(f"{where}: an entry has {', '.join(_FIELDS)} and nothing else")
    for name, kind in _FIELDS.items():
        if type(record[name]) is not kind:
            raise UserError(f"{where}: {name}: {record[name]!r:.100} is not of type {kind.__name__}")
    return Erratum(**record)
