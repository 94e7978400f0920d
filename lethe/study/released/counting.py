"""Ways to count a number from what the paper's authors released, each named in recounts.yaml."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from forgeteval.scoring.intervals import wilson
from lethe.parquet import Row
from lethe.schemas import ALL, MAJORITY
from lethe.study.paired import compare_pairs
from lethe.study.released.reading import JUDGES, LABELS_FILE, MEMORA_FILE, REJECTIONS_FILE
from lethe.study.released.runs import Run

Spec = Mapping[str, Any]
"""One way of counting by its name, and what it is told."""
Filter = Mapping[str, str]
"""Attribute to the regular expression that its whole value must fit."""

_FAILURES = "failures"
_CASES = "the released cases"


@dataclass(frozen=True, slots=True)
class Share:
    """So many of n.

    Attributes:
        run: what it was counted from.
        na, cases: of a share of cases, how many of all there are N/A, and all.
    """

    passed: int
    n: int
    run: str
    na: int = 0
    cases: int = 0

    @property
    def size(self) -> float:
        return 100 * self.passed / self.n


@dataclass(frozen=True, slots=True)
class Plain:
    """A number that is not a share."""

    size: float
    run: str


Counted = Share | Plain


@dataclass(frozen=True, slots=True)
class NamedRun:
    """A released run, and what docs/published.md calls it."""

    name: str
    run: Run
    verdicts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Counting:
    """Counts from the release; every way gives None where a run that it needs is not there.

    Attributes:
        runs: the released run of each system as the paper calls it, by suite.
        attributes: what is known of each case, by suite: category, and of the 385 also provenance, difficulty and
            whether the suite had it before 20 cases were added (`snapshot`).
        parts: parts of a suite by name; a category is one as well.
        memora, labels, agreement, rejections, summaries: rows of the tables `RELEASED_…` of `lethe.schemas`.
    """

    runs: Mapping[str, Mapping[str, NamedRun]]
    attributes: Mapping[str, Mapping[str, Mapping[str, str]]]
    parts: Mapping[str, Filter]
    memora: Sequence[Row]
    labels: Sequence[Row]
    agreement: Sequence[Row]
    rejections: Sequence[Row]
    summaries: Sequence[Row]

    def count(self, spec: Spec) -> Counted | None:
        """What the one entry of a `Spec` counts."""
        ((way, told),) = spec.items()
        return self._ways()[way](*told) if isinstance(told, list) else self._ways()[way](**told)

    def _ways(self) -> Mapping[str, Callable[..., Counted | None]]:
        return {
            "share": self.share,
            "na": self.not_applicable,
            "wilson": self.wilson_end,
            "points": self.points,
            "lowest": lambda *specs: self._extreme(min, specs),
            "highest": lambda *specs: self._extreme(max, specs),
            "cases": self.cases,
            "part_of": self.part_of,
            "passed_by_any": self.passed_by_any,
            "failed_by_all": self.failed_by_all,
            "paired": self.paired,
            "answers": self.answers,
            "stated": self.stated,
            "strict": self.strict,
            "labelled": self.labelled,
            "sample": self.sample,
            "agreement": self.measure,
            "rejected": self.rejected,
            "judged": self.judged,
        }

    def share(self, system: str, part: str = ALL, suite: str = "adversarial", na: str = "counted") -> Share | None:
        """Passes of a run in a part of a suite; N/A counts as not passed, or is `left out`."""
        run = self._run(suite, system)
        if run is None:
            return None
        found = Counter(run.verdicts[case] for case in self._members(suite, part) if case in run.verdicts)
        every = found.total()
        counted = every - found["na"] * (na == "left out")
        return Share(found["pass"], counted, run.name, found["na"], every) if every else None

    def not_applicable(self, system: str, part: str = ALL, suite: str = "adversarial") -> Share | None:
        """The cases of a part of a suite that are N/A."""
        found = self.share(system, part, suite)
        return None if found is None else Share(found.na, found.cases, found.run)

    def wilson_end(self, end: str, of: Spec) -> Plain | None:
        """An end of the Wilson interval of a share, in percent."""
        found = self.count(of)
        if not isinstance(found, Share):
            return None
        return Plain(100 * wilson(found.passed, found.n)[end == "high"], found.run)

    def points(self, of: Spec, less: Spec) -> Plain | None:
        """A number less another; of shares, in percentage points."""
        first, second = self.count(of), self.count(less)
        if first is None or second is None:
            return None
        return Plain(first.size - second.size, _joined([first.run, second.run]))

    def _extreme(self, pick: Callable[..., Counted], specs: Iterable[Spec]) -> Counted | None:
        """The lowest or the highest of several."""
        found = [self.count(spec) for spec in specs]
        known = [each for each in found if each is not None]
        return pick(known, key=lambda each: each.size) if len(known) == len(found) else None

    def cases(self, part: str = ALL, suite: str = "adversarial") -> Plain | None:
        """How many cases a part of a suite has."""
        return Plain(len(list(self._members(suite, part))), _CASES) if self.attributes.get(suite) else None

    def part_of(self, part: str, among: str) -> Share | None:
        """How many of a part's cases stand in another part of the 385."""
        wider = set(self._members("adversarial", among))
        return Share(len(wider.intersection(self._members("adversarial", part))), len(wider), _CASES) if wider else None

    def passed_by_any(self, part: str, systems: Sequence[str]) -> Share | None:
        """The cases of a part of the 385 that some of several systems pass."""
        cases = set(self._members("adversarial", part))
        failed = self._failed("adversarial", systems)
        return None if failed is None or not cases else Share(len(cases - failed), len(cases), self._names(systems))

    def failed_by_all(self, part: str, systems: Sequence[str], suite: str, among: str = "") -> Share | None:
        """The cases of a part that all of several systems fail, among the part, or among all such `failures`."""
        cases, failed = set(self._members(suite, part)), self._failed(suite, systems)
        if failed is None or not cases:
            return None
        n = len(failed) if among == _FAILURES else len(cases)
        return Share(len(cases & failed), n, self._names(systems, suite))

    def paired(self, first: str, second: str, figure: str) -> Counted | None:
        """McNemar's counts and statistics of two systems on the 385."""
        one, other = self._run("adversarial", first), self._run("adversarial", second)
        if one is None or other is None:
            return None
        shares = {
            run.name: np.array([float(run.verdicts[case] == "pass") for case in one.verdicts]) for run in (one, other)
        }
        (pair,) = compare_pairs(shares, 1, 0)
        discordant = pair["first_only"] + pair["second_only"]
        names = _joined([one.name, other.name])
        if figure in ("chi_squared_corrected", "p_corrected"):
            return Plain(pair[{"chi_squared_corrected": "chi_squared"}.get(figure, figure)], names)
        return Share({"discordant": discordant, **pair}[figure], pair["cases"], names)

    def answers(self, system: str, **where: str) -> Share | None:
        """Memora's questions that a system answers, of one persona or task."""
        own = [row for row in self.memora if row["system"] == system and _fits(row, where)]
        return Share(sum(row["verdict"] == "pass" for row in own), len(own), MEMORA_FILE) if own else None

    def stated(self, file: str, system: str, category: str, suite: str = "") -> Share | None:
        """What a released summary states of one category, or of several together."""
        wanted = category.split("|")
        own = [
            row
            for row in self.summaries
            if (row["file"], row["system"]) == (file, system)
            and row["category"] in wanted
            and suite in ("", row["suite"])
        ]
        if len(own) != len(wanted):
            return None
        return Share(sum(row["passed"] for row in own), sum(row["n"] for row in own), file)

    def strict(self, of: Spec) -> Share | None:
        """The passes of a share among all of the 385, those that are N/A included."""
        found, every = self.count(of), len(self.attributes.get("adversarial", {}))
        return Share(found.passed, every, found.run) if isinstance(found, Share) else None

    def labelled(self, among: Spec | None = None, **condition: Any) -> Share | None:
        """The labelled cases that fulfil a condition: `equal` or `differ` (raters), `where` (a `Filter`)."""
        cases = [case for case in self._labelled_cases() if _fulfils(case, **(among or {}))]
        return Share(sum(_fulfils(case, **condition) for case in cases), len(cases), LABELS_FILE) if cases else None

    def sample(self, figure: str) -> Plain | None:
        """The size of the labelled sample: cases, annotators, labels, or cases of the smallest category."""
        given = [row["well_formed"] + row["ill_formed"] for row in self.labels]
        if not given:
            return None
        by_category = Counter(case.get("category") for case in self._labelled_cases())
        sizes = {
            "cases": len(given),
            "annotators": max(given),
            "labels": sum(given),
            "per_category": min(by_category.values()),
        }
        return Plain(sizes[figure], LABELS_FILE)

    def measure(self, measure: str, scale: float) -> Plain | None:
        """A measure of the annotators' agreement over the whole sample."""
        for row in self.agreement:
            if (row["part"], row["measure"]) == (ALL, measure) and row["value"] is not None:
                return Plain(scale * row["value"], LABELS_FILE)
        return None

    def rejected(self, where: Filter, among: Filter | None = None) -> Share | None:
        """The cases that the admission judge rejected and that fit `where`, among those that fit `among`."""
        wider = [row for row in self._rejections() if _fits(row, among or {})]
        return Share(sum(_fits(row, where) for row in wider), len(wider), REJECTIONS_FILE) if wider else None

    def judged(self, verdict: str, part: str, category: str = ".*") -> Share | None:
        """The cases of a part of the 385 that the admission judge `admitted` or `rejected`."""
        rejected = {row["case_id"] for row in self._rejections()}
        cases = [
            case
            for case in self._members("adversarial", part)
            if _fits(self._about("adversarial", case), {"category": category})
        ]
        found = sum((case in rejected) == (verdict == "rejected") for case in cases)
        return Share(found, len(cases), REJECTIONS_FILE) if rejected and cases else None

    def _run(self, suite: str, system: str) -> NamedRun | None:
        return self.runs.get(suite, {}).get(system)

    def _about(self, suite: str, case: str) -> Mapping[str, str]:
        return self.attributes.get(suite, {}).get(case, {})

    def _members(self, suite: str, part: str) -> Iterator[str]:
        where = self.parts.get(part, {"category": re.escape(part)})
        return (case for case, known in self.attributes.get(suite, {}).items() if _fits(known, where))

    def _failed(self, suite: str, systems: Iterable[str]) -> set[str] | None:
        """The cases that none of several systems passes."""
        failed = set(self.attributes.get(suite, {}))
        for system in systems:
            run = self._run(suite, system)
            if run is None:
                return None
            failed -= {case for case, verdict in run.verdicts.items() if verdict == "pass"}
        return failed

    def _names(self, systems: Iterable[str], suite: str = "adversarial") -> str:
        return _joined([run.name for system in systems if (run := self._run(suite, system))])

    def _rejections(self) -> Iterator[dict[str, str]]:
        """Each rejected case: why, and what is known of it."""
        return ({**self._about("adversarial", row["case_id"]), **row} for row in self.rejections)

    def _labelled_cases(self) -> Iterator[dict[str, str]]:
        """Each labelled case: what is known of it, and by rater whether it is `well` or `ill` formed."""
        for row in self.labels:
            found = {judge: row[column] for judge, column in JUDGES.items()}
            found[MAJORITY] = row["well_formed"] > row["ill_formed"]
            labels = {rater: "well" if well else "ill" for rater, well in found.items()}
            yield {**self._about("adversarial", row["case_id"]), **labels}


def _fits(row: Mapping[str, Any], where: Filter) -> bool:
    return all(re.fullmatch(pattern, row[name]) for name, pattern in where.items())


def _fulfils(
    case: Mapping[str, str], equal: Sequence[str] = (), differ: Sequence[str] = (), where: Filter | None = None
) -> bool:
    alike = len({case[rater] for rater in equal}) < 2
    unlike = not differ or len({case[rater] for rater in differ}) > 1
    return alike and unlike and _fits(case, where or {})


def _joined(names: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(names))
