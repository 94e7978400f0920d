"""Each system's passes by store size."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, cast

from lethe.parquet import Row
from lethe.schemas import CASES, STORE_SIZE, TRIALS, VECTORS
from lethe.stored.cases import suite_at_size
from lethe.study import paths
from lethe.study.frames import frame, pass_counts, rows_of
from lethe.study.joining import Told
from lethe.study.setup import Setup
from lethe.study.step import Names, Rows, Step, Work

_BY = ["suite", "size", "system"]


def score_sizes(
    suite: str, sizes: Iterable[int], k: int, trials: Sequence[Row], cases: Iterable[Row], haystack: Sequence[str]
) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.STORE_SIZE`: each system at each size. A case counts as often as it was run.

    Args:
        k: how many memories a recall returns.
        cases: rows of `lethe.schemas.CASES`.
        haystack: the unrelated memories, of which the first stand before a case.
    """
    size_of = {suite_at_size(suite, size): size for size in sizes}
    found = frame(trials, "suite", "system", "case_id", "verdict", "leaked", "missing", "recall_ms", "recalled")
    found = found.rename(columns={"leaked": "leaks", "missing": "collateral"})
    found["size"], found["suite"] = found["suite"].map(size_of), suite
    facts = {case["case_id"]: _told_in(case) for case in cases}
    for key, own in found.groupby(["size", "case_id"], sort=False):
        size, case_id = cast(tuple[int, str], key)
        told = Told([*haystack[:size], *facts[case_id]])
        found.loc[own.index, "joined"] = [told.are_joined(recalled, k) for recalled in own["recalled"]]
    scores = pass_counts(found, _BY, ("leaks", "collateral", "joined"))
    recalls = found[found["verdict"].isin(("pass", "fail"))].groupby(_BY)["recall_ms"].agg(fmean)
    return rows_of(scores.join(recalls, on=_BY), STORE_SIZE)


def _told_in(case: Row) -> list[str]:
    texts = [*case["setup_facts"], *(mutation["text"] for mutation in case["mutations"])]
    return [text for text in texts if text]


def counts_of_system(scores: Iterable[Row], system: str) -> tuple[int, int, int]:
    """Trials, those that are N/A and those that broke, of one system over all sizes."""
    own = [score for score in scores if score["system"] == system]
    cases, na, errors = (sum(score[name] for score in own) for name in ("cases", "na", "errors"))
    return cases, na, errors


def joined_of_system(scores: Iterable[Row], system: str) -> int:
    """Trials of one system over all sizes whose recall holds more than k memories."""
    return sum(score["joined"] or 0 for score in scores if score["system"] == system)


def _compute(trials: Rows, cases: Rows, haystack: Rows, suite: str, sizes: Sequence[int], k: int) -> Mapping[str, Rows]:
    return {"scores": score_sizes(suite, sizes, k, trials, cases, [row["text"] for row in haystack])}


def _work(setup: Setup) -> Work:
    axis = setup.store_size
    runs = [(size, name) for size in axis.sizes for name in axis.configurations]
    trials = [paths.STORE_SIZE_TRIALS.format(size=size, system=name) for size, name in runs]
    inputs = {"trials": trials, "cases": paths.cases(axis.suite), "haystack": [paths.HAYSTACK]}
    return Work(inputs, {"suite": axis.suite, "sizes": axis.sizes, "k": setup.k})


def _over(setup: Setup) -> Iterable[Names]:
    return [{}] if setup.store_size.enabled else []


_READS = {"trials": TRIALS, "cases": CASES, "haystack": VECTORS}
STEP = Step(_READS, {"scores": STORE_SIZE}, _compute, _work, _over)
