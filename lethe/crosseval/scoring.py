"""The verdict on one answer, by the strings or the memories recalled; no LLM judges anything here."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from forgeteval.cases.history import Question
from forgeteval.scoring.scorers import score, substring_contains

HEADLINE_K = 5
"""Paper, Table "longmem": R@5 is its headline."""
NDCG_K = 10


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an answer came to; the columns of `lethe.schemas.CROSSEVAL` that follow from it.

    Attributes:
        recall_rate: share of the required strings that the joined recall holds; None where none is required.
        forgetting_rate: share of the forbidden strings that it does not hold; None where none is forbidden.
        gold_ranks: ranks, from 1, of the gold rows that were recalled; of one recalled twice, the first.
        ndcg: NDCG@10 with a gain of 1 for each gold row; None unless the criterion is `rows`.
    """

    verdict: Literal["pass", "fail", "na"]
    missing: tuple[str, ...] = ()
    leaked: tuple[str, ...] = ()
    recall_rate: float | None = None
    forgetting_rate: float | None = None
    gold_ranks: tuple[int, ...] = ()
    ndcg: float | None = None


def score_answer(question: Question, recalled: Sequence[str]) -> Outcome:
    """Score what was recalled, best first: texts, or row ids for the criterion `rows`, of which one gold row has to
    be among the first `HEADLINE_K`.

    Strings are looked for without regard to case in the joined texts. A question of the criterion `rows` whose
    haystack holds no gold row is `na`.
    """
    if question.criterion == "rows":
        return _score_rows(question, recalled)
    found = score(recalled, question.required, question.forbidden, substring_contains)
    if question.criterion == "any":
        passed = len(found.missing) < len(question.required)
        return Outcome("pass" if passed else "fail", missing=() if passed else found.missing)
    return Outcome(
        "pass" if found.passed else "fail",
        found.missing,
        found.leaked,
        recall_rate=_share_without(found.missing, question.required),
        forgetting_rate=_share_without(found.leaked, question.forbidden),
    )


def _share_without(some: Sequence[str], all_of: Sequence[str]) -> float | None:
    return 1 - len(some) / len(all_of) if all_of else None


def _score_rows(question: Question, recalled: Sequence[str]) -> Outcome:
    gold = set(question.gold_rows)
    if not gold:
        return Outcome("na")
    first = {row_id: rank for rank, row_id in reversed([*enumerate(recalled, start=1)])}
    ranks = tuple(sorted(rank for row_id, rank in first.items() if row_id in gold))
    hit = bool(ranks) and ranks[0] <= HEADLINE_K
    return Outcome("pass" if hit else "fail", gold_ranks=ranks, ndcg=_ndcg(ranks, len(gold)))


def _ndcg(ranks: Sequence[int], gold: int) -> float:
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(gold, NDCG_K) + 1))
    return sum(1 / math.log2(rank + 1) for rank in ranks if rank <= NDCG_K) / ideal
