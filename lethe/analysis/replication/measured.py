"""What was measured, by the names that the published numbers have."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lethe.analysis.results import SuiteResults
from lethe.config.configurations import configuration_name
from lethe.schemas import ALL

Row = Mapping[str, Any]

_BENCHMARKS = {"memora": "Memora", "factcons": "FactConsolidation", "longmemeval": "LongMemEval"}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A measured number in the unit of the published one.

    Attributes:
        value: for cases and percents, the number of cases passed; else the number itself.
        n: what it is out of; None where it is no share.
        low, high: a 95 % interval of it, in the published unit; None for a share, whose interval follows from n.
    """

    value: float
    n: int | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Counterpart:
    """What stands beside a published number.

    Attributes:
        row: label of the measured row; empty where the number is of no system.
        source: label of the suite or benchmark it was measured on.
        same_data: the published number is of the same questions, so that it can come out equal.
    """

    row: str
    source: str
    quantity: Quantity
    same_data: bool = False


@dataclass(frozen=True, slots=True)
class Missing:
    """Why nothing stands beside a published number, or nothing of one of the rows that it stands for."""

    reason: str
    row: str = ""


Found = Counterpart | Missing


@dataclass(frozen=True, slots=True)
class Measured:
    """The tables of the analysis stage.

    Attributes:
        systems: the rows of the tables by name, with label and system.
        suites: scores of the suites by role: template, adversarial, external; a suite without cases is not there.
        crosseval: rows of `CROSSEVAL_SCORES` by benchmark: memora, factcons, longmemeval.
        absent: why a benchmark, or a row on it (BENCHMARK/ROW), or the external suite was not run.
        paired, latency, partition, llm_runs: rows of the adversarial suite.
        agreement, raters: rows of `AGREEMENT` and `RATER_PAIRS`; none without annotations.
        embedder: name of the configured embedder.
    """

    systems: Mapping[str, Row]
    suites: Mapping[str, SuiteResults]
    crosseval: Mapping[str, Sequence[Row]]
    absent: Mapping[str, str]
    paired: Sequence[Row]
    latency: Sequence[Row]
    partition: Sequence[Row]
    llm_runs: Sequence[Row]
    agreement: Sequence[Row]
    raters: Sequence[Row]
    embedder: str

    def rows_of(self, system: str) -> list[str]:
        """The rows of the tables that a published system stands for: itself, or one for each model."""
        return [name for name, entry in self.systems.items() if entry["system"] == system]

    def each_row(
        self, system: str, suite: str, quantity: Callable[[str], Quantity | None], *, same_data: bool = False
    ) -> Iterator[Found]:
        """A counterpart for each row of a system, by what `quantity` makes of the row's name."""
        rows = self.rows_of(system)
        if not rows:
            yield Missing("not run: no such system configured")
        for row in rows:
            found = quantity(row)
            label = str(self.systems[row]["label"])
            yield (
                Missing(self.reason(row, suite), label)
                if found is None
                else Counterpart(label, self.source(suite), found, same_data)
            )

    def source(self, suite: str) -> str:
        """The label of a suite or benchmark."""
        return self.suites[suite].label if suite in self.suites else _BENCHMARKS.get(suite, suite)

    def reason(self, row: str, suite: str) -> str:
        """Why a row has no number there."""
        for key in (suite, f"{suite}/{row}"):
            if key in self.absent:
                return self.absent[key]
        not_run = self.suites[suite].not_run if suite in self.suites else {}
        return not_run.get(row, "not run: no case was evaluated")

    def share(
        self, suite: str, row: str, value: str = ALL, cut: str = "overall", *, evaluable: bool = False
    ) -> Quantity | None:
        """Cases passed of all cases (N/A and errors not passed, as in the paper), or of the evaluable ones, if any."""
        score = self.suites[suite].score(row, value, cut) if suite in self.suites else None
        if score is None:
            return None
        cases = score["passed"] + score["failed"] if evaluable else score["cases"]
        return Quantity(score["passed"], cases) if cases else None

    def not_applicable(self, suite: str, row: str, value: str = ALL, cut: str = "overall") -> Quantity | None:
        """Cases that are N/A."""
        score = self.suites[suite].score(row, value, cut) if suite in self.suites else None
        return None if score is None else Quantity(score["na"], score["cases"])

    def cases(self, suite: str, value: str = ALL, cut: str = "overall") -> Iterator[Found]:
        """The number of cases in a part of a suite."""
        if suite not in self.suites:
            yield Missing(self.absent.get(suite, "not run: no such suite"))
        else:
            yield Counterpart("", self.source(suite), Quantity(self.suites[suite].cases(value, cut)))

    def difference(self, first: str, second: str) -> Quantity | None:
        """Percentage points between two rows on the adversarial suite, with the paired-bootstrap interval."""
        scorer = self.suites["adversarial"].scorer
        for pair in self.paired:
            if pair["scorer"] == scorer and {pair["first"], pair["second"]} == {first, second}:
                ends = [100 * pair[name] for name in ("difference", "low", "high")]
                value, low, high = ends if pair["first"] == first else (-ends[0], -ends[2], -ends[1])
                return Quantity(value, None, low, high)
        return None

    def wall(self, row: str, column: str = "wall_ms") -> Quantity | None:
        """Milliseconds a case."""
        for found in self.latency:
            if configuration_name(found) == row:
                ends = (found["wall_low"], found["wall_high"]) if column == "wall_ms" else (None, None)
                return Quantity(found[column], None, *ends)
        return None

    def answered(self, benchmark: str, row: str, cut: str, value: str) -> Row | None:
        """A row of `CROSSEVAL_SCORES`."""
        wanted = (row, cut, value)
        rows = self.crosseval.get(benchmark, ())
        return next(
            (score for score in rows if (configuration_name(score), score["cut"], score["value"]) == wanted), None
        )
