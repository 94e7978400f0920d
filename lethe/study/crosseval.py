"""From answers to pass counts and rates of each system on a benchmark of other authors."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from forgeteval.scoring.intervals import wilson
from lethe.crosseval.evidence import READINGS, values_read
from lethe.crosseval.records import question_from_row
from lethe.crosseval.scoring import score_answer
from lethe.parquet import Row
from lethe.schemas import ALL
from lethe.study.joining import Told

_VERDICTS = {"passed": "pass", "failed": "fail", "na": "na", "errors": "error"}


def score_crosseval(
    answers: Iterable[Row], histories: Sequence[Row], questions: Sequence[Row], operations: Iterable[Row], k: int
) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.CROSSEVAL_SCORES`.

    Args:
        answers: rows of `CROSSEVAL` of one benchmark, any number of systems.
        histories: rows of `CROSSEVAL_HISTORIES` of the same runs.
        questions, operations: rows of `CROSSEVAL_QUESTIONS` and `CROSSEVAL_OPERATIONS` of the benchmark.
        k: how many memories a recall returns.
    """
    asked = {(row["history"], row["question_id"]): row for row in questions}
    told = defaultdict[str, Told](Told)
    for operation in operations:
        if operation["text"]:
            told[operation["history"]].add(operation["text"])

    def joins(answer: Row) -> bool:
        by_text = asked[answer["history"], answer["question_id"]]["criterion"] != "rows"
        return by_text and told[answer["history"]].are_joined(answer["recalled"], k)

    def counted(answer: Row) -> Row:
        """An answer; one to a question without gold is N/A also where it broke."""
        question = asked[answer["history"], answer["question_id"]]
        without = question["criterion"] == "rows" and not question["gold_rows"]
        return {**answer, "joined": joins(answer), "verdict": "na" if without else answer["verdict"]}

    scores = []
    for run, own in _grouped(map(counted, answers), _run).items():
        replays = [row for row in histories if _run(row) == run]
        key = dict(zip(("benchmark", "system", "model"), run, strict=True))
        scores.append({**key, "cut": "overall", "value": ALL, **_score(own, asked), **_replay_columns(own, replays)})
        for part, some in _grouped(own, lambda row: row["part"]).items():
            scores.append({**key, "cut": "part", "value": part, **_score(some, asked)})
        for name, some in _grouped(own, lambda row: row["history"]).items():
            replay = [row for row in replays if row["history"] == name]
            scores.append(
                {**key, "cut": "history", "value": name, **_score(some, asked), **_replay_columns(some, replay)}
            )
        for reading, read in _readings(own, asked):
            scores.append({**key, "cut": "reading", "value": reading, **_score(read, asked)})
    return scores


def _run(row: Row) -> tuple[str, str, str]:
    return row["benchmark"], row["system"], row["model"]


def _grouped(rows: Iterable[Row], key: Callable[[Row], Any]) -> dict[Any, list[Row]]:
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def _score(answers: Sequence[Row], asked: Mapping[Any, Row]) -> dict[str, Any]:
    counts = {name: sum(row["verdict"] == verdict for row in answers) for name, verdict in _VERDICTS.items()}
    evaluable = len(answers) - counts["na"]
    low, high = wilson(counts["passed"], evaluable)
    ranked = [row for row in answers if asked[row["history"], row["question_id"]]["gold_rows"]]
    return {
        "questions": len(answers),
        **counts,
        "joined": sum(row["joined"] for row in answers),
        "rate": counts["passed"] / evaluable if evaluable else None,
        "wilson_low": low,
        "wilson_high": high,
        "recall_rate": _mean(_recall_rate(row, asked) for row in answers),
        "forgetting_rate": _mean(row["forgetting_rate"] for row in answers),
        **{f"recall_at_{k}": _mean(float(_hits(row, k)) for row in ranked) for k in (1, 5, 10)},
        "ndcg_at_10": _mean(row["ndcg"] or 0.0 for row in ranked),
    }


def _recall_rate(answer: Row, asked: Mapping[Any, Row]) -> float | None:
    """The share of what is required that came back: none of it where the answer broke."""
    is_required = answer["verdict"] == "error" and asked[answer["history"], answer["question_id"]]["required"]
    rate: float | None = 0.0 if is_required else answer["recall_rate"]
    return rate


def _hits(row: Row, k: int) -> bool:
    return any(rank <= k for rank in row["gold_ranks"])


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _replay_columns(answers: Sequence[Row], replays: Sequence[Row]) -> dict[str, Any]:
    spent = sum(row["inscribe_ms"] + row["mutate_ms"] for row in replays) + sum(row["recall_ms"] for row in answers)
    return {"not_expressed": sum(row["not_expressed"] for row in replays), "wall_s": spent / 1000}


def _readings(answers: Sequence[Row], asked: Mapping[Any, Row]) -> Iterator[tuple[str, list[Row]]]:
    """The same recalls judged under each reading of Memora's evidence; nothing for a benchmark without evidence."""
    if not any(row["evidence"] for row in asked.values()):
        return
    for reading in READINGS:
        yield reading, [_judged_again(row, asked[row["history"], row["question_id"]], reading) for row in answers]


def _judged_again(answer: Row, asked: Row, reading: str) -> Row:
    if answer["verdict"] == "error":
        return answer
    evidence = question_from_row(asked).evidence
    question = question_from_row({**asked, "required": values_read(evidence, reading)})
    outcome = score_answer(question, answer["recalled"])
    return {**answer, "verdict": outcome.verdict, "recall_rate": outcome.recall_rate}
