"""What was found: the lines that open the README too, from the tables of this run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forgeteval.errors import UserError
from lethe.findings.lines import TOPICS, line_of
from lethe.tables.table import Table


@dataclass(frozen=True, slots=True)
class Finding:
    """A line of the page.

    Attributes:
        tables: names of those that it follows from.
    """

    topic: str
    text: str
    tables: Sequence[str]


def findings(tables: Mapping[str, Table]) -> list[Finding]:
    """The lines of `forgeteval findings`; one that this run lacks something for says what.

    Args:
        tables: by name.
    """
    shown = {topic: [name for name in needed if name in tables] for topic, needed in TOPICS.items()}
    return [Finding(topic, _text(topic, tables), names) for topic, names in shown.items()]


def _text(topic: str, tables: Mapping[str, Table]) -> str:
    try:
        return line_of(topic, tables, partial=True).replace(" %", "\N{NO-BREAK SPACE}%")
    except UserError as error:
        return f"This run does not say: {error}."
