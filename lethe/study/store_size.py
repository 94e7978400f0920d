"""The store-size axis: pass counts of cases by the number of unrelated memories that they are run among."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Any

from forgeteval.scoring.intervals import wilson
from lethe.parquet import Row
from lethe.stored.cases import suite_at_size


def score_sizes(suite: str, sizes: Iterable[int], trials: Iterable[Row]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.STORE_SIZE`: each system at each size. Repetitions of a case count as so many cases."""
    size_of = {suite_at_size(suite, size): size for size in sizes}
    groups: dict[tuple[int, str], list[Row]] = defaultdict(list)
    for trial in trials:
        groups[size_of[trial["suite"]], trial["system"]].append(trial)
    return [_score(suite, size, system, members) for (size, system), members in groups.items()]


def counts_of_system(scores: Iterable[Row], system: str) -> tuple[int, int, int]:
    """Trials, those that are N/A and those that broke, of one system over all sizes."""
    own = [score for score in scores if score["system"] == system]
    cases, na, errors = (sum(score[name] for score in own) for name in ("cases", "na", "errors"))
    return cases, na, errors


def _score(suite: str, size: int, system: str, trials: Sequence[Row]) -> dict[str, Any]:
    verdicts = [trial["verdict"] for trial in trials]
    passed = verdicts.count("pass")
    low, high = wilson(passed, len(trials))
    recalls = [trial["recall_ms"] for trial in trials if trial["verdict"] in ("pass", "fail")]
    return {
        "suite": suite,
        "size": size,
        "system": system,
        "cases": len(trials),
        "passed": passed,
        "na": verdicts.count("na"),
        "errors": verdicts.count("error"),
        "leaks": sum(bool(trial["leaked"]) for trial in trials),
        "collateral": sum(bool(trial["missing"]) for trial in trials),
        "rate": passed / len(trials),
        "wilson_low": low,
        "wilson_high": high,
        "recall_ms": fmean(recalls) if recalls else None,
    }
