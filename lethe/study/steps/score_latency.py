"""Time per case of each configuration."""

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, median, stdev
from typing import Any

from lethe.parquet import Row
from lethe.schemas import LATENCY, TRIALS
from lethe.study import paths
from lethe.study.frames import frame, rows_of
from lethe.study.setup import Setup
from lethe.study.step import Rows, Step, Work

_BY = ("suite", "system", "model")
_PHASES = ("inscribe_ms", "mutate_ms", "recall_ms")


def latency_rows(trials: Iterable[Row]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.LATENCY`; a configuration without an evaluated trial has none."""
    evaluated = [trial for trial in trials if trial["verdict"] in ("pass", "fail")]
    found = frame(evaluated, *_BY, *_PHASES, "cpu_ms", "llm_calls")
    found["wall_ms"] = [max(float(sum(trial[phase] for phase in _PHASES)), trial["answer_ms"]) for trial in evaluated]
    groups = found.groupby(list(_BY), sort=False)
    times = groups.agg(
        trials=("wall_ms", "size"),
        wall_median_ms=("wall_ms", median),
        reach=("wall_ms", _reach),
        **{name: (name, fmean) for name in (*_PHASES, "wall_ms", "cpu_ms", "llm_calls")},
    )
    ends = {"wall_low": times["wall_ms"] - times["reach"], "wall_high": times["wall_ms"] + times["reach"]}
    return rows_of(times.assign(**ends).reset_index(), LATENCY)


def _reach(values: Sequence[float]) -> float:
    """How far the ends of the 95 % interval of the mean are from it; NaN for one value."""
    if len(values) < 2:
        return math.nan
    # Slow to import; the workflow loads this module whenever it starts.
    from scipy.stats import t as student

    spread: float = stdev(values)
    return float(student.ppf(0.975, len(values) - 1)) * spread / math.sqrt(len(values))


def _compute(trials: Rows) -> Mapping[str, Rows]:
    return {"latency": latency_rows(trials)}


def _work(setup: Setup) -> Work:
    """Of a configuration with a chat model, the time is that of its run."""
    suite = setup.adversarial_suite
    asking = [name for name in setup.measured() if setup.configurations[name].asks_model and setup.runs(name, suite)]
    alone = [paths.LATENCY_TRIALS.format(system=name) for name in setup.timed()]
    return Work({"trials": alone + [TRIALS.path.format(suite=suite, system=name) for name in asking]})


STEP = Step({"trials": TRIALS}, {"latency": LATENCY}, _compute, _work)
