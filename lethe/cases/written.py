"""Reader of written cases: a folder with one YAML file per category, such as `suites/adversarial`."""

from pathlib import Path
from typing import Any

import yaml

from lethe.cases.case import Case
from lethe.cases.interchange import CaseError, case_from_json, require_unique_ids
from lethe.errors import LetheError


def category_files(folder: Path) -> list[Path]:
    """The category files of a written suite, sorted by name.

    Raises:
        LetheError: if the folder contains none.
    """
    files = sorted(folder.glob("*.yaml"))
    if not files:
        raise LetheError(f"{folder}: contains no category file (CATEGORY.yaml); check `folder` of the suite")
    return files


def read_written(suite: str, folder: Path) -> list[Case]:
    """All cases of a written suite, in the order of the category files.

    Raises:
        CaseError: for a malformed case, naming the file and the case.
        LetheError: if the folder contains no category file.
    """
    places = [place for path in category_files(folder) for place in _read_file(path, suite)]
    require_unique_ids((where, case.case_id) for where, case in places)
    return [case for _, case in places]


def _read_file(path: Path, suite: str) -> list[tuple[str, Case]]:
    try:
        records: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, ValueError) as error:
        raise LetheError(f"{path}: not YAML in UTF-8 ({error}); quote every string") from error
    if not isinstance(records, list):
        raise LetheError(f"{path}: must be a list of cases")
    read = []
    for position, record in enumerate(records, start=1):
        name = record.get("id", "without id") if isinstance(record, dict) else "not a mapping"
        where = f"{path}: case {position} ({name})"
        if isinstance(record, dict):
            record = {"category": path.stem, **record}
        case = case_from_json(record, suite, where)
        if case.category != path.stem:
            raise CaseError(where, "category", f"is in the file of {path.stem}; move the case")
        read.append((where, case))
    return read
