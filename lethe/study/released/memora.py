"""Memora question by question: the verdicts that the paper's authors released, and those measured here."""

from collections.abc import Sequence
from typing import Any

from lethe.config.configurations import configuration_name
from lethe.parquet import Row

_COUNTS = ("must", "must_hit", "must_not", "must_not_hit")


def memora_replica_rows(
    released: Sequence[Row], answers: Sequence[Row], questions: Sequence[Row]
) -> list[dict[str, Any]]:
    """A row for each question of a configuration that has a released and a measured verdict, in the released order.

    Args:
        released: rows of `lethe.schemas.RELEASED_MEMORA`.
        answers: rows of `lethe.schemas.CROSSEVAL` of Memora, any number of systems.
        questions: rows of `lethe.schemas.CROSSEVAL_QUESTIONS` of Memora, under the released reading.

    Returns:
        Rows of configuration, persona, task, question_id, verdict, `released_verdict`, `agree` (the verdicts are the
        same), the counts of required and forbidden strings and of those recalled, each also as `released_COUNT`, and
        the strings `missing` and `leaked`. The measured counts of an answer that broke are None.
    """
    measured = {(configuration_name(row), row["history"], row["question_id"]): row for row in answers}
    asked = {(row["history"], row["question_id"]): row for row in questions}
    rows = []
    for published in released:
        persona, question_id = published["persona"], published["question_id"]
        answer = measured.get((published["system"], persona, question_id))
        if answer is None:
            continue
        rows.append(
            {
                "configuration": published["system"],
                **{name: published[name] for name in ("persona", "task", "question_id")},
                "verdict": answer["verdict"],
                "released_verdict": published["verdict"],
                "agree": answer["verdict"] == published["verdict"],
                **_counts(answer, asked[persona, question_id]),
                **{f"released_{name}": published[name] for name in _COUNTS},
                "missing": answer["missing"],
                "leaked": answer["leaked"],
            }
        )
    return rows


def _counts(answer: Row, question: Row) -> dict[str, int | None]:
    if answer["verdict"] == "error":
        return dict.fromkeys(_COUNTS)
    must, must_not = len(question["required"]), len(question["forbidden"])
    counts = (must, must - len(answer["missing"]), must_not, len(answer["leaked"]))
    return dict(zip(_COUNTS, counts, strict=True))
