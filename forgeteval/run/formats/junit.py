"""JUnit XML: a suite for each category, a case for each case."""

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from forgeteval.cases.case import Case
from forgeteval.errors import printable
from forgeteval.run.formats.told import in_full, why
from forgeteval.run.results import Results
from forgeteval.run.trials import Trial

_ELEMENTS = {"fail": "failure", "error": "error", "na": "skipped"}
_COUNTS = {"failures": "fail", "errors": "error"}
Pairs = Sequence[tuple[Case, Trial]]


def junit_xml(results: Results) -> str:
    """The results as JUnit XML, without characters that XML cannot hold."""
    root = _suite("testsuites", f"ForgetEval {results.suite.name}: {results.store}", list(results.pairs()))
    for category in results.by_category():
        pairs = [(case, trial) for case, trial in results.pairs() if case.category == category]
        suite = _suite("testsuite", category, pairs)
        suite.set("skipped", str(sum(trial.verdict == "na" for _, trial in pairs)))
        suite.set("timestamp", printable(results.date))
        root.append(suite)
        for case, trial in pairs:
            suite.append(_case(f"{results.suite.name}.{category}", case, trial))
    indent(root, " ")
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _suite(tag: str, name: str, pairs: Pairs) -> Element:
    counts = {
        attribute: str(sum(trial.verdict == verdict for _, trial in pairs)) for attribute, verdict in _COUNTS.items()
    }
    seconds = sum(_seconds(trial) for _, trial in pairs)
    return Element(tag, {"name": printable(name), "tests": str(len(pairs)), **counts, "time": f"{seconds:.3f}"})


def _case(classname: str, case: Case, trial: Trial) -> Element:
    element = Element(
        "testcase",
        {"classname": printable(classname), "name": printable(case.case_id), "time": f"{_seconds(trial):.3f}"},
    )
    if trial.verdict != "pass":
        told = SubElement(element, _ELEMENTS[trial.verdict], {"message": why(trial)})
        if trial.verdict != "na":
            told.set("type", trial.verdict)
            told.text = in_full(case, trial)
    return element


def _seconds(trial: Trial) -> float:
    return (trial.inscribe_ms + trial.mutate_ms + trial.recall_ms) / 1000
