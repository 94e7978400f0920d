"""One suite's trials under each scorer, and passes by system and part of the suite."""

from collections.abc import Mapping, Sequence

from lethe.schemas import CASES, FACT_STATES, HOOK_CHOICES, LLM_RUNS, SCORER_AUDIT, SCORES, TRIALS, VERDICTS
from lethe.stored.cases import suite_from_rows
from lethe.study import paths
from lethe.study.hook_choices import hook_choice_rows
from lethe.study.llm_runs import llm_run_rows
from lethe.study.scorer_audit import disagreements
from lethe.study.scores import score_suite
from lethe.study.setup import Setup
from lethe.study.states import state_rows
from lethe.study.step import Rows, Step, Work, each_suite
from lethe.study.verdicts import verdict_rows


def _compute(cases: Rows, trials: Rows, reference_system: str, controls: Sequence[str]) -> Mapping[str, Rows]:
    suite = suite_from_rows(cases)
    verdicts = verdict_rows(suite, trials)
    return {
        "verdicts": verdicts,
        "scores": score_suite(suite, trials, verdicts, reference_system),
        "states": state_rows(suite, trials),
        "audit": disagreements(suite, verdicts, frozenset(controls)),
        "llm_runs": llm_run_rows(trials),
        "choices": hook_choice_rows(suite, trials),
    }


def _work(setup: Setup, suite: str) -> Work:
    return Work(
        {"cases": paths.cases(suite), "trials": paths.trials(setup, suite)},
        {"reference_system": setup.reference, "controls": setup.controls()},
    )


STEP = Step(
    {"cases": CASES, "trials": TRIALS},
    {
        "verdicts": VERDICTS,
        "scores": SCORES,
        "states": FACT_STATES,
        "audit": SCORER_AUDIT,
        "llm_runs": LLM_RUNS,
        "choices": HOOK_CHOICES,
    },
    _compute,
    _work,
    each_suite,
)
