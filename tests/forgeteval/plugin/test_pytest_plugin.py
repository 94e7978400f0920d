"""The pytest plugin: a test for each case, on the command line and in a test file, with what a baseline knows."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from forgeteval import load_suite
from forgeteval.run.baseline import Baseline
from tests.support.paths import ROOT
from tests.support.plugin import LOADED, MODULE, STORE, SUITE, VERDICTS

pytest_plugins = ["pytester"]
SECONDS = ("0", "-1", "nan", "inf")
"""That are no time limit."""
ID = {
    "keeps-1": "forgeteval::cases::keeps::keeps-1",
    "keeps-2": "forgeteval::cases::keeps::keeps-2",
    "case 3": "forgeteval::cases::breaks::case 3",
    "case 4": "forgeteval::cases::not offered::case 4",
}
Run = Callable[..., pytest.RunResult]
FILE = """
import pytest


@pytest.fixture(scope="module")
def forgeteval_store():
    {store}


@pytest.mark.forgeteval(suite="cases.jsonl"{arguments})
def test_forgets(forgeteval_case):
    forgeteval_case.check()
"""


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs pytest in a folder with a store and a suite; a store's own process finds the package that is tested.

    No other plugin is loaded: each run imports its plugins anew.
    """
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(toy=STORE)
    (pytester.path / "cases.jsonl").write_text(SUITE, encoding="utf-8")

    def run(*arguments: str) -> pytest.RunResult:
        return pytester.runpytest_inprocess("-p", MODULE, *arguments)

    return run


@pytest.fixture
def on_cases(run: Run) -> Run:
    """Runs the toy store on the toy suite, without a file of tests."""
    return lambda *arguments: run("--forgeteval", "toy:Store", "--forgeteval-suite", "cases.jsonl", *arguments)


def write_baseline(folder: Path, changed: Mapping[str, str] | None = None) -> None:
    sha256 = load_suite(folder / "cases.jsonl").sha256
    told = {"baseline_version": 1, "suite": "cases", "sha256": sha256, "verdicts": {**VERDICTS, **(changed or {})}}
    (folder / "baseline.json").write_text(json.dumps(told), encoding="utf-8")


def test_each_case_is_a_test(on_cases: Run) -> None:
    result = on_cases("-v")
    result.assert_outcomes(passed=1, failed=2, skipped=1)
    result.stdout.fnmatch_lines([f"{ID['keeps-1']} PASSED*", f"{ID['keeps-2']} FAILED*", f"{ID['case 3']} FAILED*"])
    result.stdout.fnmatch_lines(["forgeteval: toy:Store on cases.jsonl"])
    result.stdout.fnmatch_lines(["forgeteval: toy:Store on cases: 1 of 4 cases passed, 1 failed, 1 N/A, 1 errors"])


RERUNNING = """
import pytest
from _pytest.runner import runtestprotocol


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    for again in (True, False):
        for report in runtestprotocol(item, nextitem=nextitem, log=False):
            report.outcome = "rerun" if again and report.failed else report.outcome
            item.ihook.pytest_runtest_logreport(report=report)
    return True


def pytest_report_teststatus(report):
    return ("rerun", "R", "RERUN") if report.outcome == "rerun" else None
"""
WITH_SUBTESTS = """
import pytest


@pytest.fixture(scope="module")
def forgeteval_store():
    return "toy:Store"


@pytest.mark.forgeteval(suite="cases.jsonl")
def test_forgets(forgeteval_case, subtests):
    with subtests.test("one"):
        trial = forgeteval_case.run()
    with subtests.test("two"):
        assert trial.verdict == "pass"
"""


def test_a_case_with_several_reports_is_counted_once(on_cases: Run, run: Run, pytester: pytest.Pytester) -> None:
    counted = ["forgeteval: toy:Store on cases: 1 of 4 cases passed, 1 failed, 1 N/A, 1 errors"]
    pytester.makepyfile(test_toy=WITH_SUBTESTS)
    run("test_toy.py").stdout.fnmatch_lines(counted)
    pytester.makeconftest(RERUNNING)
    on_cases("forgeteval::").stdout.fnmatch_lines(["*R*", *counted])


