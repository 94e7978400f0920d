"""Wall time and chat calls per case (paper, section "Latency")."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean, median, stdev
from typing import Any

from lethe.parquet import Row

_PHASES = ("inscribe_ms", "mutate_ms", "recall_ms")


def latency_rows(trials: Iterable[Row]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.LATENCY`; a configuration without an evaluated trial has none."""
    groups: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for trial in trials:
        if trial["verdict"] in ("pass", "fail"):
            groups[trial["suite"], trial["system"], trial["model"]].append(trial)
    return [
        {"suite": suite, "system": system, "model": model, **_times(members)}
        for (suite, system, model), members in groups.items()
    ]


def _times(trials: Sequence[Row]) -> dict[str, Any]:
    walls = [max(float(sum(trial[phase] for phase in _PHASES)), trial["answer_ms"]) for trial in trials]
    low, high = _mean_interval(walls)
    return {
        "trials": len(trials),
        **{phase: fmean(trial[phase] for trial in trials) for phase in _PHASES},
        "wall_ms": fmean(walls),
        "wall_low": low,
        "wall_high": high,
        "wall_median_ms": median(walls),
        "cpu_ms": fmean(trial["cpu_ms"] for trial in trials),
        "llm_calls": fmean(trial["llm_calls"] for trial in trials),
    }


def _mean_interval(values: Sequence[float]) -> tuple[float | None, float | None]:
    if len(values) < 2:
        return None, None
    # Slow to import; the workflow loads this module whenever it starts.
    from scipy.stats import t as student

    reach = float(student.ppf(0.975, len(values) - 1)) * stdev(values) / len(values) ** 0.5
    return fmean(values) - reach, fmean(values) + reach
