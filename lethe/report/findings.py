"""What was found: the lines that open the README too, from the rows of this run."""

from collections.abc import Container, Sequence
from dataclasses import dataclass

from forgeteval.errors import UserError
from lethe.findings.lines import TOPICS, line_of
from lethe.findings.numbers import Numbers


@dataclass(frozen=True, slots=True)
class Finding:
    """A line of the page.

    Attributes:
        tables: names of those that show its numbers.
    """

    topic: str
    text: str
    tables: Sequence[str]


def findings(numbers: Numbers, tables: Container[str]) -> list[Finding]:
    """The lines of `forgeteval findings`; one that this run lacks something for says what.

    Args:
        tables: names of those on the page.
    """
    shown = {topic: [name for name in names if name in tables] for topic, names in TOPICS.items()}
    return [Finding(topic, _text(topic, numbers), names) for topic, names in shown.items()]


def _text(topic: str, numbers: Numbers) -> str:
    try:
        return line_of(topic, numbers, partial=True).replace(" %", "\N{NO-BREAK SPACE}%")
    except UserError as error:
        return f"This run does not say: {error}."
