"""Annotations for GitHub: one line each, escaped, ten at most."""

import re

from forgeteval.run.formats.annotations import annotation_lines
from tests.forgeteval.run.formats.support import HOSTILE, each_verdict, hostile, make_case, make_results, make_trial

COMMAND = re.compile(r"::(error|notice) title=([^:,\r\n]*)::([^\r\n]*)")
"""A workflow command with one property, as the runner reads it."""


def test_errors_come_before_failures() -> None:
    assert list(annotation_lines(each_verdict())) == [
        "::error title=broke (others)%3A the store broke::KeyError: 7",
        "::error title=failed (traps)%3A failed::missing 'Tartu'; leaked 'Ghent'",
    ]


def test_a_run_without_failures_has_none() -> None:
    assert list(annotation_lines(make_results([make_trial(make_case("passed"), "pass")]))) == []


def test_the_rest_is_counted() -> None:
    trials = [make_trial(make_case(f"case-{number}"), "fail") for number in range(12)]
    *errors, rest = annotation_lines(make_results(trials))
    assert len(errors) == 10
    assert rest == "::notice title=ForgetEval mine::2 more of 12 cases are not passed"


def test_no_more_than_ten_have_no_rest() -> None:
    trials = [make_trial(make_case(f"case-{number}"), "fail") for number in range(10)]
    assert [line[:7] for line in annotation_lines(make_results(trials))] == ["::error"] * 10


def test_what_a_store_returns_is_no_command() -> None:
    lines = list(annotation_lines(hostile("error")))
    assert len(lines) == len(HOSTILE)
    assert all(COMMAND.fullmatch(line) for line in lines)


def test_percent_signs_come_through() -> None:
    (line,) = annotation_lines(make_results([make_trial(make_case("a,b:c%"), "error", error="100%: a,b")]))
    assert line == "::error title=a%2Cb%3Ac%25 (traps)%3A the store broke::100%25: a,b"


def test_what_a_case_is_called_does_not_act_on_a_terminal() -> None:
    (line,) = annotation_lines(make_results([make_trial(make_case("a\x1b[2J\u202e"), "fail")]))
    assert line.isprintable()
    assert "a\\x1b[2J" in line
