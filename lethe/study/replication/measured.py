"""What was measured, by the names that the published numbers have."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lethe import schemas
from lethe.config.configurations import configuration_name
from lethe.parquet import Row
from lethe.schemas import ALL, WITHOUT_COMPOUND
from lethe.study.inputs import Files, Input, given, keyed, results, rows
from lethe.study.replication.printed_systems import MODELS, SYSTEMS, PrintedSystem
from lethe.study.results import SuiteResults
from lethe.study.setup import Setup

_BENCHMARKS = {"memora": "Memora", "factcons": "FactConsolidation", "longmemeval": "LongMemEval", "locomo": "LoCoMo"}
_NOT_EVALUATED = "every case is N/A, so that nothing was measured"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in the unit of the published one.

    Attributes:
        value: for cases and percents, the number of cases passed; else the number itself.
        n: what it is out of; None where it is not a share.
        low, high: a 95 % interval of it, in the published unit; None for a share, whose interval follows from n.
        compared: cases that have a published verdict; None where no verdicts were published case by case.
        only_published, only_here: those of them that the published run alone passes, or this one alone.
        na_here, na_there: those that are N/A here alone and failed there, or the reverse; neither passes them.
        broken: cases whose trial broke, which are not passed.
    """

    value: float
    n: int | None = None
    low: float | None = None
    high: float | None = None
    compared: int | None = None
    only_published: int = 0
    only_here: int = 0
    na_here: int = 0
    na_there: int = 0
    broken: int = 0


@dataclass(frozen=True, slots=True)
class Counterpart:
    """What was measured of a published number.

    Attributes:
        configuration: label of the measured configuration; empty where the number is of no system.
        source: label of the suite or benchmark it was measured on.
        same_data: measured on the published number's own cases, so that it can come out equal.
        note: how the run differs from the paper's.
    """

    configuration: str
    source: str
    quantity: Quantity
    same_data: bool = True
    note: str = ""


@dataclass(frozen=True, slots=True)
class Missing:
    """Why nothing was measured of a published number."""

    reason: str


Found = Counterpart | Missing


def measured_inputs(setup: Setup) -> Input:
    """What `Measured.of` reads: each of its fields except `setup`."""
    roles = {
        role: suite
        for role, suite in {"template": setup.template_suite, **setup.release.suites}.items()
        if suite in setup.suites
    }
    compared = {role: suite for role, suite in roles.items() if suite in setup.compared_suites().values()}
    run = [name for name, benchmark in setup.benchmarks.items() if benchmark.runs]

    def of_suite(table: schemas.Table) -> Input:
        return rows(table, suite=roles["adversarial"]) if "adversarial" in roles else given([])

    return keyed(
        {
            "suites": keyed({role: results(setup, suite) for role, suite in roles.items()}),
            "crosseval": keyed({name: rows(schemas.CROSSEVAL_SCORES, benchmark=name) for name in run}),
            "paired": of_suite(schemas.PAIRED),
            "latency": rows(schemas.LATENCY),
            "llm_runs": of_suite(schemas.LLM_RUNS),
            "case_rows": keyed({role: rows(schemas.CASES, suite=suite) for role, suite in compared.items()}),
            "replicas": keyed({role: rows(schemas.REPLICAS, suite=suite) for role, suite in compared.items()}),
            "memora": rows(schemas.MEMORA_REPLICAS) if setup.memora_is_compared() else given([]),
            "sizes": rows(schemas.CROSSEVAL_SIZES, benchmark="memora") if "memora" in run else given([]),
        }
    )


