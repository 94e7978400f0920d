"""Trials of cases: one configuration on one case, once, and what a case says of the texts that it recalled."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from forgeteval.cases.case import Case
from forgeteval.run.replay import Answer, Replay
from forgeteval.scoring.scorers import score, substring_contains

Verdict = Literal["pass", "fail", "na", "error"]


@dataclass(slots=True)
class Trial:
    """What one system did on one case, once. The columns are described in `lethe.schemas.TRIALS`."""

    suite: str
    system: str
    model: str
    repetition: int
    case_id: str
    verdict: Verdict = "error"
    missing: list[str] = field(default_factory=list)
    leaked: list[str] = field(default_factory=list)
    recalled: list[str] = field(default_factory=list)
    probed_verdict: Verdict | None = None
    residue: int | None = None
    present: list[bool] = field(default_factory=list)
    inscribe_ms: float = 0.0
    mutate_ms: float = 0.0
    recall_ms: float = 0.0
    cpu_ms: float = 0.0
    llm_calls: int = 0
    llm_fallbacks: int = 0
    matcher_fallbacks: int = 0
    decisions: list[str] = field(default_factory=list)
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    answer_ms: float = 0.0
    error: str | None = None
    traceback: str | None = None

    def to_row(self) -> dict[str, Any]:
        """The trial as a row of `lethe.schemas.TRIALS`."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The columns of a trial that follow from what was recalled."""

    verdict: Literal["pass", "fail"]
    missing: list[str]
    leaked: list[str]


def judge(recalled: Sequence[str], case: Case) -> Judgement:
    """What a case says of recalled texts."""
    scored = score(recalled, case.must_contain, case.must_not_contain, substring_contains)
    return Judgement("pass" if scored.passed else "fail", list(scored.missing), list(scored.leaked))


def score_trial(trial: Trial, case: Case, replayed: Replay) -> Trial:
    """Fill in what came of a case's replay."""
    answer = replayed.answers[0] if replayed.answers else Answer(case.case_id)
    trial.inscribe_ms, trial.mutate_ms, trial.recall_ms = replayed.inscribe_ms, replayed.mutate_ms, answer.recall_ms
    trial.cpu_ms = replayed.cpu_ms + answer.cpu_ms
    trial.decisions, trial.residue, trial.present = replayed.decisions, answer.residue, answer.present
    if answer.recalled is not None:
        trial.recalled = answer.recalled
        judgement = judge(answer.recalled, case)
        trial.verdict, trial.missing, trial.leaked = judgement.verdict, judgement.missing, judgement.leaked
        if answer.reached is not None:
            trial.probed_verdict = "pass" if trial.verdict == "pass" and not answer.reached else "fail"
    if replayed.refused is not None:
        trial.verdict, trial.error = "na", replayed.refused
    elif replayed.error is not None:
        trial.verdict, trial.error, trial.traceback = "error", replayed.error, replayed.traceback
    return trial
