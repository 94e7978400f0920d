"""Records from JSON: nested dataclasses, tuples, unions, and fields that do not fit."""

import json
from dataclasses import asdict, dataclass
from typing import Literal

import pytest

from forgeteval.cases.history import Evidence, History, Operation, Question
from forgeteval.json_records import from_json

HISTORY = History(
    "h",
    (
        Operation("inscribe", None, "one", "row-1"),
        Question("q1", "p", "what?", "any", ("one",), evidence=(Evidence("a.value", "1"),), k=3),
        Operation("purge", "one", None),
        Question("q2", "p", "and now?", probes=(), gold_texts=("three",)),
    ),
)

Verdict = Literal["pass", "fail"]


@dataclass(frozen=True)
class Judged:
    """A union of each of the two kinds that Python has."""

    verdict: Verdict | None
    count: int | None


@pytest.mark.parametrize("fields", [{"verdict": "pass", "count": 1}, {"verdict": None, "count": None}])
def test_a_union_takes_each_of_its_types(fields: dict[str, object]) -> None:
    assert asdict(from_json(Judged, fields)) == fields


def test_a_union_takes_nothing_else() -> None:
    with pytest.raises(TypeError, match="'maybe' is not of the type"):
        from_json(Judged, {"verdict": "maybe", "count": 1})


def test_a_record_comes_out_as_it_went_in() -> None:
    assert from_json(History, json.loads(json.dumps(asdict(HISTORY)))) == HISTORY


@pytest.mark.parametrize("fields", [{"key": "a"}, {"key": "a", "value": "b", "more": 1}, {}])
def test_other_fields_are_refused(fields: dict[str, str]) -> None:
    with pytest.raises((KeyError, TypeError)):
        from_json(Evidence, fields)
