"""Reader of written cases: a folder with one YAML file per category, such as `suites/adversarial`."""

from pathlib import Path
from typing import Any

import yaml

from lethe.cases.case import Case
from lethe.cases.interchange import CaseError, case_from_json, require_unique_ids
from lethe.errors import LetheError


def category_files(folder: Path) -> list[Path]:
    """The category files of a written suite, by name.

    Raises:
        LetheError: where the folder holds none.
    """
    files = sorted(folder.glob("*.yaml"))
    if not files:
        raise LetheError(f"{folder}: holds no category file (CATEGORY.yaml); check `folder` of the suite")
    return files


def read_written(suite: str, folder: Path) -> list[Case]:
    """All cases of a written suite, by category file and then in the file's order.

    Raises:
        CaseError: at a malformed case, naming the file and the case.
        LetheError: where the folder holds no category file.
    """
    places = [place for path in category_files(folder) for place in _read_file(path, suite)]
    require_unique_ids((where, case.case_id) for where, case in places)
    return [case for _, case in places]


def read_category_file(path: Path, suite: str) -> list[Case]:
    """The cases of one category file."""
    return [case for _, case in _read_file(path, suite)]


def _read_file(path: Path, suite: str) -> list[tuple[str, Case]]:
    try:
        rows: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, ValueError) as error:
        raise LetheError(f"{path}: not YAML in UTF-8 ({error}); quote every string") from error
    if not isinstance(rows, list):
        raise LetheError(f"{path}: must hold a list of cases")
    read = []
    for position, row in enumerate(rows, start=1):
        name = row.get("id", "without id") if isinstance(row, dict) else "not a mapping"
        where = f"{path}: case {position} ({name})"
        if isinstance(row, dict):
            row = {"category": path.stem, **row}
        case = case_from_json(row, suite, where)
        if case.category != path.stem:
            raise CaseError(where, "category", f"stands in the file of {path.stem}")
        read.append((where, case))
    return read
