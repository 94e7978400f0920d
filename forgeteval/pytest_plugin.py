"""The pytest plugin: a test for each case of a suite.

On the command line, without a file:

    pytest --forgeteval my_store:MyStore --forgeteval-baseline baseline.json

Or in a test file, with a fixture that returns the store, which may use other fixtures:

    @pytest.fixture(scope="module")
    def forgeteval_store():
        return "my_store:MyStore"


    @pytest.mark.forgeteval(suite="adversarial", baseline="baseline.json")
    def test_forgets(forgeteval_case):
        forgeteval_case.check()

There, a store that is given by its name runs in a process of its own, with a time limit for each case; any other (a
class, a factory, an instance) runs in this one. Where neither is asked for, nothing is imported.
"""

import contextlib
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _pytest.outcomes import Failed

    from forgeteval.cases.case import Case
    from forgeteval.run.opened import OpenStore, RunOptions
    from forgeteval.run.trials import Trial

    OpenFor = Callable[[pytest.Item], OpenStore]
else:
    Failed = pytest.fail.Exception

ROOT = "forgeteval"
"""What the ids of the tests begin with that `--forgeteval` brings."""
WHICH = ("suite", "baseline", "categories", "limit", "data")
HOW = ("k", "policies", "hook", "embedder", "case_timeout_s")
"""Arguments of the mark `forgeteval`: which cases, and how the store is run; see `forgeteval.evaluate`."""
_CASE_TIMEOUT_S = 30.0
_LABEL, _VERDICT = "forgeteval", "forgeteval_verdict"
_OTHERS = {"fail": "failed", "na": "N/A", "error": "errors"}


class CaseFailed(Failed):
    """A store failed a case: why, and what was told, asked and recalled."""

    # Pytest's summary names its own outcomes without their module.
    __module__ = "builtins"


class CaseBroke(Failed):
    """A store broke in a case, or cannot be built: how, with the traceback."""

    __module__ = "builtins"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("forgeteval", "can a memory store be told to forget? (forgeteval)")
    add = group.addoption
    add("--forgeteval", metavar="STORE", help="test this store, module:Class or file.py:Class, case by case")
    add("--forgeteval-suite", metavar="NAME", default="adversarial", help="name, file or folder of cases")
    add("--forgeteval-baseline", metavar="FILE", help="what `forgeteval run --write-baseline` or `--out` wrote")
    add("--forgeteval-category", metavar="NAME", action="append", default=[], help="only this category; repeatable")
    add("--forgeteval-policy", metavar="OPERATION=POLICY", action="append", default=[], help="as of `forgeteval run`")
    add("--forgeteval-embedder", metavar="NAME", help="for a store that asks for one: default, or module:function")
    add("--forgeteval-timeout", metavar="SECONDS", type=float, help=f"for one case, by default {_CASE_TIMEOUT_S:g}")
    add("--forgeteval-in-process", action="store_true", help="no process of its own, no time limit: for debugging")
    parser.addini("forgeteval_strict", "a pass that the baseline does not have fails the run", "bool", default=True)


def pytest_configure(config: pytest.Config) -> None:
    arguments = ", ".join(f"{name}=..." for name in (*WHICH, *HOW))
    config.addinivalue_line("markers", f"forgeteval({arguments}): the cases of a test that asks for `forgeteval_case`")
    store = config.getoption("forgeteval")
    if store is not None:
        if not store:
            raise pytest.UsageError("--forgeteval: names no store; give module:Class or file.py:Class")
        config.pluginmanager.register(_CommandLine(config), "forgeteval-command-line")
        return
    for option in ("baseline", "category", "policy", "embedder", "timeout", "in-process"):
        if config.getoption(f"--forgeteval-{option}"):
            raise pytest.UsageError(f"--forgeteval-{option}: no store is named; give it with --forgeteval STORE")


