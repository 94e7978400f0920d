"""FactConsolidation of MemoryAgentBench (paper, appendix "FactConsolidation cross-evaluation").

The Conflict_Resolution split, as JSON or as the hub's Parquet file: eight buckets, single-hop and multi-hop questions
at four lengths. Both buckets of a length have the same facts, so they share one history.
"""

import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from forgeteval.cases.history import History, Operation, Question
from lethe.crosseval.reading_files import Released, Text, as_released, read_json, unexpected
from lethe.parquet import read_foreign

LENGTHS = ("6k", "32k", "64k", "262k")
_FACT = re.compile(r"(\d+)\. (.*)")
_ANOTHER = re.compile(r"\\n\d+\. ")
"""Where a fact begins behind a line break that was escaped twice."""
_HOPS = ("sh", "mh")
_BUCKET = re.compile(r"factconsolidation_((?:sh|mh)_(\w+))")


def _without_edges(text: str) -> str:
    """The text; ValueError where it has a blank at an end, with which no recall may hold it."""
    if text != text.strip():
        raise ValueError(f"{text!r:.80} begins or ends with a blank")
    return text


class _Metadata(Released):
    source: str
    qa_pair_ids: list[Text]


class _Bucket(Released):
    metadata: _Metadata
    context: str
    questions: list[Text]
    answers: list[Annotated[list[Annotated[Text, AfterValidator(_without_edges)]], Field(min_length=1)]]


def load_factcons(path: Path, lengths: Collection[str]) -> list[History]:
    """One history for each of `lengths`, shortest first; its questions are those of both buckets.

    The numbered lines are inscribed as facts, without their numbers, in source order. A question is passed if any of
    its gold answers is recalled.

    Raises:
        UserError: where the file is not in the released format, or lacks a length.
    """
    facts: dict[str, list[str]] = {}
    questions: dict[str, list[Question]] = {}
    for entry in _buckets(path):
        found = _BUCKET.fullmatch(entry.metadata.source)
        if found is None:
            raise unexpected(path, f"unknown bucket {entry.metadata.source!r}")
        bucket, length = found.groups()
        if length not in lengths:
            continue
        own = _facts(path, bucket, entry.context)
        if facts.setdefault(length, own) != own:
            raise unexpected(path, f"{bucket} has other facts than the other bucket of its length")
        questions.setdefault(length, []).extend(_questions(path, bucket, entry, own))
    missing = [length for length in lengths if length not in facts]
    if missing:
        raise unexpected(path, f"no bucket of the length {missing[0]!r} (crosseval.factcons_lengths)")
    for length, asked in questions.items():
        for bucket in (f"{hops}_{length}" for hops in _HOPS):
            if bucket not in {question.part for question in asked}:
                raise unexpected(path, f"no question of the bucket {bucket}")
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


def _buckets(path: Path) -> list[_Bucket]:
    content = read_foreign(path).to_pylist() if path.suffix == ".parquet" else read_json(path)
    return as_released(path, list[_Bucket], content)


def _facts(path: Path, bucket: str, context: str) -> list[str]:
    facts: list[str] = []
    for line in context.replace("\r\n", "\n").split("\n"):
        found = _FACT.fullmatch(line)
        if found is None and facts and line.strip():
            raise unexpected(path, f"behind the fact {len(facts) - 1} of {bucket} stands a line without a number")
        if found is None:
            continue
        number, fact = found.groups()
        if number != str(len(facts)):
            raise unexpected(path, f"the facts of {bucket} are not numbered from 0")
        if not fact.strip():
            raise unexpected(path, f"the fact {number} of {bucket} is empty or blank")
        if len(fact.splitlines()) > 1 or _ANOTHER.search(fact):
            raise unexpected(path, f"the fact {number} of {bucket} holds a line break, and may be several facts")
        facts.append(fact)
    if not facts:
        raise unexpected(path, f"the facts of {bucket} are not numbered from 0")
    return facts


def _questions(path: Path, bucket: str, entry: _Bucket, facts: Sequence[str]) -> list[Question]:
    names = entry.metadata.qa_pair_ids
    if not len(names) == len(entry.questions) == len(entry.answers):
        raise unexpected(path, f"{bucket}: questions, answers and metadata.qa_pair_ids differ in length")
    told = "\n".join(facts).lower()
    for name, answers in zip(names, entry.answers, strict=True):
        if not any(answer.lower() in told for answer in answers):
            raise unexpected(path, f"no answer to {name!r:.80} stands in the facts of {bucket}: {answers!r:.80}")
    asked = zip(names, entry.questions, entry.answers, strict=True)
    return [Question(name, bucket, text, "any", required=tuple(answers)) for name, text, answers in asked]
