"""The numbers of the findings, from the rows of the analysis."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from forgeteval.errors import UserError
from lethe import schemas
from lethe.config.configurations import configuration_name
from lethe.parquet import Row
from lethe.schemas import ALL
from lethe.study.alone import RATES, FactRates, complete, fact_rates, has_verdict, stores_alone
from lethe.study.erasure import CLAIM, ERROR, FALSE, GONE, NA, TRUE
from lethe.study.inputs import Files
from lethe.study.long import BROKEN, JOINED
from lethe.study.released.worth import EVERY, HARD
from lethe.study.results import SuiteResults
from lethe.study.setup import Setup
from lethe.study.steps.score_atlas import LOST
from lethe.tables.beyond.atlas import left_over, recorded_systems
from lethe.tables.beyond.erasure import worst_of, worst_verdicts
from lethe.tables.beyond.model_size import families, parameters_text
from lethe.tables.beyond.models import reason_no_run

_SWITCHED_OFF = "not run: left out by run.workloads"
_NOT_COMPARED = "not run: the published cases are not run"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Passed:
    """How many cases one row passes, under its name in tables."""

    name: str
    passed: int
    cases: int


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate of one row, from 0 to 1, with its 95 % interval and the number of memories that it is of."""

    name: str
    rate: float
    low: float
    high: float
    facts: int


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured.

    Attributes:
        systems: configurations with a verdict on some adversarial case, without the controls.
        silent: those that are N/A on every one.
        controls: of each suite that ran, what the controls pass by the substring scorer.
        adversarial: what the controls pass of the adversarial suite by the scorer of the tables.
    """

    systems: int
    silent: int
    controls: Mapping[str, Sequence[Passed]]
    adversarial: Sequence[Passed]


@dataclass(frozen=True, slots=True)
class Stores:
    """Stores with neither hook nor model, no adversarial case N/A and no caveat.

    Attributes:
        different: how many of them differ in what they pass of some category.
    """

    passed: Sequence[Passed]
    held_out: Sequence[Passed]
    leak: Sequence[Rate]
    lost: Sequence[Rate]
    different: int


@dataclass(frozen=True, slots=True)
class Recorded:
    """The recorded systems of the atlas.

    Attributes:
        passed: of the adversarial suite.
        left: what the files of each still hold of an erased memory after a restart, by its name in tables, if its files
            could tell.
        claiming: how many said of an erasure that nothing was left, where that could be checked.
        wrongly: of these, how many said so while something was left.
        lost: the share of the facts told to each that do not come back before any mutation.
    """

    passed: Sequence[Passed]
    left: Mapping[str, str]
    claiming: int
    wrongly: int
    lost: Sequence[Rate]


@dataclass(frozen=True, slots=True)
class Matched:
    """The same store without and with the matcher on some cases.

    Attributes:
        suite: `held_out`, `external` or `twins`.
        control: the control that passes most, of those that know no answer; None where none passes any.
    """

    suite: str
    alone: Passed
    hooked: Passed
    control: Passed | None


@dataclass(frozen=True, slots=True)
class Hooks:
    """Stores without and with a planner.

    Attributes:
        alone: stores that some chat model plans for, on the adversarial suite.
        with_model: by number of parameters, from the smallest model on, and by the store's name.
    """

    alone: Sequence[Passed]
    with_model: Mapping[str, Mapping[str, Passed]]
    matcher: Sequence[Matched]


@dataclass(frozen=True, slots=True)
class Worth:
    """The published runs on all cases of the first released suite, and on those that no control passes."""

    every: Sequence[Passed]
    hard: Sequence[Passed]


@dataclass(frozen=True, slots=True)
class Audited:
    """A system whose files were searched after a purge, in the largest store."""

    name: str
    gone: bool
    cases: int
    memories: int


@dataclass(frozen=True, slots=True)
class Lasting:
    """The long histories, of configurations of which no adversarial case is N/A, and the erasure audit."""

    leak: Sequence[Rate]
    lost: Sequence[Rate]
    audited: Sequence[Audited]


@dataclass(frozen=True, slots=True)
class Absent:
    """Why a line has no numbers: its part of the study was not run, or it does not say."""

    reason: str
    not_run: bool


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of each line."""

    measured: Measured | Absent
    stores: Stores | Absent
    recorded: Recorded | Absent
    hooks: Hooks | Absent
    worth: Worth | Absent
    lasting: Lasting | Absent


def numbers_of(setup: Setup, files: Files) -> Numbers:
    """The numbers of a finished run."""
    run = _Run(setup, files)
    return Numbers(
        _given(run.measured),
        _given(run.stores),
        _given(run.recorded),
        _given(run.hooks),
        _given(run.worth),
        _given(run.lasting),
    )


class _NotRun(UserError):
    """A part of the study that was not run."""


def _given(compute: Callable[[], T]) -> T | Absent:
    try:
        return compute()
    except UserError as error:
        return Absent(str(error), isinstance(error, _NotRun))