@dataclass(frozen=True, slots=True)
class Measured:
    """What the analysis found on the paper's cases.

    Attributes:
        suites: scores of the suites by role (template, adversarial, external); a suite without cases is not there.
        crosseval: rows of `CROSSEVAL_SCORES` by benchmark: memora, factcons, longmemeval.
        paired, llm_runs: rows of the adversarial suite.
        latency: rows of `LATENCY`, of the suite that times are taken on.
        case_rows, replicas: rows of `CASES` and `REPLICAS` by role.
        memora: rows of `MEMORA_REPLICAS`.
        sizes: rows of `CROSSEVAL_SIZES` of Memora.
    """

    setup: Setup
    suites: Mapping[str, SuiteResults]
    crosseval: Mapping[str, Sequence[Row]]
    paired: Sequence[Row]
    latency: Sequence[Row]
    llm_runs: Sequence[Row]
    case_rows: Mapping[str, Sequence[Row]]
    replicas: Mapping[str, Sequence[Row]]
    memora: Sequence[Row]
    sizes: Sequence[Row]

    @classmethod
    def of(cls, setup: Setup, files: Files) -> "Measured":
        """What was measured below an output folder."""
        return cls(setup, **measured_inputs(setup).load(files))

    def of_system(
        self,
        printed: str,
        role: str,
        quantity: Callable[[str], Quantity | None],
        *,
        model: str | None = None,
        asks_nothing: bool = False,
    ) -> Found:
        """The counterpart of a number of one system, by what `quantity` makes of the configuration that stands for it.

        Args:
            printed: its name among the published numbers.
            role: of the suite, or the benchmark.
            model: the chat model of the printed run, where it is not the system's usual one.
            asks_nothing: no chat model is asked here, so that a configuration with any one stands for the paper's.
        """
        paper = SYSTEMS[printed]
        asked = paper.model if model is None else model
        names = self._standing_for(paper, "" if asks_nothing else asked)
        for name in names:
            found = quantity(name)
            if found is not None:
                return self.counterpart(self.label(name), role, found, note=paper.differs)
        if names:
            return Missing(self.reason(names[0], role))
        if asked:
            return Missing(f"no run here asks {MODELS[asked].label}")
        return Missing("the system is not configured")

    def _standing_for(self, paper: PrintedSystem, model: str) -> list[str]:
        """The configurations of a system of the paper, with its chat model where it has one."""
        entries = self.setup.configurations
        names = [name for name in self.setup.of_system(paper.system) if entries[name].hook_contract in ("", "paper")]
        if not model:
            return names
        asked = {name: entries[name].model for name in names}
        labels = self.setup.models
        return [name for name in names if MODELS[model].is_named(asked[name], labels.get(asked[name], ""))]

    def counterpart(self, label: str, role: str, quantity: Quantity, note: str = "") -> Counterpart:
        """A quantity of a suite or benchmark; the template suite is generated here, the other ones are the paper's."""
        broken = f"{quantity.broken} trials broke and count as not passed" if quantity.broken else ""
        told = "; ".join(part for part in (note, broken) if part)
        return Counterpart(label, self.source(role), quantity, role != "template", told)

    def source(self, role: str) -> str:
        """The label of a suite or benchmark."""
        return self.suites[role].label if role in self.suites else _BENCHMARKS.get(role, role)

    def label(self, name: str) -> str:
        """A configuration's name in tables."""
        return self.setup.configurations[name].label

    def reason(self, name: str, role: str) -> str:
        """Why a configuration has no number on a suite or benchmark."""
        if role in self.setup.benchmarks:
            benchmark = self.setup.benchmarks[role]
            return benchmark.absent or benchmark.not_run.get(name, _NOT_EVALUATED)
        if role not in self.suites:
            return self.reason_absent(role)
        return self.suites[role].not_run.get(name, _NOT_EVALUATED)

    def reason_absent(self, role: str) -> str:
        """Why a suite has no cases."""
        suite = self.setup.release.suites.get(role, role)
        empty = self.setup.empty_suites.get(suite)
        return empty.reason if empty else f"the suite {suite} is not run"

    def share(
        self,
        role: str,
        name: str,
        value: str = ALL,
        cut: str = "overall",
        *,
        evaluable: bool = False,
        none: bool = False,
    ) -> Quantity | None:
        """Cases passed of all cases (N/A and errors not passed, as in the paper), or of the evaluable ones.

        Args:
            none: where no case is evaluable, it is 0 of 0; otherwise there is no share.
        """
        replica = self._replica(role, name)
        scorer = next(iter(replica.values()))["scorer"] if replica else None
        score = self.suites[role].score(name, value, cut, scorer) if role in self.suites else None
        if score is None:
            return None
        trials = score["passed"] + score["failed"] if evaluable else score["cases"]
        if not trials and not none:
            return None
        paired = self._paired_with(replica, self._members(role, value, cut))
        return replace(self._by_case(role, name, score["passed"], trials), **paired, broken=score["errors"])

    def _by_case(self, role: str, name: str, counted: int, trials: int) -> Quantity:
        """A count of trials as one of cases: where each was run several times, its mean over them."""
        cases, rest = divmod(trials, self.suites[role].repetitions.get(name, 1))
        # Where some trials of a case broke, no number of cases is the whole.
        return Quantity(counted, trials) if rest or not cases else Quantity(counted * cases / trials, cases)

    def _replica(self, role: str, name: str) -> dict[str, Row]:
        """Case to the row of `REPLICAS` of a configuration; nothing for one that replicates no published run."""
        return {row["case_id"]: row for row in self.replicas.get(role, ()) if row["configuration"] == name}

    @staticmethod
    def _paired_with(replica: Mapping[str, Row], members: Iterator[str]) -> dict[str, int]:
        both = [replica[case] for case in members if case in replica]
        if not both:
            return {}
        differing = [row["published"] == "pass" for row in both if not row["agree"]]
        na = [(row["measured"] == "na", row["published"] == "na") for row in both if row["agree"]]
        return {
            "compared": len(both),
            "only_published": sum(differing),
            "only_here": len(differing) - sum(differing),
            "na_here": na.count((True, False)),
            "na_there": na.count((False, True)),
        }

    def _members(self, role: str, value: str, cut: str) -> Iterator[str]:
        """The cases in a part of a suite."""
        for case in self.case_rows.get(role, ()):
            whole = value == ALL or (value == WITHOUT_COMPOUND and case["category"] != "compound_fact")
            if whole if cut == "overall" else case.get(cut) == value:
                yield case["case_id"]

    def not_applicable(self, printed: str, role: str, value: str = ALL, cut: str = "overall") -> Found:
        """Cases that are N/A: those of its run, or those that need an operation which the system lacks."""
        lacks = set(SYSTEMS[printed].lacks)
        if lacks and role in self.case_rows:
            needing = {
                row["case_id"]
                for row in self.case_rows[role]
                if lacks.intersection(mutation["op"] for mutation in row["mutations"])
            }
            members = list(self._members(role, value, cut))
            return self.counterpart("", role, Quantity(len(needing.intersection(members)), len(members)))

        def quantity(name: str) -> Quantity | None:
            score = self.suites[role].score(name, value, cut) if role in self.suites else None
            return None if score is None else self._by_case(role, name, score["na"], score["cases"])

        return self.of_system(printed, role, quantity)

    def cases(self, role: str, value: str = ALL, cut: str = "overall") -> Found:
        """The number of cases in a part of a suite."""
        if role not in self.suites:
            return Missing(self.reason_absent(role))
        return self.counterpart("", role, Quantity(self.suites[role].cases(value, cut)))

    def difference(self, first: str, second: str) -> Quantity | None:
        """Percentage points between two configurations on the adversarial suite, with the paired-bootstrap interval."""
        for pair in self.paired:
            if pair["scorer"] == self.setup.scorer and {pair["first"], pair["second"]} == {first, second}:
                ends = [100 * pair[name] for name in ("difference", "low", "high")]
                value, low, high = ends if pair["first"] == first else (-ends[0], -ends[2], -ends[1])
                return Quantity(value, None, low, high)
        return None

    def time(self, printed: str, column: str, scale: float) -> Found:
        """Milliseconds per case (times `scale`), on the suite that times are taken on."""

        def quantity(name: str) -> Quantity | None:
            for found in self.latency:
                if configuration_name(found) == name:
                    known = column == "wall_ms" and found["wall_low"] is not None
                    ends = (found["wall_low"], found["wall_high"]) if known else ()
                    return Quantity(scale * found[column], None, *(scale * end for end in ends))
            return None

        found = self.of_system(printed, "adversarial", quantity)
        if isinstance(found, Missing):
            return found
        suite = self.setup.adversarial_suite
        return Counterpart(
            found.configuration,
            self.setup.suites[suite].label,
            found.quantity,
            suite == self.setup.release.suites.get("adversarial"),
            "a time of another machine",
        )

    def answered(self, benchmark: str, name: str, cut: str, value: str) -> Row | None:
        """A row of `CROSSEVAL_SCORES`."""
        wanted = (name, cut, value)
        found = self.crosseval.get(benchmark, ())
        return next(
            (score for score in found if (configuration_name(score), score["cut"], score["value"]) == wanted), None
        )
