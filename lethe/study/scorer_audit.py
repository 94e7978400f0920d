"""The audit of the paper's scorer: where the other scorers disagree with it, and what readers of its failures say.

docs/scorer-audit.md has the protocol; `scorer_readings.csv` the labels of each reading.
"""

import hashlib
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from forgeteval.cases.case import Case, in_known_order
from forgeteval.csv_cells import read_lines
from forgeteval.errors import UserError
from lethe.parquet import Row
from lethe.schemas import ALL, SCORERS
from lethe.study.agreement import cohen_kappa

DATA_FILES = ("scorer_readings.csv",)
READINGS_FILE = Path(__file__).with_name(DATA_FILES[0])
FIRST, SECOND = READINGS = ("first", "second")
TRUE_FAIL, ARTIFACT = LABELS = ("true_fail", "scorer_artifact")
SIZE, SEED = 50, 42
"""How many failures are read, and the seed of the draw."""
_DIGITS = 12
"""Of the digest that tells which text was read."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one reading says of a failure.

    Attributes:
        recalled: `recalled_digest` of the text that was read.
    """

    case_id: str
    reading: str
    label: str
    recalled: str
    reason: str


@dataclass(frozen=True, slots=True)
class AuditCounts:
    """Trials of one category, or of all.

    Attributes:
        passed, failed: by the substring scorer.
        probed_fails: of those that passed, how many fail where each forbidden string is also asked for.
        identifier_passes: of those that failed, how many pass where strings match whole identifiers only.
        read: failures that were drawn and have both readings.
        artifacts: of these, how many each reading calls an artifact.
        both: how many both do.
    """

    category: str
    passed: int
    probed_fails: int
    failed: int
    identifier_passes: int
    read: int
    artifacts: Mapping[str, int]
    both: int


@dataclass(frozen=True, slots=True)
class ScorerAudit:
    """One configuration's trials on a suite, audited.

    Attributes:
        trials: its rows of `lethe.schemas.SCORER_AUDIT`.
        drawn: names of the failures that are to be read.
        labels: case to its label by reading, of the drawn failures that have both of the text that was recalled.
    """

    trials: Sequence[Row]
    drawn: Sequence[str]
    labels: Mapping[str, Mapping[str, str]]

    def counts(self, categories: Iterable[str] | None = None, name: str = ALL) -> AuditCounts:
        """Counts of some categories, of all without any; `name` is what the sum is called."""
        wanted = None if categories is None else set(categories)
        own = [trial for trial in self.trials if wanted is None or trial["category"] in wanted]
        passed, failed = ([trial for trial in own if trial["substring"] == verdict] for verdict in ("pass", "fail"))
        read = [self.labels[trial["case_id"]] for trial in failed if trial["case_id"] in self.labels]
        return AuditCounts(
            name,
            len(passed),
            sum(trial["probed"] == "fail" for trial in passed),
            len(failed),
            sum(trial["identifier"] == "pass" for trial in failed),
            len(read),
            {reading: sum(label[reading] == ARTIFACT for label in read) for reading in READINGS},
            sum(set(label.values()) == {ARTIFACT} for label in read),
        )

    def by_category(self) -> list[AuditCounts]:
        """Counts of each category that the trials have."""
        return [self.counts([name], name) for name in in_known_order(trial["category"] for trial in self.trials)]

    def agreement(self) -> tuple[int, float | None]:
        """On how many failures the readings agree, and Cohen's kappa; None where it is not defined."""
        table = np.zeros((2, 2), dtype=np.int64)
        for label in self.labels.values():
            table[LABELS.index(label[FIRST]), LABELS.index(label[SECOND])] += 1
        return int(np.trace(table)), cohen_kappa(table)


def disagreements(cases: Sequence[Case], verdicts: Iterable[Row], controls: frozenset[str]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.SCORER_AUDIT`: each evaluated trial of a measured system, with all its verdicts."""
    categories = {case.case_id: case.category for case in cases}
    trials: dict[tuple[str, str, str, int, str], dict[str, str]] = defaultdict(dict)
    for row in verdicts:
        if row["system"] not in controls and row["verdict"] in ("pass", "fail"):
            key = row["suite"], row["system"], row["model"], row["repetition"], row["case_id"]
            trials[key][row["scorer"]] = row["verdict"]
    names = ("suite", "system", "model", "repetition", "case_id")
    return [
        {
            **dict(zip(names, key, strict=True)),
            "category": categories[key[-1]],
            **{scorer: found[scorer] for scorer in SCORERS},
            "agree": len(set(found.values())) == 1,
        }
        for key, found in trials.items()
    ]


def audit_scorer(
    rows: Iterable[Row], trials: Iterable[Row], readings: Iterable[Reading], size: int = SIZE, seed: int = SEED
) -> ScorerAudit:
    """The audit of the first repetition of one configuration on one suite.

    Args:
        rows: rows of `lethe.schemas.SCORER_AUDIT` of the configuration.
        trials: its rows of `lethe.schemas.TRIALS`.
    """
    audited = [row for row in rows if row["repetition"] == 0]
    failures = {row["case_id"]: row["category"] for row in audited if row["substring"] == "fail"}
    drawn = draw(failures, size, seed)
    recalled = {trial["case_id"]: recalled_digest(trial["recalled"]) for trial in trials if trial["repetition"] == 0}
    labels: dict[str, dict[str, str]] = defaultdict(dict)
    for reading in readings:
        if reading.case_id in drawn and reading.recalled == recalled.get(reading.case_id):
            labels[reading.case_id][reading.reading] = reading.label
    return ScorerAudit(audited, drawn, {case: own for case, own in labels.items() if own.keys() == set(READINGS)})


def draw(failures: Mapping[str, str], size: int = SIZE, seed: int = SEED) -> list[str]:
    """So many failures, one of each category in turn, so that a category with few is read whole.

    Args:
        failures: case to its category.
    """
    rng = random.Random(seed)
    waiting: dict[str, list[str]] = defaultdict(list)
    for case in sorted(failures):
        waiting[failures[case]].append(case)
    shuffled = {category: rng.sample(waiting[category], len(waiting[category])) for category in sorted(waiting)}
    turns = range(max(map(len, shuffled.values()), default=0))
    in_turn = [cases[turn] for turn in turns for cases in shuffled.values() if turn < len(cases)]
    return in_turn[:size]


def recalled_digest(recalled: Iterable[str]) -> str:
    """What tells one recalled text from another: a reading counts for the text that was read alone."""
    return hashlib.sha256("\n".join(recalled).encode()).hexdigest()[:_DIGITS]


def read_readings(path: Path = READINGS_FILE) -> list[Reading]:
    """The readings that were made.

    Raises:
        UserError: naming file and line, for a line that is none, or the case that one reading labels twice.
    """
    found: dict[tuple[str, str, str], Reading] = {}
    for reading in read_lines(path, _reading, "the readings", "restore the file"):
        if found.setdefault((reading.case_id, reading.reading, reading.recalled), reading) is not reading:
            raise UserError(f"{path}: {reading.case_id} has two lines of the {reading.reading} reading; remove one")
    return list(found.values())


def _reading(fields: Mapping[str, str]) -> Reading:
    found = Reading(*(fields[name] for name in Reading.__slots__))
    if found.reading not in READINGS or found.label not in LABELS:
        raise ValueError(f"{found.reading}, {found.label}: no reading or no label")
    return found