class _Run:
    """The rows of a run, by the names of its configurations."""

    def __init__(self, setup: Setup, files: Files) -> None:
        self._setup, self._files = setup, files

    def measured(self) -> Measured:
        results = self._results(self._setup.adversarial_suite)
        scores = [score for name in self._setup.measured() if (score := results.score(name))]
        by_suite = {suite: self._results(suite) for suite in self._setup.suites}
        adversarial = self._passed_by_name(results, self._setup.controls())
        told = [name for name in adversarial if self._setup.configurations[name].backend == "oracle"]
        if not told or len(told) == len(adversarial):
            lacking = "that knows no answer" if told else "that is told the answers"
            raise _NotRun(f"suite {self._setup.adversarial_suite}: not run: no control {lacking} came to a verdict")
        return Measured(
            sum(map(has_verdict, scores)),
            sum(score["na"] == score["cases"] for score in scores),
            {
                suite: self._passed(found, self._setup.controls(), "substring")
                for suite, found in by_suite.items()
                if any(found.score(name, scorer="substring") for name in self._setup.controls())
            },
            list(adversarial.values()),
        )

    def stores(self) -> Stores:
        setup = self._setup
        if setup.held_out_suite not in setup.suites:
            raise UserError(f"suite {setup.held_out_suite}: not run; this finding needs it")
        results, rates = self._results(setup.adversarial_suite), self._fact_rates()
        alone = stores_alone(setup, results, rates)
        if not alone:
            raise UserError(
                f"suite {setup.adversarial_suite}: no store without hook and model with a verdict on every fact"
            )
        passes = {self._by_category(results, name) for name in alone}
        return Stores(
            self._passed(results, alone),
            self._passed(self._results(setup.held_out_suite), alone),
            [self._rate(rates[name, "leak"]) for name in alone],
            [self._rate(rates[name, "collateral"]) for name in alone],
            len(passes),
        )

    def recorded(self) -> Recorded:
        recorded = {name: label for name, label, _ in recorded_systems(self._setup)}
        if not recorded:
            raise _NotRun("not run: no system of the atlas is recorded")
        suite = self._setup.adversarial_suite
        scores = [row for row in self._rows(schemas.ATLAS_SCORES) if row["suite"] == suite]
        # Each number is of the same systems.
        labels = {row["system"]: recorded[row["system"]] for row in scores}
        erasure = {name: list[Row]() for name in labels}
        for row in self._rows(schemas.ATLAS_ERASURE):
            erasure.get(row["system"], []).append(row)
        if not scores:
            raise _NotRun(f"not run: no system of the atlas is recorded on {suite}")
        left = {labels[name]: left_over(own, "A5") for name, own in erasure.items()}
        if not any(left.values()):
            raise _NotRun("not run: the files of no recorded system of the atlas tell what is left")
        claims = [{row["verdict"] for row in own if row["place"] == CLAIM} & {TRUE, FALSE} for own in erasure.values()]
        return Recorded(
            [Passed(labels[row["system"]], row["passed"], row["cases"]) for row in scores],
            {label: what for label, what in left.items() if what},
            sum(map(bool, claims)),
            sum(FALSE in own for own in claims),
            [
                Rate(labels[row["system"]], row["rate"], row["low"], row["high"], row["facts"])
                for row in self._rows(schemas.ATLAS_FACTS)
                if (row["suite"], row["measure"]) == (suite, LOST) and row["system"] in labels
            ],
        )

    def hooks(self) -> Hooks:
        suite, sections = self._asking_a_model()
        results = self._results(suite)
        alone, by_size = [], dict[float, dict[str, Passed]]()
        for names in sections:
            hooked = self._passed_by_name(results, names)
            store = hooked.pop(names[0], None)
            if store is None:
                continue
            alone.append(store)
            for name, passed in reversed(hooked.items()):
                size = self._setup.parameters.get(self._setup.configurations[name].model)
                if size is not None:
                    by_size.setdefault(size, {})[store.name] = passed
        if not alone:
            raise UserError(f"suite {suite}: no store with a chat model came to a verdict without it")
        if not by_size:
            raise UserError(f"suite {suite}: no hook with a chat model whose number of parameters is known")
        return Hooks(
            alone, {parameters_text(size): by_size[size] for size in sorted(by_size)}, list(self._with_matcher())
        )

    def worth(self) -> Worth:
        setup = self._setup
        suites = list(setup.compared_suites().values())
        rows = [row for suite in suites for row in self._rows(schemas.PASS_WORTH, suite=suite)]
        if not rows:
            raise _NotRun(setup.release.absent or _NOT_COMPARED)
        found = {
            (row["name"], row["subset"]): Passed(row["name"], row["passed"], row["cases"])
            for row in rows
            if (row["suite"], row["origin"]) == (rows[0]["suite"], "published")
        }
        names = [name for name, subset in found if subset == EVERY and (name, HARD) in found]
        if not names:
            raise UserError(f"suite {rows[0]['suite']}: no published run")
        return Worth(*([found[name, subset] for name in names] for subset in (EVERY, HARD)))

    def lasting(self) -> Lasting:
        setup = self._setup
        if not (setup.long.configurations and setup.erasure.stores):
            raise _NotRun(_SWITCHED_OFF)
        rates = {
            (configuration_name(row), row["measure"]): self._rate(row)
            for row in self._rows(schemas.LONG_SCORES)
            if (row["k"], row["cut"]) == (setup.long.shown_k, "overall")
        }
        odd = {name for name, measure in rates if measure in (BROKEN, JOINED)}
        names = [
            name for name in self._complete() if name not in odd and all((name, measure) in rates for measure in RATES)
        ]
        if not names:
            raise UserError("long histories: no system that has a verdict on every fact of the adversarial suite")
        leak, lost = ([rates[name, measure] for name in names] for measure in RATES)
        audited = list(self._audited())
        if not audited:
            raise UserError("erasure audit: no system in whose files a purged memory could be looked for")
        return Lasting(leak, lost, audited)

    def _audited(self) -> Iterator[Audited]:
        found = worst_verdicts(self._rows(schemas.ERASURE_SCORES))
        largest = max((rows for _, rows in found), default=0)
        for name in self._setup.measured():
            counts = found.get((name, largest), {}).get("A3", {})
            if worst_of(counts) not in (NA, ERROR):
                gone = worst_of(counts) == GONE
                yield Audited(self._label(name), gone, sum(counts.values()), largest)

    def _asking_a_model(self) -> tuple[str, list[list[str]]]:
        """The first suite on which a store with a chat model ran, and there each store's configurations, plain first.

        A store is left out that did not run, or without a hooked configuration that ran.
        """
        for suite in self._setup.suites:
            results = self._results(suite)
            ran = [results.ran(names) for names in families(self._setup) if results.score(names[0])]
            asking = [names for names in ran if any(self._setup.configurations[name].model for name in names)]
            if asking:
                return suite, [names for names in asking if len(names) > 1]
        raise _NotRun(reason_no_run(self._setup))

    def _with_matcher(self) -> Iterator[Matched]:
        """The first store that ran without and with the matcher on the held-out suite, there and on further suites."""
        setup = self._setup
        if setup.held_out_suite not in setup.suites:
            raise UserError(f"suite {setup.held_out_suite}: not run; this finding needs it")
        external = setup.release.suites["external"]
        found = {"held_out": self._all_passed(setup.held_out_suite), "external": self._all_passed(external)}
        found["twins"] = {
            configuration_name(row): Passed(self._label(configuration_name(row)), row["twin_passed"], row["pairs"])
            for suite in setup.twins()
            for row in self._rows(schemas.TWINS, suite=suite)
            if row["operation"] == ALL
        }
        pairs = [pair for pair in setup.hook_pairs if setup.configurations[pair[1]].hook == "matcher"]
        pair = next((pair for pair in pairs if found["held_out"].keys() >= {*pair}), None)
        if pair is None:
            raise UserError(f"suite {setup.held_out_suite}: no store with and without the matcher")
        for suite, passed in found.items():
            if passed.keys() >= {*pair}:
                yield Matched(suite, passed[pair[0]], passed[pair[1]], self._best_control(passed))

    def _best_control(self, passed: Mapping[str, Passed]) -> Passed | None:
        blind = [name for name in self._setup.controls() if self._setup.configurations[name].backend != "oracle"]
        best = max((passed[name] for name in blind if name in passed), key=lambda each: each.passed, default=None)
        return best if best and best.passed else None

    def _complete(self) -> list[str]:
        return complete(self._setup, self._results(self._setup.adversarial_suite), self._fact_rates())

    def _by_category(self, results: SuiteResults, name: str) -> tuple[int, ...]:
        scores = (results.score(name, category, "category") for category in results.values("category"))
        return tuple(score["passed"] for score in scores if score is not None)

    def _fact_rates(self) -> FactRates:
        return fact_rates(self._rows(schemas.FACT_STATES, suite=self._setup.adversarial_suite))

    def _rate(self, row: Row) -> Rate:
        return Rate(self._label(configuration_name(row)), row["rate"], row["low"], row["high"], row["facts"])

    def _all_passed(self, suite: str) -> dict[str, Passed]:
        """What each configuration passes of a suite, by its name; nothing of a suite that was not run."""
        return (
            self._passed_by_name(self._results(suite), self._setup.configurations)
            if suite in self._setup.suites
            else {}
        )

    def _passed(self, results: SuiteResults, names: Iterable[str], scorer: str | None = None) -> list[Passed]:
        return list(self._passed_by_name(results, names, scorer).values())

    def _passed_by_name(
        self, results: SuiteResults, names: Iterable[str], scorer: str | None = None
    ) -> dict[str, Passed]:
        """Those of `names` that came to a verdict on some case."""
        scores = {name: results.score(name, scorer=scorer) for name in names}
        return {
            name: Passed(self._label(name), score["passed"], score["cases"])
            for name, score in scores.items()
            if score is not None and has_verdict(score)
        }

    def _label(self, name: str) -> str:
        return self._setup.configurations[name].label

    def _results(self, suite: str) -> SuiteResults:
        return SuiteResults.of(self._rows(schemas.SCORES, suite=suite), suite, self._setup)

    def _rows(self, table: schemas.Table, **names: str) -> list[Row]:
        return self._files.rows(table, table.path.format(**names))
