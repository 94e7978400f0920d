"""Stage 2 of admission (paper, section "Adversarial layer"): the judge's prompt, its answer, the rule and the record.

Nothing here calls a model; a caller sends `judge_prompt(case)` to one and hands its answer to `judge_record`.
The prompt states what the paper's audit of its judge found misunderstood (section "Judge audit on hand-crafted core"):
other surface forms are the same entity, a release takes every row it describes, and strings are compared literally.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from lethe.cases.case import Case

Verdict = Literal["admit", "reject"]

DATA_FILES = ("judge_prompt.txt",)
_PROMPT = Path(__file__).with_name(DATA_FILES[0]).read_text(encoding="utf-8")
_CONDITIONS = ("must_contain_survive", "forbidden_absent", "answerable")
_ANSWER_FIELDS = {"admit", *_CONDITIONS, "reason"}
_FENCED = re.compile(r"```(?:json)?\s*\n(.*?)\n?\s*```", re.DOTALL)
_SHOWN = ("setup_facts", "mutations", "final_query", "must_contain", "must_not_contain")
"""What the judge sees. Gold rows, category and mechanism would tell it the answer that it is to find by itself."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A judge's answer: the paper's conditions (a), (b) and (c), what it concludes, and why."""

    admit: bool
    must_contain_survive: bool
    forbidden_absent: bool
    answerable: bool
    reason: str

    @property
    def verdict(self) -> Verdict | None:
        """`admit` iff all three conditions hold; None where the answer contradicts its own conditions."""
        sound = self.must_contain_survive and self.forbidden_absent and self.answerable
        if self.admit != sound:
            return None
        return "admit" if sound else "reject"


@dataclass(frozen=True, slots=True)
class JudgeRecord:
    """One case judged once.

    `verdict` is None where the answer was unusable or contradicted itself: such a case is neither admitted nor
    rejected, and may be judged again. `prompt_hash` is the SHA-256 (16 hexadecimal digits) of the whole prompt.
    """

    case_id: str
    judge_model: str
    prompt_hash: str
    verdict: Verdict | None
    reason: str


def judge_prompt(case: Case) -> str:
    """The prompt for one case; its last part is one fenced JSON block with the case."""
    row = case.to_json()
    shown = json.dumps({name: row[name] for name in _SHOWN}, ensure_ascii=False, indent=1)
    # A case text with a fence in it must not close the block.
    return _PROMPT.replace("{case}", shown.replace("`", "\\u0060"))


def prompt_hash(prompt: str) -> str:
    """SHA-256 of a prompt, 16 hexadecimal digits."""
    return hashlib.sha256(prompt.encode("utf-8")).hexdigest()[:16]


def parse_answer(text: str) -> Answer | None:
    """Read a judge's answer; None unless it is one JSON object, bare or fenced, with exactly the five fields.

    Nothing is guessed: text around the object, a missing, repeated or further field, or "true" for true make it
    unusable.
    """
    body = text.strip()
    fenced = _FENCED.fullmatch(body)
    try:
        row = json.loads(fenced[1] if fenced else body, object_pairs_hook=_without_repetition)
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict) or set(row) != _ANSWER_FIELDS:
        return None
    if not all(isinstance(row[name], bool) for name in ("admit", *_CONDITIONS)):
        return None
    if not isinstance(row["reason"], str) or not row["reason"].strip():
        return None
    return Answer(**row)


def judge_record(case: Case, judge_model: str, answer_text: str) -> JudgeRecord:
    """The record of what `judge_model` answered to `judge_prompt(case)`."""
    answer = parse_answer(answer_text)
    if answer is None:
        verdict, reason = None, "unusable answer"
    elif answer.verdict is None:
        verdict, reason = None, f"contradictory answer: {answer.reason.strip()}"
    else:
        verdict, reason = answer.verdict, answer.reason.strip()
    return JudgeRecord(case.case_id, judge_model, prompt_hash(judge_prompt(case)), verdict, reason)


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        raise ValueError("a field is given twice")
    return row
