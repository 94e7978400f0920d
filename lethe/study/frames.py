"""Rows as data frames: joined, grouped in the order of their first rows, counted with intervals, and rows again."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

from forgeteval.scoring.intervals import rate_of_clusters, wilson
from lethe.parquet import Row
from lethe.schemas import Table

if TYPE_CHECKING:
    import pandas as pd

_VERDICTS = {"passed": "pass", "failed": "fail", "na": "na", "errors": "error"}


def frame(rows: Iterable[Row], *columns: str) -> "pd.DataFrame":
    """These columns of the rows; values are what they are in the rows, whole numbers and None among them."""
    # Slow to import; planning reads the modules of the steps and needs no frame.
    import pandas as pd

    values = [[row[name] for name in columns] for row in rows]
    return pd.DataFrame(values, columns=list(columns), dtype=object)


def rows_of(found: "pd.DataFrame", table: Table) -> list[dict[str, Any]]:
    """The frame's rows as those of a table, None where a frame has no number."""
    shown = found[[column.name for column in table.columns]].astype(object)
    return cast(list[dict[str, Any]], shown.where(shown.notna(), None).to_dict("records"))


def pass_counts(found: "pd.DataFrame", by: Sequence[str], also: Sequence[str] = ()) -> "pd.DataFrame":
    """How the rows of each group came out: `cases`, those `passed`, `failed`, `na` and `errors`, and the `rate`.

    Args:
        found: with a column `verdict`.
        also: columns of flags that are counted too.

    Returns:
        A row for each group, with `wilson_low` and `wilson_high` of passed / cases, which is the rate.
    """
    flags = {name: found["verdict"] == verdict for name, verdict in _VERDICTS.items()}
    flags |= {name: found[name].astype(bool) for name in also}
    counts = found[list(by)].assign(cases=1, **flags).groupby(list(by), sort=False).sum().reset_index()
    return with_interval(counts, "passed", "cases")


def with_interval(counts: "pd.DataFrame", passed: str, cases: str) -> "pd.DataFrame":
    """The frame with the `rate` that two of its columns make, and `wilson_low` and `wilson_high` of it."""
    ends = [wilson(*numbers) for numbers in zip(counts[passed].tolist(), counts[cases].tolist(), strict=True)]
    low, high = zip(*ends, strict=True) if ends else ((), ())
    return counts.assign(rate=counts[passed] / counts[cases], wilson_low=low, wilson_high=high)


def cluster_rates(found: "pd.DataFrame", by: Sequence[str], clusters: str) -> list[dict[str, Any]]:
    """The rate of each group, with its interval; each row of the frame is a cluster.

    Args:
        found: with `counted` and `facts`, of each cluster.
        clusters: name of the column that holds the number of clusters.
    """
    rates = []
    for key, own in found.groupby(list(by), sort=False)[["counted", "facts"]]:
        counts = list(zip(own["counted"], own["facts"], strict=True))
        rates.append({**dict(zip(by, key, strict=True)), clusters: len(counts), **rate_of_clusters(counts)})
    return rates
