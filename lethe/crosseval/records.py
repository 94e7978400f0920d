"""What the three benchmarks have in common: a history of operations on one store, then questions about its state."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Op = Literal["inscribe", "supersede", "purge"]
Rule = Literal["all", "any", "rows"]
"""When a question is passed: `all` required strings are recalled and no forbidden one, `any` required string is
recalled, or one of the gold `rows` is among the first `HEADLINE_K`."""
HEADLINE_K = 5
"""Paper, Table "longmem": R@5 is its headline."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One step of a history.

    Attributes:
        query: what a supersede or purge is aimed at; None for inscribe.
        text: the row that is inscribed, or that replaces another; None for purge.
        row_id: the data set's own name of that row; None where nothing refers to it.
    """

    op: Op
    query: str | None
    text: str | None
    row_id: str | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """One scalar of a question's released memory evidence, under its dotted key."""

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question asked of a history's final state.

    Attributes:
        part: task, bucket or question type, the column of the benchmark's table.
        required: see `Rule`.
        forbidden: strings that must not be recalled (rule `all`).
        gold_rows: ids of the rows that hold the answer (rule `rows`).
        evidence: every scalar of the released memory evidence, for other readings of `required`.
    """

    question_id: str
    part: str
    text: str
    rule: Rule
    required: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    gold_rows: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class History:
    """One store's operations in order (a persona, a bucket's facts, a haystack), then the questions."""

    name: str
    operations: tuple[Operation, ...]
    questions: tuple[Question, ...]

    @property
    def mutations(self) -> int:
        """How many operations supersede or purge."""
        return sum(operation.op != "inscribe" for operation in self.operations)

    def texts(self) -> list[str]:
        """Each distinct text that is embedded for this history, in order."""
        steps = (text for operation in self.operations for text in (operation.query, operation.text))
        asked = (question.text for question in self.questions)
        return list(dict.fromkeys(text for text in (*steps, *asked) if text is not None))

    def to_message(self, *, hybrid: bool) -> dict[str, Any]:
        """What a worker needs of it, as JSON; see `lethe.run.replay`."""
        return {
            "operations": [[o.op, o.query, o.text] for o in self.operations],
            "questions": [[q.question_id, q.text] for q in self.questions],
            "hybrid": hybrid,
        }


def all_texts(histories: Sequence[History]) -> list[str]:
    """Each distinct text of several histories, in order."""
    return list(dict.fromkeys(text for history in histories for text in history.texts()))


def operation_rows(benchmark: str, histories: Sequence[History]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.CROSSEVAL_OPERATIONS`."""
    return [
        {
            "benchmark": benchmark,
            "history": history.name,
            "position": position,
            "op": operation.op,
            "query": operation.query,
            "text": operation.text,
            "row_id": operation.row_id,
        }
        for history in histories
        for position, operation in enumerate(history.operations)
    ]


def question_rows(benchmark: str, histories: Sequence[History]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.CROSSEVAL_QUESTIONS`."""
    return [
        {
            "benchmark": benchmark,
            "history": history.name,
            "question_id": question.question_id,
            "part": question.part,
            "question": question.text,
            "rule": question.rule,
            "required": list(question.required),
            "forbidden": list(question.forbidden),
            "gold_rows": list(question.gold_rows),
            "evidence": [{"key": scalar.key, "value": scalar.value} for scalar in question.evidence],
        }
        for history in histories
        for question in history.questions
    ]


def histories_from_rows(
    operations: Sequence[Mapping[str, Any]], questions: Sequence[Mapping[str, Any]]
) -> list[History]:
    """The reverse of `operation_rows` and `question_rows`, in their order."""
    steps: dict[str, list[Operation]] = {}
    for row in operations:
        steps.setdefault(row["history"], []).append(Operation(row["op"], row["query"], row["text"], row["row_id"]))
    asked: dict[str, list[Question]] = {}
    for row in questions:
        asked.setdefault(row["history"], []).append(question_from_row(row))
    return [History(name, tuple(steps[name]), tuple(asked.get(name, ()))) for name in steps]


def question_from_row(row: Mapping[str, Any]) -> Question:
    """One row of `lethe.schemas.CROSSEVAL_QUESTIONS` as a Question."""
    return Question(
        row["question_id"],
        row["part"],
        row["question"],
        row["rule"],
        tuple(row["required"]),
        tuple(row["forbidden"]),
        tuple(row["gold_rows"]),
        tuple(Evidence(scalar["key"], scalar["value"]) for scalar in row["evidence"]),
    )
