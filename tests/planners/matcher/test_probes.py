"""The probes: requests and rows written for these tests from the categories' descriptions, in other styles."""

import json
from pathlib import Path
from typing import Any

import pytest

from lethe.planners.matcher import Matcher
from lethe.planners.protocol import Edit, Matches, Replace
from tests.planners.matcher.clause_probes import CLAUSES
from tests.planners.matcher.identity_probes import IDENTITY
from tests.planners.matcher.scope_probes import SCOPE
from tests.planners.matcher.script_probes import SCRIPTS
from tests.planners.matcher.width_probes import WIDTH

PLANNER = Matcher()
UNSOLVED = set(Path(__file__).with_name("unsolved.txt").read_text(encoding="utf-8").splitlines())
"""Requests of probes that the rules do not solve: docs/matcher.md says why."""


def probes(name: str) -> list[dict[str, Any]]:
    """The probes of a JSON Lines file beside this one."""
    return [json.loads(line) for line in Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()]


NOTATIONS = [(probe["request"], probe["meant"], probe["others"]) for probe in probes("notation_probes.jsonl")]
"""Requests by identifiers of many notations, with rows that mean the same and look-alikes."""
IDENTIFIERS = [
    (probe["operation"], probe["request"], probe["meant"], probe["others"])
    for name in ("identifier_probes.jsonl", "thing_probes.jsonl")
    for probe in probes(name)
]
"""Requests by identifiers, short names and words, with rows that have longer or other ones; and for things, states and
times."""


def solved_or_known(name: str) -> pytest.MarkDecorator | tuple[()]:
    return pytest.mark.xfail(strict=True, reason="docs/matcher.md") if name in UNSOLVED else ()


def positions(decision: object) -> set[int]:
    return set(decision.indices) if isinstance(decision, Matches) else set()


@pytest.mark.parametrize(
    ("request_", "meant", "others"),
    [pytest.param(*probe, marks=solved_or_known(probe[0])) for probe in [*IDENTITY, *NOTATIONS]],
)
def test_an_identifier_is_found_however_it_is_written(request_: str, meant: list[str], others: list[str]) -> None:
    assert positions(PLANNER.purge_match(request_, [*meant, *others])) == set(range(len(meant)))


@pytest.mark.parametrize(
    ("operation", "request_", "meant", "others"),
    [pytest.param(*probe, marks=solved_or_known(probe[1])) for probe in [*SCOPE, *WIDTH, *SCRIPTS, *IDENTIFIERS]],
)
def test_a_request_is_as_wide_as_it_says(operation: str, request_: str, meant: list[str], others: list[str]) -> None:
    decide = PLANNER.purge_match if operation == "purge" else PLANNER.release_match
    assert positions(decide(request_, [*meant, *others])) == set(range(len(meant)))


@pytest.mark.parametrize(
    ("row", "query", "new_fact", "stays", "goes"),
    [pytest.param(*probe, marks=solved_or_known(probe[1])) for probe in CLAUSES],
)
def test_one_statement_of_a_row_is_replaced(row: str, query: str, new_fact: str, stays: str, goes: str) -> None:
    decision = PLANNER.supersede(row, query, new_fact)
    if not stays:
        assert isinstance(decision, Replace)
        return
    assert isinstance(decision, Edit)
    assert decision.text.startswith(new_fact)
    assert stays.lower() in decision.text.lower()
    assert not goes or goes.lower() not in decision.text.lower()
    assert decision.text.endswith(".")