def pytest_report_header(config: pytest.Config) -> str | None:
    store = config.getoption("forgeteval")
    return f"forgeteval: {store} on {config.getoption('forgeteval_suite')}" if store else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "forgeteval_case" in metafunc.fixturenames:
        given = _arguments(metafunc.definition)
        folder = metafunc.definition.path.parent
        suite = given.get("suite", metafunc.config.getoption("forgeteval_suite"))
        if isinstance(suite, str | Path) and (folder / suite).is_file():
            suite = folder / suite
        baseline = given.get("baseline")
        if baseline is not None:
            if not isinstance(baseline, str | Path) or not str(baseline).strip():
                raise pytest.Collector.CollectError(f"mark forgeteval: baseline: {baseline!r:.80} is no path of a file")
            baseline = folder / baseline
        which = (given.get("categories", ()), given.get("limit"), given.get("data"))
        found = _find_cases(metafunc.config, suite, baseline, *which)
        parameters = [pytest.param(known, id=known.label, marks=known.marks) for known in found]
        metafunc.parametrize("forgeteval_case", parameters, indirect=True)


def pytest_terminal_summary(terminalreporter: "pytest.TerminalReporter") -> None:
    # A test that is run again, or has subtests, has several reports.
    last: dict[tuple[str, str], str] = {}
    for report in (report for reports in terminalreporter.stats.values() for report in reports):
        of_case = getattr(report, "when", None) == "call" and report.outcome != "rerun"
        told = dict(report.user_properties) if of_case else {}
        if _VERDICT in told:
            last[str(told[_LABEL]), report.nodeid] = str(told[_VERDICT])
    counted: dict[str, Counter[str]] = {}
    for (label, _), verdict in last.items():
        counted.setdefault(label, Counter())[verdict] += 1
    for label, counts in counted.items():
        others = "".join(f", {counts[verdict]} {words}" for verdict, words in _OTHERS.items() if counts[verdict])
        terminalreporter.write_line(f"forgeteval: {label}: {counts['pass']} of {counts.total()} cases passed{others}")


@pytest.fixture(scope="module")
def _forgeteval_opened(forgeteval_store: Any) -> "Iterator[OpenFor]":
    """Builds the store once for each test function of a module, which may have options of its own."""
    from forgeteval.errors import UserError
    from forgeteval.run.opened import RunOptions

    opened: dict[str, _Once] = {}
    with contextlib.ExitStack() as ending:

        def open_for(item: pytest.Item) -> "OpenStore":
            function = item.nodeid.partition("[")[0]
            if function not in opened:
                how = {name: value for name, value in _arguments(item).items() if name in HOW}
                try:
                    options = RunOptions(isolated=isinstance(forgeteval_store, str), **how)
                except UserError as error:
                    raise CaseBroke(f"mark forgeteval: {error}", pytrace=False) from None
                opened[function] = _Once(forgeteval_store, options)
                ending.callback(opened[function].close)
            return opened[function].store(item)

        yield open_for


@pytest.fixture
def forgeteval_case(request: pytest.FixtureRequest, _forgeteval_opened: "OpenFor") -> "ForgetEvalCase":
    """A case, which `check` puts the store to that the fixture `forgeteval_store` returns."""
    return ForgetEvalCase(request.param, request.node, _forgeteval_opened)


@dataclass(frozen=True)
class _Known:
    """A case, and what the baseline says of it."""

    case: "Case"
    suite: str
    before: str | None
    strict: bool

    @property
    def label(self) -> str:
        """Its id, with its category where the id does not begin with that."""
        case_id, category = self.case.case_id, self.case.category
        return case_id if case_id.startswith(category) else f"{category}-{case_id}"

    @property
    def marks(self) -> list[pytest.MarkDecorator]:
        """A case that is not passed in the baseline is not expected to pass."""
        if self.before in (None, "pass"):
            return []
        raises = (CaseFailed, CaseBroke) if self.before == "error" else (CaseFailed,)
        reason = f"{self.before} in the baseline; once it passes, write the baseline anew"
        return [pytest.mark.xfail(reason=reason, raises=raises, strict=self.strict)]


