"""One suite's trials under each scorer, and passes by system and part of the suite."""

from collections.abc import Mapping, Sequence

from lethe.analysis.hook_choices import hook_choice_rows
from lethe.analysis.llm_runs import llm_run_rows
from lethe.analysis.scorer_audit import disagreements
from lethe.analysis.scores import score_suite
from lethe.analysis.states import state_rows
from lethe.analysis.step import Rows, Step
from lethe.analysis.verdicts import verdict_rows
from lethe.schemas import CASES, FACT_STATES, HOOK_CHOICES, LLM_RUNS, SCORER_AUDIT, SCORES, TRIALS, VERDICTS
from lethe.stored.cases import suite_from_rows


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
)