@pytest.mark.parametrize("where", [[], ["--forgeteval-in-process"]], ids=["isolated", "in process"])
def test_a_failed_case_says_why_without_a_traceback(on_cases: Run, where: list[str]) -> None:
    result = on_cases("-k", "keeps-2", *where)
    result.assert_outcomes(failed=1, deselected=3)
    result.stdout.fnmatch_lines(
        ["keeps-2 (keeps): fail", "  - Bo lives in Tartu.", "recalled:", "  - Ada lives in Ghent.", "missing: 'Tartu'"]
    )
    result.stdout.fnmatch_lines([f"FAILED {ID['keeps-2']} - CaseFailed: missing 'Tartu'*"])
    assert "pytest_plugin.py" not in result.stdout.str()


@pytest.mark.parametrize("where", [[], ["--forgeteval-in-process"]], ids=["isolated", "in process"])
def test_a_store_that_breaks_shows_its_own_traceback(on_cases: Run, where: list[str]) -> None:
    result = on_cases("-k", "breaks", *where)
    result.assert_outcomes(failed=1, deselected=3)
    result.stdout.fnmatch_lines(["error: RuntimeError:*", "*toy.py*in add*"])
    assert "\x1b[31mstore" not in result.stdout.str()


def test_a_case_that_the_store_cannot_express_is_skipped_with_the_reason(on_cases: Run) -> None:
    result = on_cases("-rs", "-k", "offered")
    result.assert_outcomes(skipped=1, deselected=3)
    result.stdout.fnmatch_lines(["SKIPPED*na: it has no words for this"])


def test_cases_stand_beside_the_tests_of_the_folder(on_cases: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_own="def test_own(): pass")
    on_cases().assert_outcomes(passed=2, failed=2, skipped=1)
    on_cases("-m", "forgeteval").assert_outcomes(passed=1, failed=2, skipped=1, deselected=1)
    on_cases("test_own.py", "-k", "own").assert_outcomes(passed=1, deselected=4)


@pytest.mark.parametrize(
    ("selected", "expected"),
    [
        ("forgeteval::", {"passed": 1, "failed": 2, "skipped": 1}),
        ("forgeteval::cases::keeps", {"passed": 1, "failed": 1}),
        ("forgeteval::cases::keeps::keeps-1", {"passed": 1}),
    ],
)
def test_an_id_on_the_command_line_selects(
    on_cases: Run, pytester: pytest.Pytester, selected: str, expected: dict[str, int]
) -> None:
    pytester.makepyfile(test_own="def test_own(): pass")
    on_cases(selected).assert_outcomes(**expected)


def test_an_id_that_no_case_has_is_a_mistake(on_cases: Run) -> None:
    result = on_cases("forgeteval::cases::keep")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: not found: forgeteval::cases::keep"])


