"""The scores of one suite, with the names of its configurations and the reasons of those that did not run."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict, cast

from forgeteval.cases.case import in_known_order
from lethe.config.configurations import Configuration, configuration_name
from lethe.parquet import Row
from lethe.schemas import ALL
from lethe.study.setup import Setup


class Score(TypedDict):
    """One row of `lethe.schemas.SCORES`."""

    suite: str
    system: str
    model: str
    scorer: str
    cut: str
    value: str
    cases: int
    passed: int
    failed: int
    na: int
    errors: int
    leaks: int
    collateral: int
    rate: float
    wilson_low: float
    wilson_high: float
    evaluable_rate: float | None


@dataclass(frozen=True, slots=True)
class SuiteResults:
    """Scores of one suite by (configuration, scorer, cut, value).

    Attributes:
        scorer: the scorer of the tables that show one.
        configurations: by name, in the order of the tables.
        not_run: configuration to the reason that stands in place of its numbers.
        seen_by: planners that were developed on the suite's cases.
        caveats: what a configuration's rows may not be taken for.
        repetitions: how often a configuration ran each case; once, where it is not named. The scores count trials.
    """

    suite: str
    label: str
    scorer: str
    scores: Mapping[tuple[str, str, str, str], Score]
    configurations: Mapping[str, Configuration]
    not_run: Mapping[str, str]
    seen_by: Sequence[str] = ()
    available_since: str = ""
    withdrawn: int = 0
    version: int = 0
    caveats: Mapping[str, str] = field(default_factory=dict)
    repetitions: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Iterable[Row], suite: str, setup: Setup) -> "SuiteResults":
        """The scores that the analysis wrote of a suite.

        Args:
            rows: rows of `lethe.schemas.SCORES`.
        """
        scores = {(configuration_name(row), row["scorer"], row["cut"], row["value"]): cast(Score, row) for row in rows}
        options = setup.suites[suite]
        return cls(
            suite,
            options.label,
            setup.scorer,
            scores,
            setup.configurations,
            options.not_run,
            options.seen_by,
            options.available_since,
            options.withdrawn,
            options.version,
            setup.caveats,
            {name: times for name in setup.configurations if (times := setup.repetitions_of(name)) > 1},
        )

    def values(self, cut: str) -> list[str]:
        """The parts of the suite by a cut, by name; categories of ours in their order before the others."""
        present = sorted({value for _, _, name, value in self.scores if name == cut})
        return in_known_order(present) if cut == "category" else present

    def names(self, *, controls: bool) -> list[str]:
        """The controls, or the other configurations, in their order."""
        return [name for name, entry in self.configurations.items() if (entry.regime == "control") is controls]

    def main_names(self) -> list[str]:
        """The configurations of the main tables, without controls and extended systems."""
        return [name for name in self.names(controls=False) if not self.configurations[name].extended]

    def ran(self, names: Iterable[str]) -> list[str]:
        """Those of `names` that have results."""
        return [name for name in names if self.score(name) is not None]

    def score(self, name: str, value: str = ALL, cut: str = "overall", scorer: str | None = None) -> Score | None:
        """One configuration's score; None where it did not run."""
        return self.scores.get((name, scorer or self.scorer, cut, value))

    def cases(self, value: str = ALL, cut: str = "overall") -> int:
        """The number of cases in a part of the suite, however often they were run; 0 where nothing ran."""
        found = (
            score["cases"] // self.repetitions.get(name, 1)
            for (name, _, by, part), score in self.scores.items()
            if (by, part) == (cut, value)
        )
        return int(min(found, default=0))

    def label_of(self, name: str) -> str:
        """The configuration's name in tables."""
        return self.configurations[name].label

    def is_seen_by(self, name: str) -> bool:
        """Whether a configuration's planner was developed on the suite's cases."""
        entry = self.configurations[name]
        return entry.hook in self.seen_by or (entry.hook == "llm" and entry.hook_contract in self.seen_by)

    def notes(self, names: Iterable[str] | None = None) -> list[str]:
        """Why some of `names` (all, if None) did not run, then `remarks`."""
        chosen = list(self.configurations if names is None else names)
        reasons = {self.label_of(name): self.not_run[name] for name in chosen if name in self.not_run}
        return [*reason_lines(reasons), *self.remarks(chosen)]

    def remarks(self, names: Iterable[str] | None = None) -> list[str]:
        """Caveats, errors and repetitions of some of `names` (all, if None); which were developed on these cases."""
        chosen = list(self.configurations if names is None else names)
        lines = [f"{self.label_of(name)}: {self.caveats[name]}" for name in self.ran(chosen) if name in self.caveats]
        for name in chosen:
            score = self.score(name)
            if score is not None and score["errors"]:
                lines.append(f"{self.label_of(name)}: {score['errors']} of {score['cases']} trials broke (error).")
        lines += run_again({self.label_of(name): self.repetitions.get(name, 1) for name in self.ran(chosen)})
        seen_later = [self.label_of(name) for name in self.ran(chosen) if self.configurations[name].hook == "matcher"]
        if self.available_since and seen_later:
            blind = f"the cases have been available to its developers since commit {self.available_since}"
            lines.append(f"{', '.join(seen_later)}: {blind}; docs/matcher.md has the blind result of that commit.")
        if self.withdrawn:
            lines.append(f"Version {self.version} of the suite: {self.withdrawn} cases withdrawn (suites/errata.yaml).")
        seen = [self.label_of(name) for name in self.ran(chosen) if self.is_seen_by(name)]
        return [*lines, *developed_on(seen)]


def developed_on(seen: Sequence[str]) -> list[str]:
    """The note on configurations, by their labels, whose planner was developed on a table's cases."""
    return [f"{', '.join(seen)}: developed on these very cases; the held-out suite has others."] if seen else []


def run_again(repetitions: Mapping[str, int]) -> list[str]:
    """The notes on configurations, by their labels, that ran each case several times, which scores count as often."""
    lines = []
    for times in sorted(set(repetitions.values()) - {1}):
        own = [label for label, wanted in repetitions.items() if wanted == times]
        who = "Each" if len(own) == len(repetitions) else f"{', '.join(own)}: each"
        lines.append(f"{who} case was run {times} times; what passed, is N/A or broke is counted by trial.")
    return lines


def reason_lines(reasons: Mapping[str, str]) -> list[str]:
    """One note for each reason, naming all labels that it holds for."""
    labels: dict[str, list[str]] = {}
    for label, reason in reasons.items():
        labels.setdefault(reason, []).append(label)
    return [f"{', '.join(together)}: {reason}." for reason, together in labels.items()]
