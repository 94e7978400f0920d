"""What the trials say of a hook: decisions that were not its own, and what its model was asked."""

from collections import Counter
from collections.abc import Iterator, Sequence

from forgeteval.planners.llm.planner import NO_USABLE_ANSWER
from forgeteval.planners.protocol import PlannerUnavailable
from forgeteval.run.trials import Trial

_FALLBACK, _ASKED, _CHOSEN, _SUPERSEDE = "fallback", "asked about ", "memor", "supersede"
"""How the outcome of a decision begins; see `forgeteval.stores.hook.HookedAdapter.decisions`."""
_REASONS = 3
"""Of so many the line says how often each occurs, the most frequent first."""


def hook_lines(hook: str, trials: Sequence[Trial]) -> Iterator[str]:
    """A line where decisions of a hook fell back to the store's own policy, and one where the model of a hook whose
    caller is asked gave no usable answer.

    Args:
        hook: its name.
    """
    decided = [decision for trial in trials for decision in _decisions(trial)]
    left = _reasons(decided, _FALLBACK)
    asked = {reason: count for reason, count in _reasons(decided, _ASKED).items() if reason == NO_USABLE_ANSWER}
    for reasons, what in (
        (left, "fell back to the store's own policy"),
        (asked, "were left to the caller, so that nothing was forgotten"),
    ):
        if reasons:
            yield f"hook {hook}: {sum(reasons.values())} of {len(decided)} decisions {what} ({_told(reasons)})"


def decided_nothing(trials: Sequence[Trial]) -> bool:
    """Whether there were decisions, and none of them was the hook's: the result is the store's own.

    A caller who is asked is a decision, unless no answer of the model could be used.
    """
    decided = [decision for trial in trials for decision in _decisions(trial)]
    left = sum(_reasons(decided, _FALLBACK).values()) + _reasons(decided, _ASKED)[NO_USABLE_ANSWER]
    return bool(decided) and left == len(decided)


def who_broke(trials: Sequence[Trial]) -> str:
    """What the errors among trials say of the store, of its hook and its model; empty where there are none."""
    return " or ".join(sorted({_who_broke(trial) for trial in trials if trial.verdict == "error"}, reverse=True))


def _who_broke(trial: Trial) -> str:
    if not (trial.error or "").startswith(f"{PlannerUnavailable.__name__}: "):
        return "the store broke"
    return "the model failed" if trial.model else "the hook failed"


def asked_line(hook: str, trials: Sequence[Trial]) -> str:
    """What the model of a hook was asked; empty where it was not."""
    calls = sum(trial.llm_calls for trial in trials)
    tokens_in, tokens_out = sum(trial.tokens_in for trial in trials), sum(trial.tokens_out for trial in trials)
    return f"hook {hook}: {calls:,} calls, {tokens_in:,} tokens in, {tokens_out:,} out" if calls else ""


def _decisions(trial: Trial) -> Iterator[tuple[str, str]]:
    """Operation and outcome of each decision; a supersession may have a second line, of what becomes of the memory."""
    chosen = False
    for line in trial.decisions:
        operation, _, outcome = line.partition(": ")
        if chosen and operation == _SUPERSEDE and not outcome.startswith((_FALLBACK, _ASKED, _CHOSEN, "0 of ")):
            chosen = False
            continue
        chosen = operation == _SUPERSEDE and outcome.startswith(_CHOSEN)
        yield operation, outcome


def _reasons(decided: Sequence[tuple[str, str]], begins: str) -> Counter[str]:
    outcomes = [outcome for _, outcome in decided if outcome.startswith(begins)]
    return Counter(outcome.partition(" (")[2].removesuffix(")") or "without a reason" for outcome in outcomes)


def _told(reasons: dict[str, int]) -> str:
    if len(reasons) == 1:
        return next(iter(reasons))
    most = Counter(reasons).most_common(_REASONS)
    others = len(reasons) - len(most)
    told = [f"{count} {reason}" for reason, count in most]
    return "; ".join([*told, f"and {others} other reasons"] if others else told)
