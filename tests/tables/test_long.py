"""The table of the long histories: who competes in it."""

from typing import Any

import pytest

from lethe.study.setup import Long
from lethe.tables.beyond.long import long_table
from lethe.tables.table import Table
from tests.support.tables import configurations, setup

SYSTEMS = configurations(
    {name: {"label": name.title(), "regime": "deterministic"} for name in ("sure", "slow", "breaking")}
)
SETUP = setup(SYSTEMS, long=Long(10, [10], list(SYSTEMS), {}))


def rows(name: str, recall: float, *more: str) -> list[dict[str, Any]]:
    common = {"system": name, "model": "", "k": 10, "cut": "overall", "value": "all", "low": 0.1, "high": 0.9}
    return [{**common, "measure": measure, "rate": recall, "facts": 20, "counted": 3} for measure in ("recall", *more)]


def made(*given: list[dict[str, Any]]) -> Table:
    return long_table([row for own in given for row in own], SETUP)


def best(table: Table) -> list[str]:
    return [row[0].text for row in table.rows() if any(cell.bold for cell in row)]


@pytest.mark.parametrize(("odd", "said"), [("broken", "broke (error)"), ("joined", "several stand in one text")])
def test_who_broke_or_joins_memories_is_not_the_best(odd: str, said: str) -> None:
    assert best(made(rows("sure", 0.6), rows("slow", 0.5), rows("breaking", 0.9))) == ["Breaking"]
    table = made(rows("sure", 0.6), rows("slow", 0.5), rows("breaking", 0.9, odd))
    assert best(table) == ["Sure"]
    assert any(note.startswith("Breaking: 3 of 20 questions ") and said in note for note in table.notes)