class ForgetEvalCase:
    """A case for a test, and the store that is put to it.

    Attributes:
        case: the `forgeteval.Case`.
    """

    def __init__(self, known: _Known, item: pytest.Item, open_store: "OpenFor") -> None:
        self.case = known.case
        self._known, self._item, self._open_store = known, item, open_store

    def run(self) -> "Trial":
        """What the store does from an empty store on: `verdict`, `recalled`, `missing`, `leaked`, `error`."""
        from forgeteval.errors import UserError

        store = self._open_store(self._item)
        try:
            trial = store.trial(self.case, self._known.suite)
        except UserError as error:
            raise CaseBroke(str(error), pytrace=False) from None
        label = f"{store.label} on {self._known.suite}"
        self._item.user_properties += [(_LABEL, label), (_VERDICT, trial.verdict)]
        return trial

    def check(self) -> None:
        """Fail the test where the store fails the case or breaks; skip it where it cannot express an operation."""
        from forgeteval.run.formats.told import in_full, why
        from forgeteval.run.opened import NOT_RUN

        trial = self.run()
        if trial.verdict == "na" and self._known.before == "pass":
            raise CaseFailed(f"passed in the baseline, now N/A: {why(trial)}", pytrace=False)
        if trial.verdict == "na" or (trial.error or "").startswith(NOT_RUN):
            pytest.skip(f"{trial.verdict}: {why(trial)}")
        told = f"{why(trial)}\n\n{in_full(self.case, trial)}"
        if trial.verdict == "error":
            raise CaseBroke(told, pytrace=False)
        if trial.verdict == "fail":
            raise CaseFailed(told, pytrace=False)


class _Once:
    """A store that is built when the first case wants it."""

    def __init__(self, store: Any, options: "RunOptions") -> None:
        self._wanted, self._options = store, options
        self._stack = contextlib.ExitStack()
        self._store: OpenStore | None = None
        self._broke = False

    def close(self) -> None:
        """End the store, if it was built."""
        self._stack.close()

    def store(self, item: pytest.Item) -> "OpenStore":
        """The store for a test; the first fails where it cannot be built, and the others are skipped."""
        if self._broke:
            pytest.skip("not run: the store cannot be built")
        if self._store is None:
            self._store = self._built(_cases_of(item.session))
        return self._store

    def _built(self, cases: "Sequence[Case]") -> "OpenStore":
        from forgeteval.errors import UserError, printable
        from forgeteval.run.isolated import CannotBuild, StoreBroke
        from forgeteval.run.opened import open_store

        try:
            return self._stack.enter_context(open_store(self._wanted, self._options, cases))
        except (UserError, StoreBroke) as error:
            told = str(error)
        except CannotBuild as error:
            told = f"{error}\n{error.traceback}"
        except Exception:  # noqa: BLE001 - whatever a measured system raises
            told = traceback.format_exc()
        self._broke = True
        lines = [printable(line) for line in f"the store cannot be built: {told}".splitlines()]
        raise CaseBroke("\n".join(lines), pytrace=False)


class _CommandLine:
    """Brings the cases of `--forgeteval`."""

    def __init__(self, config: pytest.Config) -> None:
        # Pytest would look for files of these names.
        self._selected = [argument for argument in config.args if argument.startswith(f"{ROOT}::")]
        config.args[:] = [argument for argument in config.args if argument not in self._selected]

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        found = list(session.genitems(_Root.from_parent(session, name=ROOT, nodeid=ROOT)))
        for selected in self._selected:
            if not any(_is_below(item, selected) for item in found):
                raise pytest.UsageError(f"not found: {selected}")
        items.extend(
            item
            for item in found
            if not self._selected or any(_is_below(item, selected) for selected in self._selected)
        )


