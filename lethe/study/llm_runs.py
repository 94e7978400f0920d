"""What each run with a chat model came to: passes and their spread over repetitions, calls, cost, time, fallbacks."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean, median, stdev
from typing import Any

from forgeteval.errors import UserError
from forgeteval.planners.llm.planner import NO_USABLE_ANSWER
from lethe.parquet import Row


def llm_run_rows(trials: Iterable[Row]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.LLM_RUNS`: one for each suite, system and model."""
    groups: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for trial in trials:
        if trial["model"]:
            groups[trial["suite"], trial["system"], trial["model"]].append(trial)
    return [_run(*key, members) for key, members in groups.items()]


def require_answers(runs: Iterable[Row]) -> None:
    """Raise UserError, naming the first, where every trial of a run ended in an error."""
    for run in runs:
        if run["errors"] == run["cases"] * run["repetitions"]:
            raise UserError(
                f"{run['system']} with {run['model']} on {run['suite']}: every trial ended in an error, the first: "
                f"{run['first_error']}; the tables say so; correct models.{run['model']} and remove "
                f"results/runs/{run['suite']}/{run['system']}@{run['model']}.parquet to run it again"
            )


def _run(suite: str, system: str, model: str, trials: Sequence[Row]) -> dict[str, Any]:
    passed: dict[int, int] = defaultdict(int)
    for trial in trials:
        passed[trial["repetition"]] += trial["verdict"] == "pass"
    repetitions = len(passed)
    cases = len(trials) // repetitions
    rates = [count / cases for count in passed.values()]
    evaluated = [trial["mutate_ms"] for trial in trials if trial["verdict"] in ("pass", "fail")]
    errors = [trial["error"] for trial in trials if trial["verdict"] == "error"]
    alone = [trial for trial in trials if _decisions(trial) and not trial["llm_fallbacks"]]
    return {
        "suite": suite,
        "system": system,
        "model": model,
        "repetitions": repetitions,
        "cases": cases,
        "rate": fmean(rates),
        "rate_sd": stdev(rates) if repetitions > 1 else None,
        "errors": len(errors),
        "first_error": errors[0] if errors else None,
        "calls": sum(trial["llm_calls"] for trial in trials),
        "decisions": sum(map(_decisions, trials)),
        "unusable": sum(NO_USABLE_ANSWER in decision for trial in trials for decision in trial["decisions"]),
        "fallbacks": sum(trial["llm_fallbacks"] for trial in trials),
        "repairs": sum(trial["llm_calls"] - _decisions(trial) for trial in trials if _decisions(trial)),
        "alone_cases": len(alone),
        "alone_passed": sum(trial["verdict"] == "pass" for trial in alone),
        "tokens_in": sum(trial["tokens_in"] for trial in trials),
        "tokens_out": sum(trial["tokens_out"] for trial in trials),
        "cost_usd": sum(trial["cost_usd"] for trial in trials),
        "answer_ms": sum(trial["answer_ms"] for trial in trials),
        "mutate_ms": median(evaluated) if evaluated else None,
    }


def _decisions(trial: Row) -> int:
    return len(trial["decisions"])
