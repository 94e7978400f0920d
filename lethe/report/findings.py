"""What was found: the findings that the README has too, from the rows of this run."""

from collections.abc import Container
from dataclasses import replace

from forgeteval.errors import UserError
from lethe.findings.lines import TOPICS, Finding, finding
from lethe.findings.numbers import Numbers


def findings(numbers: Numbers, tables: Container[str]) -> list[Finding]:
    """The findings; one that this run lacks something for says what.

    Args:
        tables: names of those on the page.
    """
    found = [_finding(topic, numbers) for topic in TOPICS]
    return [
        replace(
            each,
            claim=_whole(each.claim),
            details=[_whole(detail) for detail in each.details],
            tables=[name for name in each.tables if name in tables],
        )
        for each in found
    ]


def _finding(topic: str, numbers: Numbers) -> Finding:
    try:
        return finding(topic, numbers, partial=True)
    except UserError as error:
        return Finding(topic, f"This run does not say: {error}.", [], "", [])


def _whole(sentence: str) -> str:
    """A number and its sign of percent stay on one line."""
    return sentence.replace(" %", "\N{NO-BREAK SPACE}%")
