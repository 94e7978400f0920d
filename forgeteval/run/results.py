"""Results of an evaluation: every trial with what was recalled, what follows from it, and its file."""

import json
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from forgeteval.cases.case import Case
from forgeteval.cases.interchange import case_from_json, cases_sha256, said_otherwise
from forgeteval.cases.packaged import packaged_suites, read_packaged
from forgeteval.errors import UserError, extra, printable
from forgeteval.files import write_text
from forgeteval.json_records import from_json, read_object
from forgeteval.run.facts import clusters
from forgeteval.run.storable import check_came, check_storable
from forgeteval.run.trials import Judgement, Trial, judge
from forgeteval.scoring.intervals import wilson, wilson_of_clusters
from forgeteval.scoring.scorers import shows

SCHEMA_VERSION = 1
"""Of the JSON; docs/results-json.md."""
_IN_THE_STUDY = "results/report/index.html#/case/SUITE/CASE shows a case of it, pandas.read_parquet reads its rows"
CONTROLS = ("null", "nuke", "verbatim", "frozen", "oracle")


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with its 95 % interval.

    Attributes:
        count, total: how many count, of how many.
        low, high: bounds of the interval, as fractions: Wilson's; of facts, widened for facts that come in one case.
    """

    count: int
    total: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """The rate as a fraction; 0 where there is nothing to count."""
        return self.count / self.total if self.total else 0.0

    def __str__(self) -> str:
        return f"{self.count} of {self.total} ({self.share:.1%}) [{self.low:.1%}, {self.high:.1%}]"


@dataclass(frozen=True, slots=True)
class SuiteDescription:
    """Which cases a result is about; see `forgeteval.cases.library.Suite`.

    Attributes:
        sha256: of what the cases say.
        selected: how many of its cases were run, where it was not all of them.
    """

    name: str
    label: str
    version: int
    sha256: str
    selected: int | None = None


@dataclass(frozen=True, slots=True)
class ControlResult:
    """What a control came to on the same cases.

    Attributes:
        passed, cases: how many cases it passes, of how many; the oracle is asked where there is gold.
        expected: how many it has to pass, where the cases say so; None where they do not.
    """

    name: str
    passed: int
    cases: int
    expected: int | None

    @property
    def is_right(self) -> bool | None:
        """Whether it came out as it has to; None where nothing says what it has to."""
        return None if self.expected is None else self.passed == self.expected


@dataclass(frozen=True)
class Results:
    """What a store did on a suite.

    >>> from forgeteval import Backend, evaluate
    >>> class Nothing(Backend):
    ...     def reset(self): ...
    ...     def add(self, texts): ...
    ...     def search(self, query, k): return []
    >>> results = evaluate(Nothing, suite="adversarial", limit=20)
    >>> results.passed, results.total
    (0, 20)
    >>> str(results.rate)
    '0 of 20 (0.0%) [0.0%, 16.1%]'

    Attributes:
        store: its name.
        suite: which cases.
        settings: how it was run: `k`, `policies`, `hook`, `embedder`, `case_timeout_s`.
        made_with: versions of forgeteval, Python and the platform.
        date: when, in UTC, to the second.
        cases: the cases that were run, in order.
        trials: one a case, in the same order.
        controls: what each control came to; empty where none was run.
        notes: what a reader should know besides, a line each.
    """

    store: str
    suite: SuiteDescription
    settings: Mapping[str, Any]
    cases: tuple[Case, ...] = field(repr=False)
    trials: tuple[Trial, ...] = field(repr=False)
    controls: tuple[ControlResult, ...] = ()
    notes: tuple[str, ...] = ()
    made_with: Mapping[str, str] = field(default_factory=lambda: made_with())
    date: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))

    @property
    def title(self) -> str:
        """The name of the store, and of its hook where it has one."""
        hook = self.settings.get("hook")
        return f"{self.store} with {hook}" if hook else self.store

    @property
    def passed(self) -> int:
        """How many cases are passed."""
        return self.count("pass")

    @property
    def total(self) -> int:
        """How many cases were run."""
        return len(self.trials)

    @property
    def rate(self) -> Rate:
        """Passed cases of all; N/A and errors count as not passed, as in the paper's tables."""
        return self._rate(self.trials)

    def count(self, verdict: str) -> int:
        """How many trials have a verdict: pass, fail, na or error."""
        return sum(trial.verdict == verdict for trial in self.trials)

    def by_category(self) -> dict[str, Rate]:
        """Passed cases of each category, in the suite's order."""
        found: dict[str, list[Trial]] = {}
        for case, trial in self.pairs():
            found.setdefault(case.category, []).append(trial)
        return {category: self._rate(trials) for category, trials in found.items()}

    def facts(self) -> dict[str, Rate]:
        """What became of the facts: the rates `leak`, `collateral` and `stale`, of cases that say what has to become of
        each; empty where none does.

        `leak`: released or purged, but recalled. `collateral`: had to stay, but is gone. `stale`: replaced, but
        recalled.
        """
        judged = [(case, trial.verdict, trial.present) for case, trial in self.pairs()]
        rates = {}
        for measure, found in clusters(judged).items():
            if found:
                counted, facts = (sum(numbers) for numbers in zip(*found, strict=True))
                rates[measure] = Rate(counted, facts, *wilson_of_clusters(found))
        return rates

    def pairs(self) -> Iterator[tuple[Case, Trial]]:
        """Each case with its trial."""
        return zip(self.cases, self.trials, strict=True)

    def failures(self) -> list[tuple[Case, Trial]]:
        """The cases that are failed: `missing` and `leaked` of a trial say why, `recalled` what came."""
        return [(case, trial) for case, trial in self.pairs() if trial.verdict == "fail"]

    def errors(self) -> list[tuple[Case, Trial]]:
        """The cases in which the store broke; `error` and `traceback` of a trial say how."""
        return [(case, trial) for case, trial in self.pairs() if trial.verdict == "error"]

    def trial(self, case_id: str) -> tuple[Case, Trial]:
        """One case and its trial.

        Raises:
            UserError: where there is no such case.
        """
        for case, trial in self.pairs():
            if case.case_id == case_id:
                return case, trial
        raise UserError(f"{case_id}: no case of these results; `forgeteval show FILE` lists those that are failed")

    def table(self) -> str:
        """The table that `print(results)` shows."""
        from forgeteval.run.shown import table_lines

        return "\n".join(printable(line) for line in table_lines(self))

    def __str__(self) -> str:
        return self.table()

    def to_json(self) -> dict[str, Any]:
        """The whole of it, as `save` writes it; docs/results-json.md has the schema."""
        return {
            "schema_version": SCHEMA_VERSION,
            "store": self.store,
            "suite": asdict(self.suite),
            "settings": dict(self.settings),
            "made_with": dict(self.made_with),
            "date": self.date,
            "summary": {
                "passed": self.passed,
                "cases": self.total,
                "rate": self.rate.share,
                "interval": [self.rate.low, self.rate.high],
                "failed": self.count("fail"),
                "na": self.count("na"),
                "errors": self.count("error"),
                "by_category": {name: asdict(rate) for name, rate in self.by_category().items()},
                "facts": {name: asdict(rate) for name, rate in self.facts().items()},
            },
            "controls": [asdict(control) for control in self.controls],
            "notes": list(self.notes),
            "cases": [case.to_json() for case in self.cases],
            "trials": [asdict(trial) for trial in self.trials],
        }

    def save(self, path: str | Path) -> None:
        """Write the JSON, whole or not at all.

        Raises:
            UserError: where it cannot be written.
        """
        write_text(Path(path), json.dumps(self.to_json(), ensure_ascii=False, indent=1, allow_nan=False) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> "Results":
        """The results that `save` wrote.

        Raises:
            UserError: where it is not such a file, or a verdict is not what its case and its recalled texts give.
        """
        file = Path(path)
        if file.suffix == ".parquet" and file.is_file():
            raise UserError(f"{file}: a file of the study; {_IN_THE_STUDY}")
        told = read_object(file, f"`forgeteval run STORE --out {file}` writes it")
        if told.get("schema_version") != SCHEMA_VERSION or told["schema_version"] is True:
            raise UserError(f"{file}: not results of `forgeteval run`, or of another version than {SCHEMA_VERSION}")
        try:
            check_storable(told)
            told["suite"] = _known(SuiteDescription, told["suite"])
            for name, kind in (("trials", Trial), ("controls", ControlResult)):
                told[name] = [_known(kind, each) for each in told[name]]
            found = from_json(_Told, {each.name: told[each.name] for each in fields(_Told)})
            cases = tuple(case_from_json(case, found.suite.name, str(file)) for case in found.cases)
            _check_cases(cases, found.suite)
            cases = _as_run(cases, found.suite)
            _check_pairs(cases, found.trials, found.settings["k"])
            _check_controls(found.controls)
            made = cls(**{**{each.name: getattr(found, each.name) for each in fields(_Told)}, "cases": cases})
            _check_summary({**told.get("summary", {})}, made)
            return made
        except (KeyError, TypeError, ValueError) as error:
            raise UserError(f"{file}: not results of `forgeteval run` ({error!r:.200}); run again") from error

    def to_frame(self) -> Any:
        """The trials as a pandas data frame, one row each, with their categories (extra `pandas`)."""
        try:
            import pandas
        except ImportError as error:
            raise UserError(f"pandas is not installed; {extra('pandas')}") from error
        return pandas.DataFrame([{"category": case.category, **asdict(trial)} for case, trial in self.pairs()])

    @staticmethod
    def _rate(trials: Sequence[Trial]) -> Rate:
        passed = sum(trial.verdict == "pass" for trial in trials)
        return Rate(passed, len(trials), *wilson(passed, len(trials)))


@dataclass(frozen=True, slots=True)
class _Told:
    """The fields of `Results` as a file has them."""

    store: str
    suite: SuiteDescription
    settings: Mapping[str, Any]
    cases: list[dict[str, Any]]
    trials: tuple[Trial, ...]
    controls: tuple[ControlResult, ...]
    notes: tuple[str, ...]
    made_with: Mapping[str, str]
    date: str


def _known(kind: type[Any], told: Any) -> Any:
    """What a file says of a dataclass, without what a later version has added to it."""
    names = {each.name for each in fields(kind)}
    return {name: value for name, value in told.items() if name in names} if isinstance(told, dict) else told


def _check_summary(says: Mapping[str, Any], results: Results) -> None:
    """Raise ValueError where the summary, which other programs read, counts otherwise than the trials."""
    counted: dict[str, float] = {"passed": results.passed, "cases": results.total, "failed": results.count("fail")}
    counted |= {"na": results.count("na"), "errors": results.count("error")}
    counted["rate"] = results.rate.share
    for name, number in counted.items():
        if round(says.get(name, number), 6) != round(number, 6):
            raise ValueError(f"summary: {name} is {says[name]!r:.20}; its trials give {number}")
    by_category = results.by_category()
    for name, rate in {**says.get("by_category", {})}.items():
        of = by_category.get(name)
        if of is None or (rate["count"], rate["total"]) != (of.count, of.total):
            raise ValueError(f"summary: by_category: {name!r:.60} is not what its trials give")


def _check_cases(cases: Sequence[Case], suite: SuiteDescription) -> None:
    """Raise ValueError where these are not the cases, or not so many of them, that a result says it is about."""
    if not cases or len({case.case_id for case in cases}) < len(cases):
        raise ValueError("no case, or one twice")
    if suite.selected not in (None, len(cases)):
        raise ValueError(f"{len(cases)} cases, where it speaks of {suite.selected}")
    ours = packaged_suites().get(suite.name)
    if suite.version < 0 or (ours is not None and suite.version > ours.version):
        known = "from 0 up" if ours is None else f"up to {ours.version}"
        raise ValueError(f"version {suite.version} of suite {suite.name} is not known here, where they are {known}")
    for name in [each.name for each in packaged_suites().values() if each.sha256 == suite.sha256]:
        packaged_ids = {case.case_id for case in read_packaged(name)}
        strange = [case.case_id for case in cases if case.case_id not in packaged_ids]
        if strange or said_otherwise(cases, read_packaged(name)):
            raise ValueError(f"the cases are not those of suite {name}, whose checksum it gives")
    if ours is not None and ours.version == suite.version:
        packaged = {case.case_id: case.to_json() for case in read_packaged(suite.name)}
        if suite.sha256 != ours.sha256 or any(packaged.get(case.case_id) != case.to_json() for case in cases):
            raise ValueError(f"the cases are not those of suite {suite.name}")
    if suite.selected is None and cases_sha256(cases) != suite.sha256:
        raise ValueError(f"the cases are not those of suite {suite.name}: another checksum")


def _as_run(cases: tuple[Case, ...], suite: SuiteDescription) -> tuple[Case, ...]:
    """The cases of a suite of ours as the package has them: their states in the order in which trials tell of them."""
    ours = packaged_suites().get(suite.name)
    if ours is None or ours.version != suite.version:
        return cases
    packaged = {case.case_id: case for case in read_packaged(suite.name)}
    return tuple(packaged[case.case_id] for case in cases)


def _check_pairs(cases: Sequence[Case], trials: Sequence[Trial], k: Any) -> None:
    """Raise ValueError where the trials are not those of the cases, one each and in their order, or contradict them."""
    if type(k) is not int or k < 1:
        raise ValueError(f"k is {k!r:.80}, not a number of texts")
    if [case.case_id for case in cases] != [trial.case_id for trial in trials]:
        raise ValueError("the trials are of other cases")
    for case, trial in zip(cases, trials, strict=True):
        check_came(trial)
        states = case.states or ()
        is_judged = trial.verdict in ("pass", "fail")
        if len(trial.present) != len(states) and (trial.present or is_judged):
            raise ValueError(f"{case.case_id}: present says nothing of its states")
        if len(trial.recalled) > k:
            raise ValueError(f"{case.case_id}: {len(trial.recalled)} texts recalled where {k} were asked for")
        seen = [shows(trial.recalled, state.any_of) for state in states]
        if any(recalled > there for recalled, there in zip(seen, trial.present, strict=False)):
            raise ValueError(f"{case.case_id}: it recalls what is said to be gone")
        if is_judged and judge(trial.recalled, case) != _judgement(trial):
            raise ValueError(f"{case.case_id}: its recalled texts do not give the verdict {trial.verdict}")


def _check_controls(controls: Sequence[ControlResult]) -> None:
    for control in controls:
        if not 0 <= control.passed <= control.cases:
            raise ValueError(f"the control {control.name} passes {control.passed} of {control.cases} cases")


def _judgement(trial: Trial) -> Judgement:
    return Judgement("pass" if trial.verdict == "pass" else "fail", trial.missing, trial.leaked)


def made_with() -> dict[str, str]:
    """What a result depends on besides the store."""
    from forgeteval import __version__

    return {"forgeteval": __version__, "python": platform.python_version(), "platform": platform.platform(terse=True)}
