"""From answers to scores: counts, rates, ranks, and Memora's other readings judged from the same recalls."""

from typing import Any

import pytest

from forgeteval.cases.history import Evidence, History, Operation, Question
from lethe.crosseval.records import operation_rows, question_rows
from lethe.crosseval.scoring import score_answer
from lethe.study.crosseval import score_crosseval

EVIDENCE = (Evidence("tasks.value", "prune"), Evidence("likes.item", "tulip"), Evidence("goal_value", "70"))
HISTORIES = [
    History(
        "gardener",
        (
            Operation("inscribe", None, "x"),
            Question("q1", "remembering", "?", "all", ("prune", "tulip"), ("rose",), evidence=EVIDENCE),
            Question("q2", "reasoning", "?", "all"),
        ),
    ),
    History("sailor", (Question("q1", "remembering", "?", "all", ("knot",)),)),
]
RECALLED = {("gardener", "q1"): ["prune the tulip"], ("gardener", "q2"): [], ("sailor", "q1"): ["a rope"]}
QUESTIONS, OPERATIONS = question_rows("memora", HISTORIES), operation_rows("memora", HISTORIES)


def answer(history: str, question: Question, recalled: list[str], **changes: Any) -> dict[str, Any]:
    outcome = score_answer(question, recalled)
    return {
        "benchmark": "memora",
        "system": "sut",
        "model": "",
        "history": history,
        "question_id": question.question_id,
        "part": question.part,
        "verdict": outcome.verdict,
        "recall_rate": outcome.recall_rate,
        "forgetting_rate": outcome.forgetting_rate,
        "gold_ranks": list(outcome.gold_ranks),
        "ndcg": outcome.ndcg,
        "recalled": recalled,
        "recall_ms": 500.0,
        **changes,
    }


def replay(history: str, not_expressed: int) -> dict[str, Any]:
    key = {"benchmark": "memora", "system": "sut", "model": "", "history": history}
    return {**key, "not_expressed": not_expressed, "inscribe_ms": 1000.0, "mutate_ms": 250.0}


ANSWERS = [answer(h.name, q, RECALLED[h.name, q.question_id]) for h in HISTORIES for q in h.questions]


