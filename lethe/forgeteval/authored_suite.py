"""Reader of the authored adversarial cases (`authored/*.yaml`, `held_out/*.yaml`)."""

from pathlib import Path
from typing import Any

import yaml

from lethe.errors import LetheError
from lethe.forgeteval.cases import Case, CaseError, case_from_json, require_unique_ids

AUTHORED = Path(__file__).parent / "authored"
"""The 385 cases of the adversarial suite."""
HELD_OUT = Path(__file__).parent / "held_out"
"""Cases by authors who did not know the rules hook, which was not developed on them."""


def read_authored(suite: str, folder: Path = AUTHORED) -> list[Case]:
    """All authored cases, by category file and then in the file's order.

    Raises:
        CaseError: at a malformed case, naming the file and the case.
    """
    places: list[tuple[str, Case]] = []
    for path in sorted(folder.glob("*.yaml")):
        places.extend(_read_file(path, suite))
    require_unique_ids((where, case.case_id) for where, case in places)
    return [case for _, case in places]


def read_category_file(path: Path, suite: str = "adversarial") -> list[Case]:
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
