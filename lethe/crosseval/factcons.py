"""FactConsolidation of MemoryAgentBench (paper, appendix "FactConsolidation cross-evaluation").

The Conflict_Resolution split, as JSON or as the hub's Parquet file: eight buckets, single-hop and multi-hop questions
at four lengths. Both buckets of a length have the same facts, so they share one history.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from forgeteval.cases.history import History, Operation, Question
from lethe.crosseval.reading_files import read_json, unexpected
from lethe.parquet import read_foreign

LENGTHS = ("6k", "32k", "64k", "262k")
_FACT = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)
_BUCKET = re.compile(r"factconsolidation_((?:sh|mh)_(\w+))")


def load_factcons(path: Path, lengths: Collection[str]) -> list[History]:
    """One history for each of `lengths` that the file has, shortest first; its questions are those of both buckets.

    The numbered lines are inscribed as facts, without their numbers, in source order. A question is passed if any of
    its gold answers is recalled.

    Raises:
        UserError: where the file is not in the released format.
    """
    facts: dict[str, list[str]] = {}
    questions: dict[str, list[Question]] = {}
    for entry in _entries(path):
        try:
            found = _BUCKET.fullmatch(entry["metadata"]["source"])
            if found is None:
                raise unexpected(path, f"unknown bucket {entry['metadata']['source']!r}")
            bucket, length = found.groups()
            if length not in lengths:
                continue
            own = _facts(path, bucket, entry["context"])
            if facts.setdefault(length, own) != own:
                raise unexpected(path, f"{bucket} has other facts than the other bucket of its length")
            questions.setdefault(length, []).extend(_questions(bucket, entry))
        except (KeyError, TypeError, ValueError) as error:
            raise unexpected(path, f"an entry is not as released ({error!r})") from error
    return [
        History(
            length,
            (
                *(Operation("inscribe", None, fact, str(number)) for number, fact in enumerate(facts[length])),
                *sorted(questions[length], key=lambda question: question.part, reverse=True),
            ),
        )
        for length in LENGTHS
        if length in facts
    ]


def _entries(path: Path) -> Sequence[Mapping[str, Any]]:
    if path.suffix == ".parquet":
        rows: list[dict[str, Any]] = read_foreign(path).to_pylist()
        return rows
    entries = read_json(path)
    if not isinstance(entries, list):
        raise unexpected(path, "no list of buckets")
    return entries


def _facts(path: Path, bucket: str, context: str) -> list[str]:
    numbered = _FACT.findall(context)
    if [int(number) for number, _ in numbered] != list(range(len(numbered))) or not numbered:
        raise unexpected(path, f"the facts of {bucket} are not numbered from 0")
    return [fact for _, fact in numbered]


def _questions(bucket: str, entry: Mapping[str, Any]) -> list[Question]:
    asked = zip(entry["metadata"]["qa_pair_ids"], entry["questions"], entry["answers"], strict=True)
    return [Question(name, bucket, text, "any", required=_answers(name, answers)) for name, text, answers in asked]


def _answers(question: str, given: Any) -> tuple[str, ...]:
    """The gold answers, any of which counts: a text by itself would count by each letter, an empty one always."""
    if not isinstance(given, list) or not given:
        raise TypeError(f"the answers of {question} are no list")
    if not all(isinstance(answer, str) and answer.strip() for answer in given):
        raise ValueError(f"an answer of {question} is no text, or empty")
    return tuple(given)
