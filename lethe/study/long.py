"""What was there when the long histories asked: by k, by age of the mutation, by number of mutations, by store size."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from forgeteval.scoring.scorers import identifier_contains
from lethe.parquet import Row
from lethe.schemas import ALL
from lethe.study.frames import cluster_rates, frame
from lethe.study.joining import Told

_SYSTEM, _QUESTION = ("system", "model"), ("history", "question_id")
_ANSWER = (*_SYSTEM, *_QUESTION)
MEASURES: Mapping[str, tuple[tuple[str, ...], bool, bool]] = {
    "recall": (("current",), True, True),
    "leak": (("released", "purged"), True, False),
    "answered_leak": (("released", "purged"), True, True),
    "stale": (("replaced",), True, False),
    "answered_stale": (("replaced",), True, True),
    "collateral": (("current",), False, False),
    "came_back": (("fed_again",), True, False),
    "past": (("past",), True, True),
}
"""Each rate: why its memories are asked for; whether those count that are there, or those that are not; and whether the
question alone has to bring them back, or their own text may."""
BROKEN = "broken"
"""The share of questions whose answer is an error, of a configuration that has such answers."""
JOINED = "joined"
"""The share of questions whose answer holds more than k memories (`lethe.study.joining`), of a configuration that has
such answers."""
_HOLDING = ("current", "past")
"""Why a memory is asked for that has to be there."""
AGES = ((2, "0–2"), (9, "3–9"), (24, "10–24"), (10**9, "25 and more"))
MUTATIONS = ((15, "1–15"), (30, "16–30"), (10**9, "31 and more"))
SIZES = ((499, "below 500"), (999, "500–999"), (10**9, "1000 and more"))
"""Parts: the largest number of each, and its name."""


def long_rows(events: Iterable[Row], answers: Iterable[Row]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.LONG_SCORES`; the events of a history in their order.

    An answer that is an error brought nothing back: it counts against the rates of what has to be there. Of what has to
    be gone it says nothing, and counts in no rate of that.
    """
    events = list(events)
    asked = {_of(row, _QUESTION): row for row in events if row["question_id"] is not None}
    told = [answer for answer in answers if _of(answer, _QUESTION) in asked]
    joined = _joined(events, told)
    found = [
        _row(answer, measure, counted)
        for answer in told
        for measure, counted in _counted(asked[_of(answer, _QUESTION)]["anchors"], answer)
    ]
    for measure, flags in (
        (BROKEN, [answer["error"] is not None for answer in told]),
        (JOINED, [_of(answer, _ANSWER) in joined for answer in told]),
    ):
        odd = {_of(answer, _SYSTEM) for answer, flag in zip(told, flags, strict=True) if flag}
        pairs = zip(told, flags, strict=True)
        found += [_row(answer, measure, [flag]) for answer, flag in pairs if _of(answer, _SYSTEM) in odd]
    parts = [part for question in asked.values() for part in _parts(question)]
    counts = frame(found, *_SYSTEM, *_QUESTION, "measure", "counted", "facts").merge(
        frame(parts, *_QUESTION, "k", "cut", "value"), on=list(_QUESTION)
    )
    by = [*_SYSTEM, "k", "cut", "value", "measure"]
    return cluster_rates(counts, by, "history", "histories")


def _joined(events: Iterable[Row], answers: Iterable[Row]) -> set[tuple[Any, ...]]:
    """The answers that hold more than k of the memories told before the question."""
    given, told = defaultdict[Any, list[Row]](list), defaultdict[str, Told](Told)
    for answer in answers:
        given[_of(answer, _QUESTION)].append(answer)
    joined = set[tuple[Any, ...]]()
    for event in events:
        memories = told[event["history"]]
        if event["question_id"] is None and event["text"]:
            memories.add(event["text"])
        elif event["question_id"] is not None:
            own = given[_of(event, _QUESTION)]
            joined |= {_of(answer, _ANSWER) for answer in own if memories.are_joined(answer["recalled"], event["k"])}
    return joined


def _counted(anchors: Sequence[Mapping[str, Any]], answer: Row) -> Iterator[tuple[str, list[bool]]]:
    """Each measure with whether it counts each of its memories; none that has no memory."""
    if answer["error"] is None:
        found, present = [_found(answer["recalled"], anchor) for anchor in anchors], answer["present"]
    else:
        anchors = [anchor for anchor in anchors if anchor["role"] in _HOLDING]
        found = present = [False] * len(anchors)
    for measure, (roles, there, by_question) in MEASURES.items():
        shown = zip(anchors, found if by_question else present, strict=True)
        counted = [flag is there for anchor, flag in shown if anchor["role"] in roles]
        if counted:
            yield measure, counted


def _row(answer: Row, measure: str, counted: Sequence[bool]) -> dict[str, Any]:
    key = {name: answer[name] for name in _ANSWER}
    return {**key, "measure": measure, "counted": sum(counted), "facts": len(counted)}


def _of(row: Row, names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)


def _found(recalled: Sequence[str], anchor: Mapping[str, Any]) -> bool:
    return any(identifier_contains(text, wording) for text in recalled for wording in anchor["any_of"])


def _parts(question: Row) -> list[Row]:
    """The parts of the histories that a question is counted under."""
    parts = [
        ("overall", ALL),
        ("kind", question["kind"]),
        ("mutations", _bucket(question["mutations"], MUTATIONS)),
        ("stored", _bucket(question["stored"], SIZES)),
    ]
    if question["since_mutations"] is not None:
        parts.append(("age", _bucket(question["since_mutations"], AGES)))
    asked = {name: question[name] for name in (*_QUESTION, "k")}
    return [{**asked, "cut": cut, "value": value} for cut, value in parts]


def _bucket(number: int, buckets: Sequence[tuple[int, str]]) -> str:
    return next(name for largest, name in buckets if number <= largest)
