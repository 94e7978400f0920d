"""What a run with a chat model is said to have come to."""

from typing import Any

import pytest

from forgeteval.errors import UserError
from forgeteval.run.trials import Trial, Verdict
from lethe.study.judges import require_judgements
from lethe.study.llm_runs import llm_run_rows, require_answers

UNUSABLE = "purge: fallback (no answer could be used)"


def trial(case_id: str, verdict: Verdict, repetition: int = 0, model: str = "chat", **values: Any) -> dict[str, Any]:
    row = Trial("mine", "lethe+llm" if model else "lethe", model, repetition, case_id, verdict=verdict).to_row()
    return row | {"llm_calls": 2, "tokens_in": 100, "tokens_out": 10, "cost_usd": 0.5, **values}


def test_repetitions_give_a_mean_and_a_spread() -> None:
    trials = [
        trial("a", "pass", mutate_ms=10.0),
        trial("b", "pass", mutate_ms=20.0, llm_fallbacks=1),
        trial("a", "pass", 1, mutate_ms=30.0),
        trial("b", "fail", 1, mutate_ms=90.0),
    ]
    (run,) = llm_run_rows(trials)
    assert (run["suite"], run["system"], run["model"]) == ("mine", "lethe+llm", "chat")
    assert (run["repetitions"], run["cases"]) == (2, 2)
    assert run["rate"] == 0.75
    assert run["rate_sd"] == pytest.approx(0.5 / 2**0.5)
    assert (run["calls"], run["fallbacks"], run["tokens_in"], run["tokens_out"]) == (8, 1, 400, 40)
    assert (run["cost_usd"], run["mutate_ms"], run["errors"], run["first_error"]) == (2.0, 25.0, 0, None)


def test_what_the_model_alone_decided_is_counted_apart() -> None:
    trials = [
        trial("a", "pass", decisions=["purge: 1 of 4 memories"], llm_calls=1),
        trial("b", "fail", decisions=["purge: 4 of 4 memories"], llm_calls=2),
        trial("c", "pass", decisions=["supersede: replace", UNUSABLE], llm_calls=3, llm_fallbacks=1),
        trial("d", "fail", decisions=[], llm_calls=0),
        trial("e", "pass", decisions=["release: fallback (no memory was named)"], llm_calls=1, llm_fallbacks=1),
    ]
    (run,) = llm_run_rows(trials)
    assert (run["decisions"], run["repairs"], run["fallbacks"], run["unusable"]) == (5, 2, 2, 1)
    assert (run["alone_cases"], run["alone_passed"]) == (2, 1)


def test_one_repetition_has_no_spread_and_errors_have_no_time() -> None:
    (run,) = llm_run_rows([trial("a", "error", error="HTTP 503", mutate_ms=5.0), trial("b", "pass", mutate_ms=7.0)])
    assert (run["rate"], run["rate_sd"], run["errors"], run["first_error"]) == (0.5, None, 1, "HTTP 503")
    assert run["mutate_ms"] == 7.0


def test_rows_without_a_model_are_no_llm_runs_and_models_are_kept_apart() -> None:
    runs = llm_run_rows([trial("a", "pass", model=""), trial("a", "pass"), trial("a", "fail", model="other")])
    assert [(run["model"], run["rate"]) for run in runs] == [("chat", 1.0), ("other", 0.0)]


def test_a_run_of_errors_alone_is_refused_by_name() -> None:
    broken = llm_run_rows([trial("a", "error", repetition, error="HTTP 503") for repetition in (0, 1)])
    with pytest.raises(UserError, match=r"lethe\+llm with chat on mine: every trial ended in an error.*HTTP 503"):
        require_answers(broken)
    require_answers(llm_run_rows([trial("a", "error", error="x"), trial("b", "fail")]))


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        (["error", "error"], "none of 2 judgements on mine is a verdict, the first of 2 errors: gone; "),
        (["unusable", "error"], "none of 2 judgements on mine is a verdict, the first of 1 errors: gone; "),
        (["unusable"], "none of 1 judgements on mine is a verdict; "),
    ],
)
def test_a_judge_without_a_verdict_is_refused_by_name(verdicts: list[str], said: str) -> None:
    def judged(verdict: str, suite: str = "mine") -> dict[str, Any]:
        return {"judge": "j", "suite": suite, "verdict": verdict, "error": "gone" if verdict == "error" else None}

    rows = [*map(judged, verdicts), judged("admit", "another")]
    with pytest.raises(UserError) as raised:
        require_judgements(rows)
    remedy = "correct models.j, remove results/judging/mine/j.parquet and run it again"
    log = "the tables say so, and results/logs/judging/mine/j.log says why"
    assert str(raised.value) == f"judge j: {said}{log}; {remedy}"
    require_judgements([*rows, judged("reject")])
