"""What stays of a row of several statements, and which row a time means. No embedder: words alone decide."""

import json
from pathlib import Path
from typing import Any

import pytest

from lethe.planners.matcher import Matcher
from lethe.planners.protocol import Choice, Edit, Matches, Replace
from tests.planners.matcher.test_probes import solved_or_known

PLANNER = Matcher()


def _probes(name: str) -> list[dict[str, Any]]:
    return [
        json.loads(line) for line in Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines() if line
    ]


@pytest.mark.parametrize(
    "probe",
    [
        pytest.param(probe, marks=solved_or_known(f"{probe['row']} {probe['query']}"))
        for probe in _probes("rest_probes.jsonl")
    ],
)
def test_what_is_not_outdated_stays(probe: dict[str, Any]) -> None:
    decision = PLANNER.supersede(probe["row"], probe["query"], probe["fact"])
    if not probe["stays"]:
        text = decision.text if isinstance(decision, Edit) else probe["fact"]
        assert isinstance(decision, Edit | Replace)
    else:
        assert isinstance(decision, Edit)
        text = decision.text
    assert text.startswith(probe["fact"])
    assert [said for said in probe["stays"] if said.lower() not in text.lower()] == []
    assert [said for said in probe["goes"] if said.lower() in text.lower()] == []


@pytest.mark.parametrize("probe", _probes("time_probes.jsonl"))
def test_the_row_of_the_time_that_is_asked_for(probe: dict[str, Any]) -> None:
    rows, request = probe["rows"], probe["request"]
    if probe["operation"] == "supersede":
        choice = PLANNER.choose(request, probe["fact"], rows)
        assert isinstance(choice, Choice)
        assert [choice.index] == probe["meant"]
        return
    decide = PLANNER.purge_match if probe["operation"] == "purge" else PLANNER.release_match
    matches = decide(request, rows)
    assert isinstance(matches, Matches)
    assert list(matches.indices) == probe["meant"]
