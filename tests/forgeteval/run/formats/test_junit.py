"""JUnit XML: a suite a category, a case a case, valid whatever a store returns."""

from typing import get_args
from xml.etree.ElementTree import fromstring

import pytest

from forgeteval.run.formats.junit import junit_xml
from forgeteval.run.trials import Verdict
from tests.forgeteval.run.formats.support import HOSTILE, each_verdict, hostile


def test_a_category_is_a_suite_and_a_case_a_case() -> None:
    root = fromstring(junit_xml(each_verdict()))
    assert [(suite.tag, suite.attrib["name"]) for suite in root] == [("testsuite", "traps"), ("testsuite", "others")]
    cases = [(case.attrib["classname"], case.attrib["name"], case.attrib["time"]) for case in root.iter("testcase")]
    assert cases == [
        ("mine.traps", "passed", "1.500"),
        ("mine.traps", "failed", "1.500"),
        ("mine.others", "broke", "1.500"),
        ("mine.others", "not offered", "1.500"),
    ]


def test_counts_are_of_the_whole_and_of_each_suite() -> None:
    root = fromstring(junit_xml(each_verdict()))
    counted = [[element.attrib[name] for name in ("tests", "failures", "errors", "time")] for element in (root, *root)]
    assert counted == [["4", "1", "1", "6.000"], ["2", "1", "0", "3.000"], ["2", "0", "1", "3.000"]]
    # The whole has no attribute for it in the schema that Jenkins holds a file to.
    assert [element.attrib.get("skipped") for element in (root, *root)] == [None, "0", "1"]


def test_what_is_not_passed_says_why() -> None:
    passed, failed, broke, skipped = fromstring(junit_xml(each_verdict())).iter("testcase")
    assert list(passed) == []
    assert [(child.tag, child.attrib["message"]) for child in (*failed, *broke, *skipped)] == [
        ("failure", "missing 'Tartu'; leaked 'Ghent'"),
        ("error", "KeyError: 7"),
        ("skipped", "it cannot delete"),
    ]
    assert "recalled:\n  - Ada lives in Ghent." in (failed[0].text or "")
    assert "Traceback:\n    KeyError: 7" in (broke[0].text or "")


@pytest.mark.parametrize("verdict", get_args(Verdict))
def test_it_is_valid_whatever_a_store_returns(verdict: Verdict) -> None:
    root = fromstring(junit_xml(hostile(verdict)))
    assert len(list(root.iter("testcase"))) == len(HOSTILE)
    assert {element.tag for element in root.iter()} <= {
        "testsuites", "testsuite", "testcase", "failure", "error", "skipped",
    }  # fmt: skip


def test_it_is_written_in_utf_8_as_it_says() -> None:
    content = junit_xml(each_verdict()).replace("Tartu", "Тарту").encode("utf-8")
    assert content.startswith(b'<?xml version="1.0" encoding="utf-8"?>\n<testsuites ')
    assert "Тарту" in fromstring(content)[0][1][0].attrib["message"]
