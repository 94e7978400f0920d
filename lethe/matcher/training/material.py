"""The written cases that the matcher may learn from, by author or batch."""

from collections.abc import Iterator
from pathlib import Path

from forgeteval.cases.case import Case
from forgeteval.cases.interchange import case_from_json, read_json_lines
from forgeteval.cases.reading import read_cases

AUTHORS = "development"
"""Folder of the cases by authors who saw the contributor's page alone, a file for each."""
TWINS = "development_twins"
"""Folder of twins of their cases, by the same authors, a file for each."""
HOUSE = "development_house"
"""Folder of the project's own batches, a folder for each."""
WEIGHT = 3.0
"""How much a memory of an author's case counts beside one of the house."""


def batches(suites: Path) -> Iterator[tuple[str, float, list[Case]]]:
    """Each batch with how much its memories count, the house's first.

    Args:
        suites: the folder of the written suites.
    """
    yield "adversarial", 1.0, read_cases(suites / "adversarial", "adversarial")
    for folder in sorted((suites / HOUSE).iterdir()):
        yield folder.name, 1.0, [case for path in sorted(folder.glob("*.jsonl")) for case in cases_of(path)]
    for path in sorted((suites / AUTHORS).glob("*.jsonl")):
        twins = suites / TWINS / path.name
        yield path.stem, WEIGHT, [*cases_of(path), *(cases_of(twins) if twins.exists() else ())]


def cases_of(path: Path) -> Iterator[Case]:
    """The cases of a file of lines."""
    for line, record in read_json_lines(path):
        record.pop("suite", None)
        yield case_from_json(record, path.stem, f"{path}:{line}")
