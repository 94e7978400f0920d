"""What tables and figures read: the scores of one suite, with the labels and the reasons of rows that did not run."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lethe.cases.case import CATEGORIES
from lethe.config.configurations import configuration_name
from lethe.parquet import read_rows
from lethe.schemas import ALL, SCORES


@dataclass(frozen=True, slots=True)
class SuiteResults:
    """Scores of one suite by (system, scorer, cut, value).

    Attributes:
        scorer: the scorer of the tables that show one.
        systems: the entries of config/systems.yaml by name, in its order.
        not_run: system name to the reason its row says instead of numbers.
        seen_by: planners that were developed on the suite's cases.
    """

    suite: str
    label: str
    scorer: str
    scores: Mapping[tuple[str, str, str, str], Mapping[str, Any]]
    systems: Mapping[str, Mapping[str, Any]]
    not_run: Mapping[str, str]
    seen_by: Sequence[str] = ()

    @classmethod
    def read(cls, path: Path, suite: str, labels: Mapping[str, Any]) -> "SuiteResults":
        """Read the scores that the analysis stage wrote.

        Args:
            labels: what `rules/paper.smk` collects: `suites` (name to label), `systems`, `not_run`, `scorer`,
                `seen_by` (suite to planners) and `reference` (label of the reference system).
        """
        rows = read_rows(path, SCORES)
        scores = {(configuration_name(row), row["scorer"], row["cut"], row["value"]): row for row in rows}
        return cls(
            suite,
            labels["suites"][suite],
            labels["scorer"],
            scores,
            labels["systems"],
            labels["not_run"][suite],
            labels["seen_by"].get(suite, ()),
        )

    def values(self, cut: str) -> list[str]:
        """The parts of the suite by a cut; categories in the paper's order, others by name."""
        present = {value for _, _, name, value in self.scores if name == cut}
        return [c for c in CATEGORIES if c in present] if cut == "category" else sorted(present)

    def system_names(self, *, controls: bool) -> list[str]:
        """The systems (or the controls) in configuration order."""
        return [name for name, entry in self.systems.items() if (entry["regime"] == "control") is controls]

    def main_names(self) -> list[str]:
        """The systems of the main tables, without controls and extended systems."""
        return [name for name in self.system_names(controls=False) if not self.systems[name].get("extended")]

    def ran(self, systems: Iterable[str]) -> list[str]:
        """Those of `systems` that have results."""
        return [name for name in systems if self.score(name) is not None]

    def score(
        self, system: str, value: str = ALL, cut: str = "overall", scorer: str | None = None
    ) -> Mapping[str, Any] | None:
        """One system's score; None where it did not run."""
        return self.scores.get((system, scorer or self.scorer, cut, value))

    def cases(self, value: str = ALL, cut: str = "overall") -> int:
        """The number of cases in a part of the suite; 0 where nothing ran."""
        found = (s["cases"] for (_, _, name, part), s in self.scores.items() if (name, part) == (cut, value))
        return int(min(found, default=0))

    def label_of(self, system: str) -> str:
        """The system's name in tables."""
        return str(self.systems[system]["label"])

    def notes(self, systems: Iterable[str] | None = None) -> list[str]:
        """A line for each reason why some of `systems` (all, if None) did not run, one for each with errors, and one
        for rows that were developed on these very cases."""
        names = list(self.systems if systems is None else systems)
        lines = reason_lines({self.label_of(name): self.not_run[name] for name in names if name in self.not_run})
        for name in names:
            score = self.score(name)
            if score is not None and score["errors"]:
                lines.append(f"{self.label_of(name)}: {score['errors']} of {score['cases']} trials broke (error).")
        seen = [self.label_of(name) for name in self.ran(names) if self.systems[name].get("hook") in self.seen_by]
        if seen:
            lines.append(f"{', '.join(seen)}: developed on these very cases; the table matcher_held_out has others.")
        return lines


def reason_lines(reasons: Mapping[str, str]) -> list[str]:
    """One note a reason, naming all labels that it holds for."""
    labels: dict[str, list[str]] = {}
    for label, reason in reasons.items():
        labels.setdefault(reason, []).append(label)
    return [f"{', '.join(together)}: {reason}." for reason, together in labels.items()]
