"""Rates of the long histories: by the question, by the memory's own text, and by part."""

from typing import Any

from lethe.study.long import long_rows
from lethe.study.remarks import broken_in_long


def anchor(text: str, role: str) -> dict[str, Any]:
    return {"text": text, "any_of": [text.rpartition(" ")[2]], "role": role}


def event(question_id: str, *anchors: dict[str, Any], **more: Any) -> dict[str, Any]:
    plain = {"text": "what now?", "kind": "changed", "k": 10, "since_mutations": 4, "mutations": 20, "stored": 600}
    return {"history": "h", "question_id": question_id, "anchors": list(anchors), **plain, **more}


def answer(question_id: str, recalled: list[str], present: list[bool], error: str | None = None) -> dict[str, Any]:
    return {
        "system": "s", "model": "", "history": "h", "question_id": question_id, "recalled": recalled,
        "present": present, "error": error,
    }  # fmt: skip


EVENTS = [
    event("q1", anchor("is new", "current"), anchor("is old", "replaced")),
    event("q2", anchor("was bad", "purged"), kind="forgotten", since_mutations=30, stored=1200),
    event("q3", anchor("was back", "fed_again"), kind="fed_again"),
    event("q4", anchor("it stands", "current"), since_mutations=None, kind="untouched", mutations=40),
    {"history": "h", "question_id": None, "text": "it stands, and it is not old"},
]


def rates(answers: list[dict[str, Any]], cut: str = "overall", value: str = "all") -> dict[str, tuple[int, int]]:
    rows = long_rows(EVENTS, answers)
    return {
        row["measure"]: (row["counted"], row["facts"]) for row in rows if (row["cut"], row["value"]) == (cut, value)
    }


def test_what_the_question_brings_back_and_what_its_own_text_does() -> None:
    answers = [
        answer("q1", ["it is old", "other"], [False, True]),
        answer("q2", ["nothing"], [True]),
        answer("q3", ["was back"], [True]),
        answer("q4", ["it stands", "it is bad"], [True]),
    ]
    assert rates(answers) == {
        "recall": (1, 2),
        "collateral": (1, 2),
        "stale": (1, 1),
        "answered_stale": (1, 1),
        "leak": (1, 1),
        "answered_leak": (0, 1),
        "came_back": (1, 1),
    }


def test_parts_by_age_size_and_number_of_mutations() -> None:
    answers = [answer("q1", ["is old"], [False, True]), answer("q2", ["was bad"], [True]), answer("q4", [], [False])]
    assert rates(answers, "age", "3–9")["answered_stale"] == (1, 1)
    assert rates(answers, "age", "25 and more") == {"leak": (1, 1), "answered_leak": (1, 1)}
    assert rates(answers, "stored", "1000 and more") == {"leak": (1, 1), "answered_leak": (1, 1)}
    assert rates(answers, "mutations", "31 and more") == {"recall": (0, 1), "collateral": (1, 1)}
    assert rates(answers, "kind", "untouched") == {"recall": (0, 1), "collateral": (1, 1)}


def test_a_question_that_broke_counts_against_what_has_to_be_there() -> None:
    answers = [answer("q1", [], [], "it broke"), answer("q2", [], [], "it broke"), answer("q4", ["it stands"], [True])]
    assert rates(answers) == {"recall": (1, 2), "collateral": (1, 2), "broken": (2, 3)}
    assert "broken" not in rates(answers[2:])


def test_who_breaks_on_more_than_a_tenth_is_told() -> None:
    events = [event(f"q{number}", anchor("is new", "current")) for number in range(20)]
    told = [answer(f"q{number}", ["is new"], [True], "it broke" if number < 3 else None) for number in range(20)]
    (remark,) = broken_in_long(long_rows(events, told), {"s": "Some store"})
    assert str(remark).startswith("Some store on long: 3 of 20 trials broke (error), more than a tenth")
    assert remark.is_shown_by(["results/analysis/long.parquet"], ["Some store"])
    assert not list(broken_in_long(long_rows(events, [*told[2:], answer("q0", ["is new"], [True])]), {}))


def test_several_memories_in_one_text_are_told(text: str = "it stands, and it is not old ") -> None:
    """Twice k of the longest memory told is the most that k memories come to."""
    long, short = answer("q4", [20 * text], [True]), answer("q1", [18 * text], [True, False])
    assert rates([long, short])["joined"] == (1, 2)
    assert "joined" not in rates([short])


def test_each_k_stands_apart() -> None:
    events = [event("a", anchor("is new", "current"), k=5), event("b", anchor("is new", "current"), k=50)]
    rows = long_rows(events, [answer("a", [], [True]), answer("b", ["is new"], [True])])
    found = {row["k"]: row["rate"] for row in rows if (row["measure"], row["cut"]) == ("recall", "overall")}
    assert found == {5: 0.0, 50: 1.0}
