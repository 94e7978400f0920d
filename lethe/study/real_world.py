"""The paper's classes of reported failures and their cases (appendix "Real-world failure mapping")."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from forgeteval.yaml_data import read_yaml_data
from lethe.parquet import Row

DATA_FILES = ("real_world.yaml",)


@dataclass(frozen=True, slots=True)
class Part:
    """What fails, and a category, a family, or the names of cases, that it is tied to."""

    failure: str
    category: str = ""
    family: str = ""
    cases: Sequence[str] = ()

    def tied(self, cases: Iterable[Row]) -> list[str]:
        """Names of its cases, of rows of `lethe.schemas.CASES`."""
        return [
            case["case_id"]
            for case in cases
            if case["case_id"] in self.cases
            or (self.category and case["category"] == self.category)
            or (self.family and case["family"] == self.family)
        ]


@dataclass(frozen=True, slots=True)
class FailureClass:
    """A class of reported failures.

    Attributes:
        printed: table and row of the paper's gap between a store and the same with a hook; empty for none.
    """

    failure_class: str
    parts: Sequence[Part]
    printed: Sequence[str] = field(default_factory=tuple)

    def tied(self, cases: Sequence[Row]) -> list[str]:
        """Names of the cases of all parts, each once."""
        return list(dict.fromkeys(name for part in self.parts for name in part.tied(cases)))


def failure_classes() -> list[FailureClass]:
    """The three classes, in the paper's order."""
    entries = read_yaml_data(Path(__file__).with_name(DATA_FILES[0]))
    return [FailureClass(**{**entry, "parts": [Part(**part) for part in entry["parts"]]}) for entry in entries]


def passed(verdicts: Mapping[str, str], cases: Iterable[str]) -> int:
    """How many of some cases passed."""
    return sum(verdicts[case] == "pass" for case in cases)
