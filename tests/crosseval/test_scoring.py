"""The three criteria: all strings, any string, a gold row."""

import math

import pytest

from forgeteval.cases.history import Question
from lethe.crosseval.scoring import Outcome, score_answer


def asked(criterion: str, **fields: tuple[str, ...]) -> Question:
    return Question("q", "part", "What?", criterion, **fields)  # type: ignore[arg-type]


def test_all_strings_and_no_forbidden_one() -> None:
    question = asked("all", required=("Tulip", "quince"), forbidden=("rose", "pear", "ivy"))
    assert score_answer(question, ["a tulip", "A QUINCE"]) == Outcome("pass", recall_rate=1.0, forgetting_rate=1.0)
    outcome = score_answer(question, ["a tulip and a rose"])
    assert (outcome.verdict, outcome.missing, outcome.leaked) == ("fail", ("quince",), ("rose",))
    assert outcome.recall_rate == 0.5
    assert outcome.forgetting_rate == pytest.approx(2 / 3)


def test_a_question_without_values_asks_for_nothing_and_has_no_rates() -> None:
    assert score_answer(asked("all"), []) == Outcome("pass")


def test_any_string_is_enough() -> None:
    question = asked("any", required=("Wold", "Ost"))
    assert score_answer(question, ["the capital is ost."]) == Outcome("pass")
    assert score_answer(question, ["no capital"]) == Outcome("fail", missing=("Wold", "Ost"))


def test_a_string_does_not_match_across_two_rows_without_the_line_break() -> None:
    assert score_answer(asked("any", required=("ab",)), ["a", "b"]).verdict == "fail"


def test_a_gold_row_among_the_first_five() -> None:
    question = asked("rows", gold_rows=("g", "h"))
    outcome = score_answer(question, ["x", "g", "y", "h"])
    assert (outcome.verdict, outcome.gold_ranks) == ("pass", (2, 4))
    gained, ideal = 1 / math.log2(3) + 1 / math.log2(5), 1 + 1 / math.log2(3)
    assert outcome.ndcg == pytest.approx(gained / ideal)
    assert score_answer(question, [*"abcde", "g"]).verdict == "fail"


def test_ndcg_at_its_ends() -> None:
    question = asked("rows", gold_rows=("g",))
    assert score_answer(question, ["g"]).ndcg == 1.0
    assert score_answer(question, [*"abcdefghij"[:6]]).ndcg == 0.0
    assert score_answer(question, [*"0123456789", "g"]).ndcg == 0.0


def test_a_gold_row_counts_once_however_often_it_is_recalled() -> None:
    question = Question("q", "single", "?", "rows", gold_rows=("g", "h"))
    outcome = score_answer(question, ["g", "g", "h"])
    assert outcome.gold_ranks == (1, 3)
    assert outcome.ndcg == pytest.approx((1 + 1 / math.log2(4)) / (1 + 1 / math.log2(3)))


def test_a_haystack_without_a_gold_row_is_na() -> None:
    assert score_answer(asked("rows"), ["x"]) == Outcome("na")
