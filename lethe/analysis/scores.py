"""From trials to pass counts by system and category."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from lethe.analysis.intervals import wilson
from lethe.forgeteval.cases import Case
from lethe.schemas import OVERALL, WITHOUT_COMPOUND


def score_trials(cases: Sequence[Case], trials: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.SCORES` for one suite: each system by category and over all.

    Several repetitions of a case count as so many cases.
    """
    categories = {case.case_id: case.category for case in cases}
    groups: dict[tuple[str, str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for trial in trials:
        category = categories[trial["case_id"]]
        key = trial["suite"], trial["system"]
        groups[*key, category].append(trial)
        groups[*key, OVERALL].append(trial)
        if category != "compound_fact":
            groups[*key, WITHOUT_COMPOUND].append(trial)
    return [_score(*key, members) for key, members in groups.items()]


def _score(suite: str, system: str, category: str, trials: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    count = {verdict: sum(t["verdict"] == verdict for t in trials) for verdict in ("pass", "fail", "na", "error")}
    low, high = wilson(count["pass"], len(trials))
    evaluated = count["pass"] + count["fail"]
    walls = [t["inscribe_ms"] + t["mutate_ms"] + t["recall_ms"] for t in trials if t["verdict"] in ("pass", "fail")]
    return {
        "suite": suite,
        "system": system,
        "category": category,
        "cases": len(trials),
        "passed": count["pass"],
        "failed": count["fail"],
        "na": count["na"],
        "errors": count["error"],
        "probed_passed": sum(t["probed_verdict"] == "pass" for t in trials),
        "rate": count["pass"] / len(trials),
        "wilson_low": low,
        "wilson_high": high,
        "evaluable_rate": count["pass"] / evaluated if evaluated else None,
        "wall_ms": fmean(walls) if walls else None,
    }
