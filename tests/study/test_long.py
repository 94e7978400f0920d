"""Rates of the long histories: by the question, by the memory's own text, and by part."""

from typing import Any

import pytest

from lethe.study.joining import Told
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


TOLD = [f"On day {number} somebody counted {word} swans." for number, word in enumerate(["two", "eleven", "nine"] * 5)]
ASKED_OF_ALL = [
    *({"history": "h", "question_id": None, "text": text} for text in TOLD[:12]),
    event("q1", anchor("is new", "current"), k=3),
    *({"history": "h", "question_id": None, "text": text} for text in TOLD[12:]),
    event("q2", anchor("is new", "current"), k=13),
]


@pytest.mark.parametrize(
    ("recalled", "joined"),
    [
        (TOLD[:3], False),
        (["\n".join(TOLD[:2]), TOLD[5]], False),
        (["\n".join(TOLD[:2]), "\n".join(TOLD[3:5])], True),
        (["".join("\u200b" + letter for letter in " ".join(TOLD[:4]).upper())], True),
        (["\n".join(text.replace("On day", "On") for text in TOLD[:2]), "\n".join(TOLD[3:5])], True),
        ([f"2026-01-0{day} user: {text}" for day, text in enumerate(TOLD[:3], 1)], False),
        (["swans " * 60], True),
        (TOLD[12:], False),
    ],
    ids=[
        "k",
        "k in two texts",
        "k + 1 in two texts",
        "blanks and capitals",
        "without starts",
        "dates",
        "letters",
        "not told yet",
    ],
)
def test_more_than_k_memories_in_an_answer_are_told(recalled: list[str], joined: bool) -> None:
    rows = long_rows(ASKED_OF_ALL, [answer("q1", recalled, [True]), answer("q2", TOLD[:13], [True])])
    found = {row["k"]: row["counted"] for row in rows if (row["measure"], row["cut"]) == ("joined", "overall")}
    assert found == ({3: 1, 13: 0} if joined else {})


def test_a_memory_within_another_is_not_counted_with_it() -> None:
    memories = [f"{text} {further}" for text, further in zip(TOLD[:6], TOLD[6:12], strict=True)]
    told = Told([*TOLD, *memories])
    assert not told.are_joined([f"It is said: {memory}" for memory in memories[:3]], 3)
    assert told.are_joined([memories[0], memories[1], TOLD[2], TOLD[3]], 3) is False, "each of them was told"
    assert told.are_joined([memories[0], f"{memories[1]} {TOLD[2]}", TOLD[3]], 3)


def test_each_k_stands_apart() -> None:
    events = [event("a", anchor("is new", "current"), k=5), event("b", anchor("is new", "current"), k=50)]
    rows = long_rows(events, [answer("a", [], [True]), answer("b", ["is new"], [True])])
    found = {row["k"]: row["rate"] for row in rows if (row["measure"], row["cut"]) == ("recall", "overall")}
    assert found == {5: 0.0, 50: 1.0}
