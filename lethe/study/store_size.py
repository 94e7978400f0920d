"""The store-size axis: pass counts of cases by the number of unrelated memories that they are run among."""

from collections.abc import Iterable
from statistics import fmean
from typing import Any

from lethe.parquet import Row
from lethe.schemas import STORE_SIZE
from lethe.stored.cases import suite_at_size
from lethe.study.frames import frame, pass_counts, rows_of

_BY = ["suite", "size", "system"]


def score_sizes(suite: str, sizes: Iterable[int], trials: Iterable[Row]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.STORE_SIZE`: each system at each size. Repetitions of a case count as so many cases."""
    size_of = {suite_at_size(suite, size): size for size in sizes}
    found = frame(trials, "suite", "system", "verdict", "leaked", "missing", "recall_ms")
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
