"""Configurations of which so many trials broke that their numbers say little of them."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from lethe.config.configurations import configuration_name
from lethe.parquet import Row
from lethe.schemas import ALL, SCORES
from lethe.study.inputs import Files
from lethe.study.setup import Setup

MOST_BROKEN = 0.1
"""Share of trials beyond which it is said."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A configuration of which more than `MOST_BROKEN` of the trials on a suite broke.

    Attributes:
        name, label: of the configuration: its own, and that in tables.
    """

    suite: str
    name: str
    label: str
    errors: int
    cases: int

    def __str__(self) -> str:
        share = f"{self.errors} of {self.cases} trials broke (error), more than a tenth"
        return f"{self.label} on {self.suite}: {share}; its numbers say little of it."

    def is_shown_by(self, paths: Iterable[str], texts: Collection[str]) -> bool:
        """Whether a table that is made from these files, and has these cells, shows the configuration on the suite."""
        made_of = (PurePosixPath(path).with_suffix("").parts for path in paths)
        return self.label in texts and any(self.suite in parts for parts in made_of)


def broken_among(scores: Iterable[Row], labels: dict[str, str] | None = None) -> Iterator[Broken]:
    """Those of one suite, by rows of `lethe.schemas.SCORES`; a configuration without a label is called by its name."""
    seen = set[str]()
    for row in scores:
        name = configuration_name(row)
        if row["cut"] == "overall" and row["value"] == ALL and name not in seen:
            seen.add(name)
            if row["errors"] > MOST_BROKEN * row["cases"]:
                yield Broken(row["suite"], name, (labels or {}).get(name, name), row["errors"], row["cases"])


def broken_of(setup: Setup, files: Files, paths: Collection[str]) -> list[Broken]:
    """Those of every suite whose scores are among the files that tables are made from."""
    labels = {name: entry.label for name, entry in setup.configurations.items()}
    wanted = [SCORES.path.format(suite=suite) for suite in setup.suites]
    return [each for path in wanted if path in paths for each in broken_among(files.rows(SCORES, path), labels)]
