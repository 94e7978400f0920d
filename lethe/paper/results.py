"""What tables and figures read: the scores of one suite, with the labels and the reasons of rows that did not run."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lethe.forgeteval.cases import CATEGORIES
from lethe.parquet import read_rows
from lethe.schemas import OVERALL, SCORES


@dataclass(frozen=True, slots=True)
class SuiteResults:
    """Scores of one suite by (system, category).

    Attributes:
        systems: the entries of config/systems.yaml by name, in its order.
        not_run: system name to the reason its row says instead of numbers.
    """

    suite: str
    label: str
    scores: Mapping[tuple[str, str], Mapping[str, Any]]
    systems: Mapping[str, Mapping[str, Any]]
    not_run: Mapping[str, str]

    @classmethod
    def read(cls, path: Path, suite: str, labels: Mapping[str, Any]) -> "SuiteResults":
        """Read the scores that the analysis stage wrote.

        Args:
            labels: `suites` (name to label), `systems` and `not_run`, as `rules/paper.smk` collects them.
        """
        scores = {(row["system"], row["category"]): row for row in read_rows(path, SCORES)}
        return cls(suite, labels["suites"][suite], scores, labels["systems"], labels["not_run"])

    def categories(self) -> list[str]:
        """The categories of the suite, in the paper's order."""
        present = {category for _, category in self.scores}
        return [category for category in CATEGORIES if category in present]

    def system_names(self, *, controls: bool) -> list[str]:
        """The systems (or the controls) in configuration order."""
        return [name for name, entry in self.systems.items() if (entry["regime"] == "control") is controls]

    def score(self, system: str, category: str = OVERALL) -> Mapping[str, Any] | None:
        """One system's score; None where it did not run."""
        return self.scores.get((system, category))

    def cases(self, category: str = OVERALL) -> int:
        """The number of trials each system has in a category."""
        return next((int(s["cases"]) for (_, name), s in self.scores.items() if name == category), 0)

    def label_of(self, system: str) -> str:
        """The system's name in tables."""
        return str(self.systems[system]["label"])

    def notes(self, systems: Iterable[str] | None = None) -> list[str]:
        """One line for each of `systems` (all, if None) that did not run, and one for each with errors."""
        names = list(self.systems if systems is None else systems)
        lines = [f"{self.label_of(name)}: {self.not_run[name]}." for name in names if name in self.not_run]
        for name in names:
            score = self.score(name)
            if score is not None and score["errors"]:
                lines.append(f"{self.label_of(name)}: {score['errors']} of {score['cases']} trials broke (error).")
        return lines