def test_collecting_shows_the_ids_and_builds_no_store(on_cases: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(toy="raise RuntimeError('imported')")
    result = on_cases("--collect-only", "-q")
    assert [line for line in result.outlines if line.startswith("forgeteval::")] == list(ID.values())


def test_a_category_is_selected_by_an_option(on_cases: Run) -> None:
    on_cases("--forgeteval-category", "keeps").assert_outcomes(passed=1, failed=1)


def test_policies_are_chosen(on_cases: Run) -> None:
    result = on_cases("--forgeteval-policy", "purge=none", "-k", "keeps")
    result.assert_outcomes(skipped=2, deselected=2)


def test_the_last_failures_are_run_again(on_cases: Run) -> None:
    on_cases().assert_outcomes(passed=1, failed=2, skipped=1)
    on_cases("--lf").assert_outcomes(failed=2, deselected=2)


@pytest.mark.usefixtures("run")
def test_xdist_shares_the_cases(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    command = ["--forgeteval", "toy:Store", "--forgeteval-suite", "cases.jsonl", "-n", "2"]
    result = pytester.runpytest_subprocess(*LOADED, *command, "forgeteval::")
    result.assert_outcomes(passed=1, failed=2, skipped=1)
    result.stdout.fnmatch_lines(["forgeteval: toy:Store on cases: 1 of 4 cases passed, 1 failed, 1 N/A, 1 errors"])


def test_a_baseline_knows_the_failures(on_cases: Run, pytester: pytest.Pytester) -> None:
    write_baseline(pytester.path)
    result = on_cases("--forgeteval-baseline", "baseline.json", "-rx")
    result.assert_outcomes(passed=1, xfailed=2, skipped=1)
    assert result.ret == 0
    result.stdout.fnmatch_lines([f"XFAIL {ID['keeps-2']} - fail in the baseline*"])


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"keeps-2": "pass"}, {"passed": 1, "xfailed": 1, "failed": 1, "skipped": 1}),
        ({"case 3": "fail"}, {"passed": 1, "xfailed": 1, "failed": 1, "skipped": 1}),
        ({"case 4": "pass"}, {"passed": 1, "xfailed": 2, "failed": 1}),
        ({"keeps-1": "fail"}, {"xfailed": 2, "failed": 1, "skipped": 1}),
    ],
    ids=["a pass is lost", "a fail breaks", "a pass is N/A", "a pass is new"],
)
def test_what_differs_from_the_baseline_fails(
    on_cases: Run, pytester: pytest.Pytester, changed: dict[str, str], expected: dict[str, int]
) -> None:
    write_baseline(pytester.path, changed)
    on_cases("--forgeteval-baseline", "baseline.json").assert_outcomes(**expected)


def test_a_new_pass_may_be_let_through_and_is_seen(on_cases: Run, pytester: pytest.Pytester) -> None:
    write_baseline(pytester.path, {"keeps-1": "fail"})
    result = on_cases("--forgeteval-baseline", "baseline.json", "-o", "forgeteval_strict=false")
    result.assert_outcomes(xpassed=1, xfailed=2, skipped=1)
    assert result.ret == 0


def test_a_case_that_the_baseline_lacks_is_an_ordinary_test(on_cases: Run, pytester: pytest.Pytester) -> None:
    write_baseline(pytester.path)
    known = Baseline.read(pytester.path / "baseline.json")
    Baseline(known.suite, known.sha256, {"keeps-1": "pass"}).save(pytester.path / "baseline.json")
    on_cases("--forgeteval-baseline", "baseline.json").assert_outcomes(passed=1, failed=2, skipped=1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--forgeteval-suite", "nowhere"], "*suite 'nowhere': no such suite*"),
        (["--forgeteval-category", "sports"], "*category 'sports'*it has keeps, breaks, not offered"),
        (["--forgeteval-policy", "purge"], "*give OPERATION=POLICY*"),
        (["--forgeteval-policy=purge=none", "--forgeteval-policy=purge=all_hits"], "*purge has a policy already*"),
        *((["--forgeteval-timeout", text], "*case_timeout_s: * is no number of seconds above 0") for text in SECONDS),
        (["--forgeteval-baseline", "cases.jsonl"], "*cases.jsonl: cannot be read as JSON*"),
        (["--forgeteval-baseline", "other.json"], "*the baseline is of other cases (cases, 0000*"),
    ],
)
def test_a_mistake_is_a_line(on_cases: Run, pytester: pytest.Pytester, arguments: list[str], said: str) -> None:
    Baseline("cases", "0" * 64, {}).save(pytester.path / "other.json")
    result = on_cases(*arguments)
    result.stdout.fnmatch_lines([said])
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "Traceback" not in result.stdout.str()


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("Shop = 1", "the store cannot be built: toy:Store: toy has no Store*"),
        ("class Store: pass", "the store cannot be built: Store has no add and no search*"),
        ("class Store:\n    def __init__(self): self.connect()\n", "*'Store' object has no attribute 'connect'"),
        ("import os; os._exit(7)", "*its process exited with code 7*"),
    ],
    ids=["not there", "lacks methods", "raises", "exits"],
)
def test_a_store_that_cannot_be_built_fails_once(
    on_cases: Run, pytester: pytest.Pytester, module: str, said: str
) -> None:
    pytester.makepyfile(toy=module)
    result = on_cases("-rs")
    result.assert_outcomes(failed=1, skipped=3)
    result.stdout.fnmatch_lines([said])
    result.stdout.fnmatch_lines(["SKIPPED * not run: the store cannot be built"])


