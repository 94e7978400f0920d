"""Each system's passes by store size."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from lethe.parquet import Row
from lethe.schemas import STORE_SIZE, TRIALS
from lethe.stored.cases import suite_at_size
from lethe.study import paths
from lethe.study.frames import frame, pass_counts, rows_of
from lethe.study.setup import Setup
from lethe.study.step import Names, Rows, Step, Work

_BY = ["suite", "size", "system"]


def score_sizes(suite: str, sizes: Iterable[int], trials: Iterable[Row]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.STORE_SIZE`: each system at each size. A case counts as often as it was run."""
    size_of = {suite_at_size(suite, size): size for size in sizes}
    found = frame(trials, "suite", "system", "case_id", "verdict", "leaked", "missing", "recall_ms")
    found = found.rename(columns={"leaked": "leaks", "missing": "collateral"})
    found["size"], found["suite"] = found["suite"].map(size_of), suite
    scores = pass_counts(found, _BY, ("leaks", "collateral"))
    recalls = found[found["verdict"].isin(("pass", "fail"))].groupby(_BY)["recall_ms"].agg(fmean)
    return rows_of(scores.join(recalls, on=_BY), STORE_SIZE)


def counts_of_system(scores: Iterable[Row], system: str) -> tuple[int, int, int]:
    """Trials, those that are N/A and those that broke, of one system over all sizes."""
    own = [score for score in scores if score["system"] == system]
    cases, na, errors = (sum(score[name] for score in own) for name in ("cases", "na", "errors"))
    return cases, na, errors


def _compute(trials: Rows, suite: str, sizes: Sequence[int]) -> Mapping[str, Rows]:
    return {"scores": score_sizes(suite, sizes, trials)}


def _work(setup: Setup) -> Work:
    axis = setup.store_size
    runs = [(size, name) for size in axis.sizes for name in axis.configurations]
    trials = [paths.STORE_SIZE_TRIALS.format(size=size, system=name) for size, name in runs]
    return Work({"trials": trials}, {"suite": axis.suite, "sizes": axis.sizes})


def _over(setup: Setup) -> Iterable[Names]:
    return [{}] if setup.store_size.enabled else []


STEP = Step({"trials": TRIALS}, {"scores": STORE_SIZE}, _compute, _work, _over)
