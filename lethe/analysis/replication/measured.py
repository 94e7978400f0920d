"""What was measured, by the names that the published numbers have."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lethe import schemas
from lethe.analysis.inputs import Input, keyed, results, rows
from lethe.analysis.results import SuiteResults
from lethe.analysis.setup import Setup
from lethe.config.configurations import configuration_name
from lethe.parquet import Row
from lethe.schemas import ALL

_NOT_EVALUATED = "not run: no case was evaluated"
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
        configuration: label of the measured configuration; empty where the number is of no system.
        source: label of the suite or benchmark it was measured on.
        same_data: the published number is of the same questions, so that it can come out equal.
    """

    configuration: str
    source: str
    quantity: Quantity
    same_data: bool = False


@dataclass(frozen=True, slots=True)
class Missing:
    """Why nothing stands beside a published number, or nothing of one of the configurations that it stands for."""

    reason: str
    configuration: str = ""


Found = Counterpart | Missing


_EXTERNAL = "external"


def measured_inputs(setup: Setup) -> dict[str, Input]:
    """What each field of `Measured` except `setup` is read from."""
    suite = setup.adversarial_suite
    roles = {"template": setup.template_suite, "adversarial": suite, _EXTERNAL: _EXTERNAL}
    run = [name for name, benchmark in setup.benchmarks.items() if benchmark.runs]
    return {
        "suites": keyed({role: results(setup, name) for role, name in roles.items() if name in setup.suites}),
        "crosseval": keyed({name: rows(schemas.CROSSEVAL_SCORES, benchmark=name) for name in run}),
        "paired": rows(schemas.PAIRED, suite=suite),
        "latency": rows(schemas.LATENCY, suite=suite),
        "partition": rows(schemas.LABEL_PARTITION, suite=suite),
        "llm_runs": rows(schemas.LLM_RUNS, suite=suite),
        "agreement": rows(schemas.AGREEMENT),
        "raters": rows(schemas.RATER_PAIRS),
    }


@dataclass(frozen=True, slots=True)
class Measured:
    """What the analysis found.

    Attributes:
        suites: scores of the suites by role: template, adversarial, external; a suite without cases is not there.
        crosseval: rows of `CROSSEVAL_SCORES` by benchmark: memora, factcons, longmemeval.
        paired, latency, partition, llm_runs: rows of the adversarial suite.
        agreement, raters: rows of `AGREEMENT` and `RATER_PAIRS`; none without annotations.
    """

    setup: Setup
    suites: Mapping[str, SuiteResults]
    crosseval: Mapping[str, Sequence[Row]]
    paired: Sequence[Row]
    latency: Sequence[Row]
    partition: Sequence[Row]
    llm_runs: Sequence[Row]
    agreement: Sequence[Row]
    raters: Sequence[Row]

    def each_configuration(
        self, system: str, suite: str, quantity: Callable[[str], Quantity | None], *, same_data: bool = False
    ) -> Iterator[Found]:
        """A counterpart for each configuration of a system, by what `quantity` makes of its name."""
        names = self.setup.of_system(system)
        if not names:
            yield Missing("not run: no such system configured")
        for name in names:
            found = quantity(name)
            label = self.label(name)
            yield (
                Missing(self.reason(name, suite), label)
                if found is None
                else Counterpart(label, self.source(suite), found, same_data)
            )

    def source(self, suite: str) -> str:
        """The label of a suite or benchmark."""
        return self.suites[suite].label if suite in self.suites else _BENCHMARKS.get(suite, suite)

    def label(self, name: str) -> str:
        """A configuration's name in tables."""
        return self.setup.configurations[name].label

    def reason(self, name: str, place: str) -> str:
        """Why a configuration has no number on a suite or benchmark."""
        if place in self.setup.benchmarks:
            benchmark = self.setup.benchmarks[place]
            return benchmark.absent or benchmark.not_run.get(name, _NOT_EVALUATED)
        if place not in self.suites:
            return self.reason_absent(place)
        return self.suites[place].not_run.get(name, _NOT_EVALUATED)

    def reason_absent(self, role: str) -> str:
        """Why a suite has no cases."""
        empty = self.setup.empty_suites.get(role)
        return empty.reason if empty else f"not run: no suite of the name {role} is run"

    def share(
        self, suite: str, name: str, value: str = ALL, cut: str = "overall", *, evaluable: bool = False
    ) -> Quantity | None:
        """Cases passed of all cases (N/A and errors not passed, as in the paper), or of the evaluable ones, if any."""
        score = self.suites[suite].score(name, value, cut) if suite in self.suites else None
        if score is None:
            return None
        cases = score["passed"] + score["failed"] if evaluable else score["cases"]
        return Quantity(score["passed"], cases) if cases else None

    def not_applicable(self, suite: str, name: str, value: str = ALL, cut: str = "overall") -> Quantity | None:
        """Cases that are N/A."""
        score = self.suites[suite].score(name, value, cut) if suite in self.suites else None
        return None if score is None else Quantity(score["na"], score["cases"])

    def cases(self, suite: str, value: str = ALL, cut: str = "overall") -> Iterator[Found]:
        """The number of cases in a part of a suite."""
        if suite not in self.suites:
            yield Missing(self.reason_absent(suite))
        else:
            yield Counterpart("", self.source(suite), Quantity(self.suites[suite].cases(value, cut)))

    def difference(self, first: str, second: str) -> Quantity | None:
        """Percentage points between two configurations on the adversarial suite, with the paired-bootstrap interval."""
        scorer = self.suites["adversarial"].scorer
        for pair in self.paired:
            if pair["scorer"] == scorer and {pair["first"], pair["second"]} == {first, second}:
                ends = [100 * pair[name] for name in ("difference", "low", "high")]
                value, low, high = ends if pair["first"] == first else (-ends[0], -ends[2], -ends[1])
                return Quantity(value, None, low, high)
        return None

    def wall(self, name: str, column: str = "wall_ms") -> Quantity | None:
        """Milliseconds per case."""
        for found in self.latency:
            if configuration_name(found) == name:
                ends = (found["wall_low"], found["wall_high"]) if column == "wall_ms" else (None, None)
                return Quantity(found[column], None, *ends)
        return None

    def answered(self, benchmark: str, name: str, cut: str, value: str) -> Row | None:
        """A row of `CROSSEVAL_SCORES`."""
        wanted = (name, cut, value)
        rows = self.crosseval.get(benchmark, ())
        return next(
            (score for score in rows if (configuration_name(score), score["cut"], score["value"]) == wanted), None
        )
