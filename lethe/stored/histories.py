"""Long histories as Parquet, one row an event."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from forgeteval.cases.history import Anchor, Operation, Question
from forgeteval.cases.long.generate import LongEvent, LongHistory, generate_histories
from forgeteval.cases.long.material import read_material
from forgeteval.cases.long.questions import Asked, Kind
from lethe.parquet import Row, Rows, read_rows
from lethe.schemas import LONG_EVENTS

_NOT_ASKED = dict.fromkeys(
    ("question_id", "kind", "k", "since_mutations", "since_events", "mutations", "stored", "anchors")
)


def long_rows(folder: str, seed: int, histories: int, ks: Sequence[int]) -> Rows:
    """The histories that are generated from the material of a folder."""
    return {"events": (LONG_EVENTS, event_rows(generate_histories(read_material(Path(folder)), seed, histories, ks)))}


def event_rows(histories: Sequence[LongHistory]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.LONG_EVENTS`."""
    return [
        {"history": history.name, "position": position, "day": one.day, "why": one.why, **_columns(one.event)}
        for history in histories
        for position, one in enumerate(history.events)
    ]


def read_long(path: Path) -> list[LongHistory]:
    """The histories of a file of events, in order.

    Raises:
        UserError: where it is missing or of another kind.
    """
    return long_from_rows(read_rows(path, LONG_EVENTS))


def long_texts(events: Path) -> dict[str, list[str]]:
    """The texts of the long histories, for `lethe.jobs.embed_job`."""
    return {"vectors": [text for history in read_long(events) for text in history.to_history().texts()]}


def long_from_rows(rows: Sequence[Row]) -> list[LongHistory]:
    """The reverse of `event_rows`."""
    events: dict[str, list[LongEvent]] = {}
    for row in rows:
        events.setdefault(row["history"], []).append(LongEvent(row["day"], row["why"], _event(row)))
    return [LongHistory(name, tuple(own)) for name, own in events.items()]


def _columns(event: Operation | Asked) -> dict[str, Any]:
    if isinstance(event, Operation):
        return {"op": event.op, "query": event.query, "text": event.text, **_NOT_ASKED}
    question = event.question
    anchors = [
        {"text": anchor.text, "any_of": list(anchor.any_of), "role": role}
        for anchor, role in zip(question.anchors or (), event.roles, strict=True)
    ]
    counted = ("kind", "since_mutations", "since_events", "mutations", "stored")
    asked = {"question_id": question.question_id, "k": question.k, "anchors": anchors}
    return {
        "op": None,
        "query": question.text,
        "text": None,
        **asked,
        **{name: getattr(event, name) for name in counted},
    }


def _event(row: Row) -> Operation | Asked:
    if row["op"] is not None:
        return Operation(row["op"], row["query"], row["text"])
    anchors = row["anchors"]
    question = Question(
        row["question_id"],
        row["kind"],
        row["query"],
        k=row["k"],
        gold_texts=tuple(anchor["text"] for anchor in anchors if anchor["role"] == "current"),
        anchors=tuple(Anchor(anchor["text"], tuple(anchor["any_of"])) for anchor in anchors),
    )
    return Asked(
        question,
        cast(Kind, row["kind"]),
        tuple(anchor["role"] for anchor in anchors),
        row["since_mutations"],
        row["since_events"],
        row["mutations"],
        row["stored"],
    )
