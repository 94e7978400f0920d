"""Released and measured verdicts of Memora side by side, on rows written here."""

from typing import Any

from lethe.study.released.memora import memora_replica_rows

QUESTIONS = [
    {"history": "gardener", "question_id": "q1", "required": ["tulip", "tulip", "quince"], "forbidden": ["rose"]},
    {"history": "gardener", "question_id": "q2", "required": [], "forbidden": ["ivy", "pear"]},
    {"history": "sailor", "question_id": "q1", "required": ["knot"], "forbidden": []},
]


def released(system: str, persona: str, question_id: str, counts: tuple[int, ...], verdict: str) -> dict[str, Any]:
    named = dict(zip(("must", "must_hit", "must_not", "must_not_hit"), counts, strict=True))
    key = {"system": system, "persona": persona, "task": "remembering", "question_id": question_id}
    return {**key, **named, "verdict": verdict}


def answer(history: str, question_id: str, verdict: str, **found: list[str]) -> dict[str, Any]:
    key = {"system": "lethe", "model": "", "history": history, "question_id": question_id}
    return {**key, "verdict": verdict, "missing": [], "leaked": [], **found}


def counts(row: dict[str, Any], prefix: str = "") -> tuple[Any, ...]:
    return tuple(row[prefix + name] for name in ("must", "must_hit", "must_not", "must_not_hit"))


def test_verdicts_and_counts_stand_side_by_side() -> None:
    published = [
        released("lethe", "gardener", "q1", (3, 1, 1, 0), "fail"),
        released("lethe", "gardener", "q2", (0, 0, 2, 0), "pass"),
    ]
    measured = [
        answer("gardener", "q2", "fail", leaked=["pear"]),
        answer("gardener", "q1", "fail", missing=["tulip", "tulip"]),
    ]
    first, second = memora_replica_rows(published, measured, QUESTIONS)
    assert (first["configuration"], first["persona"], first["task"], first["question_id"]) == (
        "lethe", "gardener", "remembering", "q1",
    )  # fmt: skip
    assert first["agree"] and counts(first) == counts(first, "released_") == (3, 1, 1, 0)
    assert (second["verdict"], second["released_verdict"], second["agree"]) == ("fail", "pass", False)
    assert (counts(second), counts(second, "released_")) == ((0, 0, 2, 1), (0, 0, 2, 0))
    assert (second["missing"], second["leaked"]) == ([], ["pear"])


def test_only_what_was_released_and_measured_is_compared() -> None:
    published = [
        released("lethe", "sailor", "q1", (1, 1, 0, 0), "pass"),
        released("langgraph", "sailor", "q1", (1, 1, 0, 0), "pass"),
        released("lethe", "miner", "q1", (1, 1, 0, 0), "pass"),
    ]
    measured = [
        answer("sailor", "q1", "pass"),
        answer("gardener", "q1", "pass"),
        {**answer("sailor", "q1", "fail", missing=["knot"]), "model": "small"},
    ]
    assert [
        (row["configuration"], row["persona"], row["agree"])
        for row in memora_replica_rows(published, measured, QUESTIONS)
    ] == [("lethe", "sailor", True)]


def test_an_answer_that_broke_agrees_with_nothing_and_counts_nothing() -> None:
    (row,) = memora_replica_rows(
        [released("lethe", "sailor", "q1", (1, 0, 0, 0), "fail")], [answer("sailor", "q1", "error")], QUESTIONS
    )
    assert not row["agree"] and counts(row) == (None, None, None, None)
