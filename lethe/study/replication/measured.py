"""What was measured, by the names that the published numbers have."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lethe import schemas
from lethe.config.configurations import configuration_name
from lethe.parquet import Row
from lethe.schemas import ALL, WITHOUT_COMPOUND
from lethe.study.inputs import Files, Input, given, keyed, results, rows
from lethe.study.results import SuiteResults
from lethe.study.setup import Setup

_NOT_EVALUATED = "not run: no case was evaluated"
_BENCHMARKS = {"memora": "Memora", "factcons": "FactConsolidation", "longmemeval": "LongMemEval"}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A measured number in the unit of the published one.

    Attributes:
        value: for cases and percents, the number of cases passed; else the number itself.
        n: what it is out of; None where it is no share.
        low, high: a 95 % interval of it, in the published unit; None for a share, whose interval follows from n.
        compared, agree: cases that have a published verdict, and those of them on which both pass or both do not; None
            where no verdicts were published case by case.
    """

    value: float
    n: int | None = None
    low: float | None = None
    high: float | None = None
    compared: int | None = None
    agree: int | None = None


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


AS_PUBLISHED = {"mem0": "mem0_paper"}
"""The system that is the paper's version of another."""
OWN, RELEASED = "own", "released"
"""Where the paper's numbers are measured again: on suites of this project's making, or on the released cases."""


def measured_inputs(setup: Setup) -> dict[str, Input]:
    """What `Measured.of` reads: each field except `setup` and `released`, of both places."""
    names = {
        OWN: {"template": setup.template_suite, "adversarial": setup.adversarial_suite, "external": "external"},
        RELEASED: {"template": setup.template_suite, **setup.release.suites},
    }
    run = [name for name, benchmark in setup.benchmarks.items() if benchmark.runs]
    return {
        place: keyed(
            _place_inputs(setup, place, {role: suite for role, suite in roles.items() if suite in setup.suites}, run)
        )
        for place, roles in names.items()
    }


def _place_inputs(setup: Setup, place: str, roles: Mapping[str, str], benchmarks: Sequence[str]) -> dict[str, Input]:
    def of_suite(table: schemas.Table) -> Input:
        return rows(table, suite=roles["adversarial"]) if "adversarial" in roles else given([])

    def labelled(released: schemas.Table, own: schemas.Table) -> Input:
        if place == OWN:
            return rows(own)
        return rows(released) if "adversarial" in setup.compared_suites() else given([])

    compared = {role: suite for role, suite in roles.items() if suite in setup.compared_suites().values()}
    return {
        "suites": keyed({role: results(setup, suite) for role, suite in roles.items()}),
        "crosseval": keyed({name: rows(schemas.CROSSEVAL_SCORES, benchmark=name) for name in benchmarks}),
        "paired": of_suite(schemas.PAIRED),
        "latency": rows(schemas.LATENCY) if roles.get("adversarial") == setup.adversarial_suite else given([]),
        "partition": of_suite(schemas.LABEL_PARTITION),
        "llm_runs": of_suite(schemas.LLM_RUNS),
        "case_rows": keyed({role: rows(schemas.CASES, suite=suite) for role, suite in compared.items()}),
        "replicas": keyed({role: rows(schemas.REPLICAS, suite=suite) for role, suite in compared.items()}),
        "memora": rows(schemas.MEMORA_REPLICAS) if setup.memora_is_compared() else given([]),
        "embedders": rows(schemas.EMBEDDER_ABLATION)
        if roles.get("adversarial") == setup.adversarial_suite
        else given([]),
        "agreement": labelled(schemas.RELEASED_AGREEMENT, schemas.AGREEMENT),
        "raters": labelled(schemas.RELEASED_RATERS, schemas.RATER_PAIRS),
        "labels": labelled(schemas.RELEASED_MAJORITY, schemas.MAJORITY_CASES),
    }