def test_a_store_in_this_process_that_raises_when_it_is_built_fails_once(
    on_cases: Run, pytester: pytest.Pytester
) -> None:
    pytester.makepyfile(toy="class Store:\n    def __init__(self): self.connect()\n")
    result = on_cases("--forgeteval-in-process")
    result.assert_outcomes(failed=1, skipped=3)
    result.stdout.fnmatch_lines(["*toy.py*in __init__", "AttributeError: 'Store' object has no attribute 'connect'"])


def test_a_store_that_hangs_is_given_up(on_cases: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(toy=STORE.replace("self.memories = []", "import time; time.sleep(60)"))
    result = on_cases("--forgeteval-timeout", "0.3", "-rs")
    result.assert_outcomes(failed=3, skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED*error: not run, after 3 cases in a row with: it hung*"])
    result.stdout.fnmatch_lines(["error: it hung for 0.3 s in reset"])


@pytest.mark.parametrize(
    "store", ['return "toy:Store"', "import toy; return toy.Store", "import toy; return toy.Store()"]
)
def test_a_fixture_returns_the_store(run: Run, pytester: pytest.Pytester, store: str) -> None:
    pytester.makepyfile(test_store=FILE.format(store=store, arguments=""))
    result = run("-v")
    result.assert_outcomes(passed=1, failed=2, skipped=1)
    result.stdout.fnmatch_lines(["test_store.py::test_forgets[[]keeps-1[]] PASSED*"])
    result.stdout.fnmatch_lines(["test_store.py::test_forgets[[]breaks-case 3[]] FAILED*"])
    result.stdout.fnmatch_lines(["forgeteval: *Store on cases: 1 of 4 cases passed, 1 failed, 1 N/A, 1 errors"])
    assert "pytest_plugin.py" not in re.sub("SKIPPED.*", "", result.stdout.str())


def test_the_fixture_may_use_others_which_end_after_the_store(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture(scope="module")
        def server():
            events = ["start"]
            yield events
            print(events + ["stop"])
        """
    )
    store = FILE.replace("forgeteval_store()", "forgeteval_store(server)").format(
        store="""
    import toy
    class Store(toy.Store):
        def __init__(self):
            server.append("built")
        def close(self):
            server.append("closed")
    return Store""",
        arguments=', categories=["keeps"]',
    )
    pytester.makepyfile(test_store=store)
    result = run("-s")
    result.assert_outcomes(passed=1, failed=1)
    assert "['start', 'built', 'closed', 'stop']" in result.stdout.str()


def test_a_mark_names_a_baseline_beside_the_file(run: Run, pytester: pytest.Pytester) -> None:
    folder = pytester.mkdir("deeper")
    for name in ("toy.py", "cases.jsonl"):
        (pytester.path / name).rename(folder / name)
    write_baseline(folder)
    text = FILE.format(store='return "toy:Store"', arguments=', baseline="baseline.json"')
    (folder / "test_store.py").write_text(text, encoding="utf-8")
    run().assert_outcomes(passed=1, xfailed=2, skipped=1)


def test_a_mark_says_how_the_store_is_run(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_store=FILE.format(store='return "toy:Store"', arguments=", k=1, policies={}, limit=2"))
    run().assert_outcomes(skipped=2)


def test_a_mark_with_another_argument_is_a_mistake(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_store=FILE.format(store='return "toy:Store"', arguments=", sweet=1"))
    result = run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*mark forgeteval: no argument 'sweet'; it takes suite, *"])


def test_a_second_argument_without_a_name_is_a_mistake(run: Run, pytester: pytest.Pytester) -> None:
    file = FILE.format(store='return "toy:Store"', arguments=", 5")
    pytester.makepyfile(test_store=file.replace("suite=", ""))
    run().stdout.fnmatch_lines(["*mark forgeteval: 5 has no name; only the suite goes without*"])


@pytest.mark.parametrize(
    ("argument", "outcome", "said"),
    [
        ("baseline=''", "errors", "*mark forgeteval: baseline: '' is no path of a file"),
        ("baseline=5", "errors", "*mark forgeteval: baseline: 5 is no path of a file"),
        ("limit=0", "errors", "*limit: 0 is no whole number from 1 on"),
        ("limit='x'", "errors", "*limit: 'x' is no whole number from 1 on"),
        ("k=0", "failed", "*mark forgeteval: k: 0 is no whole number from 1 on"),
        ("case_timeout_s='5'", "failed", "*mark forgeteval: case_timeout_s: '5' is no number of seconds above 0"),
        ("policies='none'", "failed", "*mark forgeteval: policies: 'none' does not map operations to policies"),
    ],
)
def test_a_mark_that_says_what_cannot_be_is_a_line(
    run: Run, pytester: pytest.Pytester, argument: str, outcome: str, said: str
) -> None:
    pytester.makepyfile(test_store=FILE.format(store='return "toy:Store"', arguments=f", {argument}"))
    result = run()
    assert result.parseoutcomes()[outcome] >= 1
    result.stdout.fnmatch_lines([said])
    assert "Traceback" not in result.stdout.str()


def test_an_empty_name_of_a_store_is_a_mistake_of_use(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_own="def test_own(): pass")
    assert run("--forgeteval", "").ret == pytest.ExitCode.USAGE_ERROR


@pytest.mark.parametrize(
    "option",
    ["baseline=b.json", "category=traps", "policy=purge=all_hits", "embedder=default", "timeout=9", "in-process"],
)
def test_an_option_of_no_store_is_a_mistake_of_use(run: Run, pytester: pytest.Pytester, option: str) -> None:
    pytester.makepyfile(test_own="def test_own(): pass")
    result = run(f"--forgeteval-{option}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    name = option.partition("=")[0]
    result.stderr.fnmatch_lines([f"ERROR: --forgeteval-{name}: no store is named; give it with --forgeteval STORE"])


def test_a_test_may_look_at_the_trial_itself(run: Run, pytester: pytest.Pytester) -> None:
    text = FILE.format(store='return "toy:Store"', arguments="").replace(
        "forgeteval_case.check()",
        'trial = forgeteval_case.run()\n    assert trial.verdict == "pass" or forgeteval_case.case.category != "keeps"',
    )
    pytester.makepyfile(test_store=text)
    run().assert_outcomes(passed=3, failed=1)


def test_without_the_option_nothing_is_imported(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_own="""
        import sys

        def test_own():
            found = [name for name in sys.modules if name.startswith(("forgeteval", "numpy", "yaml"))]
            assert found == ["forgeteval", "forgeteval.pytest_plugin"]
        """
    )
    command = [sys.executable, "-m", "pytest", "-p", MODULE]
    done = subprocess.run(command, env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}, check=False)
    assert done.returncode == 0


VECTORS = '''
import numpy as np


class Embedder:
    """Notes how many texts it is given at once."""

    dim = 2

    def embed(self, texts):
        with open("embedded", "a") as log:
            log.write(f"{len(texts)}\\n")
        return np.tile(np.float32([1, 0]), (len(texts), 1))
'''


@pytest.mark.parametrize(
    ("selected", "texts"), [([], 10), (["-k", "keeps"], 6)], ids=["all cases", "those that are selected"]
)
def test_the_texts_of_all_cases_are_embedded_at_once(
    on_cases: Run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, selected: list[str], texts: int
) -> None:
    monkeypatch.setenv("FORGETEVAL_CACHE", str(pytester.path / "cache"))
    pytester.makepyfile(vectors=VECTORS)
    asking = "memories = []\n\n    def __init__(self, embedder):\n        self.embed = embedder.embed\n\n    def reset"
    pytester.makepyfile(toy=STORE.replace("def reset", f"{asking}", 1))
    on_cases("--forgeteval-embedder", "vectors:Embedder", *selected)
    sizes = [int(line) for line in (pytester.path / "embedded").read_text().splitlines()]
    assert sizes == [texts]
