"""Stage 2 of admission (paper, section "Adversarial layer"): the judge's prompt, its answer, and the record of both.

Nothing here calls a model; a caller sends `judge_prompt(case)` to one and passes its answer to `judge_record`.
The prompt spells out what judges misunderstood in the paper's audit (section "Judge audit on hand-crafted core"): other
surface forms are the same entity, a release takes every memory it describes, and strings are compared literally.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict

from forgeteval.cases.case import Case
from forgeteval.planners.llm.reading import UnusableAnswer, only_object

Verdict = Literal["admit", "reject"]

DATA_FILES = ("judge_prompt.txt",)
_PROMPT = Path(__file__).with_name(DATA_FILES[0]).read_text(encoding="utf-8")
_CONDITIONS = ("must_contain_survive", "forbidden_absent", "answerable")
_FLAGS = ("admit", *_CONDITIONS)
_ANSWER_FIELDS = {*_FLAGS, "reason"}
CONTRACT: Mapping[str, Any] = {
    "type": "object",
    "properties": {name: {"type": "boolean"} for name in _FLAGS} | {"reason": {"type": "string", "minLength": 1}},
    "required": [*_FLAGS, "reason"],
    "additionalProperties": False,
}
"""JSON Schema of an answer, for models that are asked by schema; it cannot say that the fields must fit together."""
LEFT_OUT = "left out, as it may quote a case of other authors"
"""Stands for a text of a judge that is not kept."""
_SHOWN = ("setup_facts", "mutations", "final_query", "must_contain", "must_not_contain")
"""Fields shown to the judge; the gold memories, the category and the mechanism would give the answer away."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A judge's answer: the paper's conditions (a), (b) and (c), the conclusion and the reason."""

    admit: bool
    must_contain_survive: bool
    forbidden_absent: bool
    answerable: bool
    reason: str

    @property
    def verdict(self) -> Verdict | None:
        """`admit` if all three conditions hold, else `reject`; None if the answer contradicts its own conditions."""
        sound = self.must_contain_survive and self.forbidden_absent and self.answerable
        if self.admit != sound:
            return None
        return "admit" if sound else "reject"


@dataclass(frozen=True, slots=True)
class JudgeRecord:
    """One answer of a judge about one case.

    `verdict` is None if the answer was unusable or contradicted itself; such a case is neither admitted nor rejected,
    and may be judged again. `prompt_hash` is the SHA-256 (16 hexadecimal digits) of the whole prompt.
    """

    case_id: str
    judge_model: str
    prompt_hash: str
    verdict: Verdict | None
    reason: str


class Judgement(TypedDict):
    """A row of `lethe.schemas.JUDGEMENTS`."""

    suite: str
    case_id: str
    category: str
    provenance: str
    judge: str
    family: str
    verdict: str
    must_contain_survive: bool | None
    forbidden_absent: bool | None
    answerable: bool | None
    reason: str | None
    prompt_hash: str
    error: str | None
    llm_calls: int
    tokens_in: int
    tokens_out: int
    cost_usd: float
    answer_ms: float


def judge_prompt(case: Case) -> str:
    """The prompt for one case, which ends with the case as a fenced JSON block."""
    fields = case.to_json()
    shown = json.dumps({name: fields[name] for name in _SHOWN}, ensure_ascii=False, indent=1)
    # A fence in a text of the case must not close the block.
    return _PROMPT.replace("{case}", shown.replace("`", "\\u0060"))


def prompt_hash(prompt: str) -> str:
    """SHA-256 of a prompt, 16 hexadecimal digits."""
    return hashlib.sha256(prompt.encode("utf-8")).hexdigest()[:16]


def parse_answer(text: str) -> Answer | None:
    """Read a judge's answer; None unless it holds one JSON object, which has exactly the five fields.

    Nothing is guessed: a missing, repeated or additional field, or "true" instead of true makes it unusable.
    """
    try:
        answer = only_object(text).value
    except UnusableAnswer:
        return None
    if set(answer) != _ANSWER_FIELDS:
        return None
    if not all(isinstance(answer[name], bool) for name in _FLAGS):
        return None
    if not isinstance(answer["reason"], str) or not answer["reason"].strip():
        return None
    return Answer(**answer)


def without_quotes(text: str) -> str:
    """A judge's answer as far as it can be kept of a case that is not this project's: its reason may quote the case.

    It gives the verdict that the whole answer gives, or none, for the same cause.
    """
    answer = parse_answer(text)
    return LEFT_OUT if answer is None else json.dumps({**asdict(answer), "reason": LEFT_OUT})


def judge_record(case: Case, judge_model: str, answer_text: str) -> JudgeRecord:
    """The record of the answer of `judge_model` to `judge_prompt(case)`."""
    answer = parse_answer(answer_text)
    if answer is None:
        verdict, reason = None, "unusable answer"
    elif answer.verdict is None:
        verdict, reason = None, f"contradictory answer: {answer.reason.strip()}"
    else:
        verdict, reason = answer.verdict, answer.reason.strip()
    return JudgeRecord(case.case_id, judge_model, prompt_hash(judge_prompt(case)), verdict, reason)