@dataclass(frozen=True, slots=True)
class Measured:
    """What the analysis found.

    Attributes:
        released: the suites are the released cases, apart from the template suite.
        suites: scores of the suites by role: template, adversarial, external; a suite without cases is not there.
        memora: rows of `MEMORA_REPLICAS`.
        case_rows, replicas: rows of `CASES` and `REPLICAS` by role, of suites whose cases have published verdicts.
        crosseval: rows of `CROSSEVAL_SCORES` by benchmark: memora, factcons, longmemeval.
        paired, latency, partition, llm_runs: rows of the adversarial suite.
        embedders: rows of `EMBEDDER_ABLATION`, which is run on this project's own suite alone.
        agreement, raters, labels: rows of `AGREEMENT`, `RATER_PAIRS` and `MAJORITY_CASES`, of the released labels or of
            the sheets here; none without annotations.
    """

    setup: Setup
    released: bool
    suites: Mapping[str, SuiteResults]
    crosseval: Mapping[str, Sequence[Row]]
    paired: Sequence[Row]
    latency: Sequence[Row]
    partition: Sequence[Row]
    llm_runs: Sequence[Row]
    case_rows: Mapping[str, Sequence[Row]]
    replicas: Mapping[str, Sequence[Row]]
    memora: Sequence[Row]
    embedders: Sequence[Row]
    agreement: Sequence[Row]
    raters: Sequence[Row]
    labels: Sequence[Row]

    @classmethod
    def of(cls, setup: Setup, place: str, files: Files) -> "Measured":
        """What was measured at a place, `OWN` or `RELEASED`."""
        return cls(setup, place == RELEASED, **measured_inputs(setup)[place].load(files))

    def each_configuration(
        self, system: str, suite: str, quantity: Callable[[str], Quantity | None], *, same_data: bool = False
    ) -> Iterator[Found]:
        """A counterpart for each configuration of a system, by what `quantity` makes of its name; on the released cases
        also for the version that the paper ran, where that is a system of its own."""
        names = [
            *(self.setup.of_system(AS_PUBLISHED.get(system, "")) if self.released else ()),
            *self.setup.of_system(system),
        ]
        if not names:
            yield Missing("not run: no such system configured")
        for name in names:
            found = quantity(name)
            label = self.label(name)
            yield (
                Missing(self.reason(name, suite), label)
                if found is None
                else self.counterpart(label, suite, found, same_data=same_data)
            )

    def counterpart(self, label: str, suite: str, quantity: Quantity, *, same_data: bool = False) -> Counterpart:
        """A quantity of a suite or benchmark; the released cases are the paper's own."""
        own = same_data or (self.released and suite in ("adversarial", "external"))
        return Counterpart(label, self.source(suite), quantity, own)

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
        suite = self.setup.release.suites.get(role, role) if self.released else role
        empty = self.setup.empty_suites.get(suite)
        return empty.reason if empty else f"not run: the suite {suite} is not run"

    def reason_unlabelled(self) -> str:
        """Why nobody's labels are there."""
        if not self.released:
            return "not run: no annotations yet"
        return self.setup.release.absent or self.reason_absent("adversarial")

    def share(
        self, suite: str, name: str, value: str = ALL, cut: str = "overall", *, evaluable: bool = False
    ) -> Quantity | None:
        """Cases passed of all cases (N/A and errors not passed, as in the paper), or of the evaluable ones, if any."""
        replica = self._replica(suite, name)
        scorer = next(iter(replica.values()))["scorer"] if replica else None
        score = self.suites[suite].score(name, value, cut, scorer) if suite in self.suites else None
        if score is None:
            return None
        cases = score["passed"] + score["failed"] if evaluable else score["cases"]
        if not cases:
            return None
        members = [replica[case] for case in self._members(suite, value, cut) if case in replica]
        compared = {"compared": len(members), "agree": sum(row["agree"] for row in members)} if members else {}
        return Quantity(score["passed"], cases, **compared)

    def _replica(self, suite: str, name: str) -> dict[str, Row]:
        """Case to the row of `REPLICAS` of a configuration; nothing for one that replicates no published run."""
        return {row["case_id"]: row for row in self.replicas.get(suite, ()) if row["configuration"] == name}

    def _members(self, suite: str, value: str, cut: str) -> Iterator[str]:
        """The cases in a part of a suite."""
        for case in self.case_rows.get(suite, ()):
            whole = value == ALL or (value == WITHOUT_COMPOUND and case["category"] != "compound_fact")
            if whole if cut == "overall" else case.get(cut) == value:
                yield case["case_id"]

    def not_applicable(self, suite: str, name: str, value: str = ALL, cut: str = "overall") -> Quantity | None:
        """Cases that are N/A."""
        score = self.suites[suite].score(name, value, cut) if suite in self.suites else None
        return None if score is None else Quantity(score["na"], score["cases"])

    def cases(self, suite: str, value: str = ALL, cut: str = "overall") -> Iterator[Found]:
        """The number of cases in a part of a suite."""
        if suite not in self.suites:
            yield Missing(self.reason_absent(suite))
        elif not any(part == cut for _, _, part, _ in self.suites[suite].scores):
            yield Missing(f"not run: the cases give no {cut}")
        else:
            yield self.counterpart("", suite, Quantity(self.suites[suite].cases(value, cut)))

    def difference(self, first: str, second: str) -> Quantity | None:
        """Percentage points between two configurations on the adversarial suite, with the paired-bootstrap interval."""
        scorer = self.setup.scorer
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