def scores(answers: list[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    rows = score_crosseval(answers, [replay("gardener", 2), replay("sailor", 1)], QUESTIONS, OPERATIONS, 2)
    return {(row["cut"], row["value"]): row for row in rows}


def test_counts_and_rates_overall_by_part_and_by_history() -> None:
    found = scores(ANSWERS)
    overall = found["overall", "all"]
    assert (overall["questions"], overall["passed"], overall["failed"]) == (3, 2, 1)
    assert overall["rate"] == pytest.approx(2 / 3)
    assert overall["wilson_low"] < 2 / 3 < overall["wilson_high"]
    assert (overall["recall_rate"], overall["forgetting_rate"]) == (0.5, 1.0)
    assert (overall["not_expressed"], overall["wall_s"]) == (3, pytest.approx(4.0))
    assert found["part", "remembering"]["passed"] == 1 and found["part", "reasoning"]["passed"] == 1
    assert found["part", "reasoning"]["recall_rate"] is None
    assert (found["history", "sailor"]["passed"], found["history", "sailor"]["not_expressed"]) == (0, 1)


def test_answers_with_more_than_k_memories_in_their_texts_are_counted() -> None:
    told = [f"On the day {number} the gardener pruned {number} tulips." for number in range(9)]
    operations = [{"history": "gardener", "text": text} for text in [*told, None]]
    two_in_each = ["\n".join(told[place : place + 2]) for place in (0, 2)]
    (first, *others), found = ANSWERS, []
    for recalled in (told[:2], two_in_each):
        rows = score_crosseval([{**first, "recalled": recalled}, *others], [], QUESTIONS, operations, 2)
        found.append({(row["cut"], row["value"]): row["joined"] for row in rows})
    assert set(found[0].values()) == {0}
    assert {key for key, joined in found[1].items() if joined == 1} == {
        ("overall", "all"),
        ("part", "remembering"),
        ("history", "gardener"),
        *(("reading", reading) for reading in ("released", "named_values", "every_scalar")),
    }


def test_readings_judge_the_same_recalls() -> None:
    found = scores(ANSWERS)
    passed = {reading: row["passed"] for (cut, reading), row in found.items() if cut == "reading"}
    assert passed == {"released": 3, "named_values": 2, "every_scalar": 2}


def test_errors_count_against_the_rate_and_stay_errors_in_every_reading() -> None:
    broken = [{**ANSWERS[0], "verdict": "error", "recall_rate": None, "forgetting_rate": None}, *ANSWERS[1:]]
    found = scores(broken)
    assert (found["overall", "all"]["errors"], found["overall", "all"]["passed"]) == (1, 1)
    assert found["overall", "all"]["rate"] == pytest.approx(1 / 3)
    assert found["reading", "released"]["errors"] == 1
    broken = [*ANSWERS[:2], {**ANSWERS[2], "verdict": "error", "recall_rate": None, "forgetting_rate": None}]
    rates = (scores(some)["overall", "all"]["recall_rate"] for some in (ANSWERS, broken))
    assert list(rates) == [0.5, 0.5], "who breaks where it would miss gains nothing"


def test_a_question_without_gold_counts_nowhere_and_one_that_broke_recalls_nothing() -> None:
    questions = [
        Question(name, part, "?", "rows", gold_rows=gold)
        for name, part, gold in (("a", "one", ("g",)), ("b", "two", ("g",)), ("c", "two", ()))
    ]
    answers = [
        answer("a", questions[0], ["g"]),
        *(answer(q.question_id, q, [], verdict="error", ndcg=None) for q in questions[1:]),
    ]
    rows = question_rows("longmemeval", [History(q.question_id, (q,)) for q in questions])
    found = {row["value"]: row for row in score_crosseval(answers, [], rows, [], 10)}
    assert [(found[part]["questions"] - found[part]["na"], found[part]["errors"]) for part in ("all", "two")] == [
        (2, 1),
        (1, 1),
    ]
    assert (found["all"]["recall_at_5"], found["all"]["rate"], found["two"]["ndcg_at_10"]) == (0.5, 0.5, 0.0)


def test_ranks_leave_out_na_and_count_errors_as_misses() -> None:
    def asked(name: str, gold: tuple[str, ...]) -> Question:
        return Question(name, "type", "?", "rows", gold_rows=gold)

    recalls = {"a": ["g"], "b": ["x", "y", "g"], "c": ["x"] * 7 + ["g"]}
    questions = [asked(name, ("g",)) for name in recalls]
    answers = [answer(q.question_id, q, recalls[q.question_id]) for q in questions]
    answers.append(answer("d", asked("d", ()), ["x"]))
    answers.append(answer("e", asked("e", ("g",)), [], verdict="error", ndcg=None))
    histories = [History(q.question_id, (q,)) for q in [*questions, asked("d", ()), asked("e", ("g",))]]
    operations = [
        {"history": name, "text": f"The session {number} of {name}"} for name in recalls for number in range(9)
    ]
    rows = score_crosseval(answers, [], question_rows("longmemeval", histories), operations, 10)
    overall = next(row for row in rows if row["cut"] == "overall")
    assert (overall["questions"], overall["passed"], overall["failed"], overall["na"], overall["errors"]) == (
        5,
        2,
        1,
        1,
        1,
    )
    assert [overall[f"recall_at_{k}"] for k in (1, 5, 10)] == [0.25, 0.5, 0.75]
    assert overall["rate"] == 0.5
    assert overall["ndcg_at_10"] == pytest.approx((1 + 0.5 + 1 / 3.169925) / 4, rel=1e-5)
    assert not [row for row in rows if row["cut"] == "reading"]