class _Root(pytest.Collector):
    """All cases of `--forgeteval`, by suite and category."""

    def collect(self) -> Iterator["_Group"]:
        option = self.config.getoption
        which = (option("forgeteval_suite"), option("forgeteval_baseline"), option("forgeteval_category"))
        found = _find_cases(self.config, *which)
        once = _Once(option("forgeteval"), self._options())
        self.config.add_cleanup(once.close)
        yield _Group.from_parent(self, name=found[0].suite, known=found, once=once)

    def _options(self) -> "RunOptions":
        from forgeteval.errors import UserError
        from forgeteval.run.opened import RunOptions, parse_policies

        option = self.config.getoption
        seconds = option("forgeteval_timeout")
        try:
            return RunOptions(
                policies=parse_policies(option("forgeteval_policy")),
                embedder=option("forgeteval_embedder"),
                isolated=not option("forgeteval_in_process"),
                case_timeout_s=_CASE_TIMEOUT_S if seconds is None else seconds,
            )
        except UserError as error:
            raise self.CollectError(str(error)) from None


class _Group(pytest.Collector):
    """The cases of a suite, in groups by category; or those of a category."""

    def __init__(self, *, known: Sequence[_Known], once: _Once, category: str | None = None, **node: Any) -> None:
        super().__init__(**node)
        self._known, self._once, self._category = known, once, category

    def collect(self) -> Iterator["_Group | _Test"]:
        if self._category is not None:
            for known in self._known:
                yield _Test.from_parent(self, name=known.case.case_id, known=known, once=self._once)
            return
        for category in dict.fromkeys(known.case.category for known in self._known):
            within = [known for known in self._known if known.case.category == category]
            yield _Group.from_parent(self, name=category, category=category, known=within, once=self._once)


class _Test(pytest.Item):
    def __init__(self, *, known: _Known, once: _Once, **node: Any) -> None:
        super().__init__(**node)
        self.known = known
        self._case = ForgetEvalCase(known, self, once.store)
        for mark in (pytest.mark.forgeteval, *known.marks):
            self.add_marker(mark)

    def runtest(self) -> None:
        self._case.check()

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.nodeid


def _cases_of(session: pytest.Session) -> "list[Case]":
    """The cases that this process is about to run, whose texts may be embedded at once; none where xdist shares them
    out."""
    if hasattr(session.config, "workerinput"):
        return []
    parameters = (getattr(item, "callspec", None) for item in session.items)
    known = [parameter.params.get("forgeteval_case") for parameter in parameters if parameter is not None]
    known += [item.known for item in session.items if isinstance(item, _Test)]
    return [each.case for each in known if each is not None]


def _is_below(item: pytest.Item, selected: str) -> bool:
    return f"{item.nodeid}::".startswith(f"{selected.rstrip(':')}::")


def _arguments(item: pytest.Item) -> Mapping[str, Any]:
    """What the mark `forgeteval` of a test says."""
    mark = item.get_closest_marker("forgeteval")
    given = {} if mark is None else {**dict(zip(("suite",), mark.args, strict=False)), **mark.kwargs}
    if mark is not None and len(mark.args) > 1:
        raise pytest.Collector.CollectError(
            f"mark forgeteval: {mark.args[1]!r:.80} has no name; only the suite goes without: limit=..., baseline=..."
        )
    for name in given:
        if name not in (*WHICH, *HOW):
            raise pytest.Collector.CollectError(
                f"mark forgeteval: no argument {name!r}; it takes {', '.join((*WHICH, *HOW))}"
            )
    return given


def _find_cases(
    config: pytest.Config,
    suite: Any,
    baseline: str | Path | None,
    categories: Sequence[str] = (),
    limit: int | None = None,
    data: Path | None = None,
) -> list[_Known]:
    """The cases that are asked for; a mistake is a line of the collection's report."""
    from forgeteval.cases.library import load_suite
    from forgeteval.errors import UserError
    from forgeteval.run.baseline import Baseline
    from forgeteval.run.opened import select_cases

    strict = bool(config.getini("forgeteval_strict"))
    try:
        loaded = load_suite(suite, data)
        before: Mapping[str, str] = {}
        if baseline is not None:
            known = Baseline.read(baseline)
            known.check_suite(loaded.name, loaded.sha256, loaded)
            before = known.verdicts
        cases = select_cases(loaded, categories, limit)
    except UserError as error:
        raise pytest.Collector.CollectError(str(error)) from None
    return [_Known(case, loaded.name, before.get(case.case_id), strict) for case in cases]
