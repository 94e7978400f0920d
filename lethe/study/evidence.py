"""How much of a question's evidence is recalled on LoCoMo: by turn and by session, by category, by mode of recall."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, get_args

import numpy as np

from lethe.crosseval.locomo import FIRST_FIVE, session_of
from lethe.crosseval.records import histories_from_rows
from lethe.parquet import Row
from lethe.schemas import ALL
from lethe.store.recall import Mode
from lethe.store.store import Store

OWN = "own"
"""The recall by which a system is asked on the suites too."""
HALVES = ("first five", "other five")
_K = (5, 10)


def mode_answers(operations: Sequence[Row], questions: Sequence[Row], vectors: Sequence[Row]) -> Iterator[Row]:
    """What each mode of Lethe's recall answers: the columns of `lethe.schemas.CROSSEVAL` that are counted, and `mode`.

    Args:
        operations, questions: rows of `CROSSEVAL_OPERATIONS` and of `CROSSEVAL_QUESTIONS`; nothing but inscriptions.
        vectors: rows of `VECTORS`.
    """
    known = {row["text"]: np.asarray(row["vector"], dtype=np.float32) for row in vectors}
    dim = len(next(iter(known.values()), ()))
    for history in histories_from_rows(operations, questions):
        with Store(embed=lambda texts: np.stack([known[text] for text in texts]), dim=dim) as store:
            ids = store.inscribe_many([operation.text or "" for operation in history.operations])
            names = {id: operation.row_id for id, operation in zip(ids, history.operations, strict=True)}
            for question in history.questions:
                for mode in get_args(Mode):
                    recalled = [names[found.memory_id] for found in store.recall(question.text, max(_K), mode=mode)]
                    yield {
                        "system": "lethe",
                        "model": "",
                        "mode": mode,
                        "history": history.name,
                        "question_id": question.question_id,
                        "recalled": recalled,
                        "error": None,
                    }


def score_evidence(benchmark: str, answers: Iterable[Row], questions: Sequence[Row]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.CROSSEVAL_EVIDENCE`.

    Args:
        answers: rows of `CROSSEVAL`, of any number of systems, and those of `mode_answers`.
        questions: rows of `CROSSEVAL_QUESTIONS`.
    """
    asked = {(row["history"], row["question_id"]): row for row in questions}
    groups: dict[tuple[str, str, str, str, str], list[tuple[Row, Row]]] = {}
    for answer in answers:
        question = asked[answer["history"], answer["question_id"]]
        if not question["gold_rows"]:
            continue
        half = HALVES[answer["history"] not in FIRST_FIVE]
        for category in (ALL, question["part"]):
            key = (answer["system"], answer["model"], answer.get("mode", OWN), half, category)
            groups.setdefault(key, []).append((answer, question))
    columns = ("system", "model", "mode", "half", "category")
    return [
        {"benchmark": benchmark, **dict(zip(columns, key, strict=True)), **_shares(found)}
        for key, found in groups.items()
    ]


def _shares(found: Sequence[tuple[Row, Row]]) -> Mapping[str, Any]:
    shares: dict[str, Any] = {
        "questions": len(found),
        "errors": sum(answer["error"] is not None for answer, _ in found),
    }
    for k in _K:
        firsts = [(answer["recalled"][:k], question["gold_rows"]) for answer, question in found]
        shares[f"turns_at_{k}"] = fmean(_share(first, gold) for first, gold in firsts)
        shares[f"sessions_at_{k}"] = fmean(
            _share(map(session_of, first), map(session_of, gold)) for first, gold in firsts
        )
    return shares


def _share(recalled: Iterable[str], gold: Iterable[str]) -> float:
    wanted = set(gold)
    return len(wanted & set(recalled)) / len(wanted)
