"""What tables say below their rows of configurations whose numbers say little of them."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from lethe.config.configurations import configuration_name
from lethe.parquet import Row
from lethe.schemas import ALL, LLM_RUNS, LONG_SCORES, SCORES
from lethe.study.erasure import ERROR
from lethe.study.inputs import Files
from lethe.study.joining import SAID
from lethe.study.long import BROKEN, JOINED
from lethe.study.setup import PAPER_K, Setup

MOST_BROKEN = 0.1
"""Share of trials beyond which it is said."""


@dataclass(frozen=True, slots=True)
class Remark:
    """What tables say below their rows of what ran on a suite or benchmark."""

    suite: str

    def is_shown_by(self, paths: Iterable[str], texts: Collection[str]) -> bool:
        """Whether a table that is made from these files, and has these cells, shows what it is about."""
        return any(self.suite in PurePosixPath(path).with_suffix("").parts for path in paths)


@dataclass(frozen=True, slots=True)
class OfConfiguration(Remark):
    """What is said of one configuration.

    Attributes:
        name, label: its own, and that in tables.
    """

    name: str
    label: str

    def is_shown_by(self, paths: Iterable[str], texts: Collection[str]) -> bool:
        """Whether such a table shows the configuration on the suite."""
        return self.label in texts and Remark.is_shown_by(self, paths, texts)


@dataclass(frozen=True, slots=True)
class OtherK(Remark):
    """Recalls that gave another number of memories than the paper's, of every configuration."""

    k: int

    def __str__(self) -> str:
        return f"Each recall here gave at most {self.k} memories (run.k); the paper's gave {PAPER_K}."


@dataclass(frozen=True, slots=True)
class Broken(OfConfiguration):
    """A configuration of which more than `MOST_BROKEN` of the trials on a suite broke."""

    errors: int
    cases: int

    def __str__(self) -> str:
        share = f"{self.errors} of {self.cases} trials broke (error), more than a tenth"
        return f"{self.label} on {self.suite}: {share}; its numbers say little of it."


@dataclass(frozen=True, slots=True)
class Joined(OfConfiguration):
    """A configuration of which answers hold more than k memories, several of them in one text."""

    joined: int
    answers: int

    def __str__(self) -> str:
        return f"{self.label} on {self.suite}: {self.joined} of {self.answers} answers {SAID}."


@dataclass(frozen=True, slots=True)
class FellBack(OfConfiguration):
    """A configuration of which every decision on a suite fell back to the store's own policy."""

    decisions: int

    def __str__(self) -> str:
        every = f"all {self.decisions} decisions of its model fell back to the store's own policy"
        return f"{self.label} on {self.suite}: {every}; its numbers are the store's alone, no result of the model."


def broken_among(scores: Iterable[Row], labels: dict[str, str] | None = None) -> Iterator[Broken]:
    """Those of one suite, by rows of `lethe.schemas.SCORES`; a configuration without a label is called by its name."""
    seen = set[str]()
    for row in scores:
        name = configuration_name(row)
        if row["cut"] == "overall" and row["value"] == ALL and name not in seen:
            seen.add(name)
            if row["errors"] > MOST_BROKEN * row["cases"]:
                yield Broken(row["suite"], name, (labels or {}).get(name, name), row["errors"], row["cases"])


def broken_in_long(rows: Iterable[Row], labels: dict[str, str]) -> Iterator[Broken]:
    """Those in the long histories, by rows of `lethe.schemas.LONG_SCORES`; a question is a trial."""
    for name, (errors, asked) in _odd_in_long(rows, BROKEN).items():
        if errors > MOST_BROKEN * asked:
            yield Broken("long", name, labels.get(name, name), errors, asked)


def joined_in_long(rows: Iterable[Row]) -> Iterator[Joined]:
    """Those in the long histories, by rows of `lethe.schemas.LONG_SCORES`."""
    for name, (joined, asked) in _odd_in_long(rows, JOINED).items():
        yield Joined("long", name, name, joined, asked)


def _odd_in_long(rows: Iterable[Row], measure: str) -> dict[str, tuple[int, int]]:
    """Of each configuration, the questions that a measure counts, and all of them, for every k together."""
    counts: dict[str, tuple[int, int]] = {}
    for row in rows:
        if row["cut"] == "overall" and row["measure"] == measure:
            odd, asked = counts.get(name := configuration_name(row), (0, 0))
            counts[name] = odd + row["counted"], asked + row["facts"]
    return counts


def joined_in_benchmarks(rows: Iterable[Row]) -> Iterator[Joined]:
    """Those in a benchmark, by rows of `lethe.schemas.CROSSEVAL_SCORES`."""
    for row in rows:
        if row["cut"] == "overall" and row["joined"]:
            name = configuration_name(row)
            yield Joined(row["benchmark"], name, name, row["joined"], row["questions"])


def joined_among_many(rows: Iterable[Row]) -> Iterator[Joined]:
    """Those on the store-size axis, by rows of `lethe.schemas.STORE_SIZE`."""
    for row in rows:
        if row["joined"]:
            on = f"{row['suite']} among {row['size']} unrelated memories"
            yield Joined(on, row["system"], row["system"], row["joined"], row["cases"])


def broken_in_benchmarks(rows: Iterable[Row]) -> Iterator[Broken]:
    """Those of which questions of a benchmark broke, by rows of `lethe.schemas.CROSSEVAL_SCORES`."""
    for row in rows:
        if row["cut"] == "overall" and row["errors"] > MOST_BROKEN * row["questions"]:
            name = configuration_name(row)
            yield Broken(row["benchmark"], name, name, row["errors"], row["questions"])


def broken_in_erasure(rows: Iterable[Row]) -> Iterator[Broken]:
    """Those of which cases of the erasure audit broke at a level, by rows of `lethe.schemas.ERASURE_SCORES`."""
    counts = Counter[tuple[str, int, str, bool]]()
    for row in rows:
        counts[configuration_name(row), row["rows"], row["level"], row["verdict"] == ERROR] += row["cases"]
    worst: dict[str, tuple[int, int]] = {}
    for (name, memories, level, broke), errors in counts.items():
        if broke:
            found = errors, errors + counts[name, memories, level, False]
            worst[name] = max(worst.get(name, (0, 1)), found)
    for name, (errors, cases) in worst.items():
        if errors > MOST_BROKEN * cases:
            yield Broken("erasure", name, name, errors, cases)


def fell_back_among(runs: Iterable[Row], labels: dict[str, str]) -> Iterator[FellBack]:
    """Those among rows of `lethe.schemas.LLM_RUNS`."""
    for row in runs:
        if 0 < row["decisions"] == row["fallbacks"]:
            name = configuration_name(row)
            yield FellBack(row["suite"], name, labels.get(name, name), row["decisions"])


def remarks_of(setup: Setup, files: Files, paths: Collection[str]) -> list[Remark]:
    """Those of every suite whose scores and runs with models are among the files that tables are made from."""
    labels = {name: entry.label for name, entry in setup.configurations.items()}
    found = list[Remark]()
    for suite in setup.suites:
        scores, runs = (table.path.format(suite=suite) for table in (SCORES, LLM_RUNS))
        found += broken_among(files.rows(SCORES, scores), labels) if scores in paths else ()
        found += fell_back_among(files.rows(LLM_RUNS, runs), labels) if runs in paths else ()
    if setup.k != PAPER_K:
        found += [OtherK(name, setup.k) for name in (*setup.suites, *setup.benchmarks)]
    found += broken_in_long(files.rows(LONG_SCORES, LONG_SCORES.path), labels) if LONG_SCORES.path in paths else ()
    return found
