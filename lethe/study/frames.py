"""Rows as data frames: joined, grouped in the order of their first rows, counted with intervals, and rows again."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

from forgeteval.scoring.intervals import rate_of_clusters, wilson, wilson_of_clusters
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
        found: with `case_id` and `verdict`; a case counts as often as it was run.
        also: columns of flags that are counted too.

    Returns:
        A row for each group, with `wilson_low` and `wilson_high` of passed / cases, which is the rate. Where cases were
        run several times, these say how sure the rate is of as many different cases.
    """
    flags = {name: found["verdict"] == verdict for name, verdict in _VERDICTS.items()}
    flags |= {name: found[name].astype(bool) for name in also}
    counts = found[list(by)].assign(cases=1, **flags).groupby(list(by), sort=False).sum().reset_index()
    scores = with_interval(counts, "passed", "cases").set_index(list(by))
    again = found[found.duplicated([*by, "case_id"])][list(by)].drop_duplicates()
    several = found.assign(passed=flags["passed"]).merge(again, on=list(by))
    for group, own in several.groupby(list(by), sort=False):
        clusters = own.groupby("case_id", sort=False)["passed"].agg(["sum", "size"])
        scores.loc[group, ["wilson_low", "wilson_high"]] = wilson_of_clusters(list(clusters.itertuples(index=False)))
    return scores.reset_index()


def with_interval(counts: "pd.DataFrame", passed: str, cases: str) -> "pd.DataFrame":
    """The frame with the `rate` that two of its columns make, and `wilson_low` and `wilson_high` of it."""
    ends = [wilson(*numbers) for numbers in zip(counts[passed].tolist(), counts[cases].tolist(), strict=True)]
    low, high = zip(*ends, strict=True) if ends else ((), ())
    return counts.assign(rate=counts[passed] / counts[cases], wilson_low=low, wilson_high=high)


def cluster_rates(found: "pd.DataFrame", by: Sequence[str], unit: str, number: str) -> list[dict[str, Any]]:
    """The rate of each group, with its interval; the rows of a unit, such as a case, make a cluster.

    Args:
        found: with `counted` and `facts`.
        unit: the column that names the unit.
        number: name of the column that holds the number of units.
    """
    clusters = found.groupby([*by, unit], sort=False)[["counted", "facts"]].sum().reset_index()
    rates = []
    for key, own in clusters.groupby(list(by), sort=False)[["counted", "facts"]]:
        counts = list(zip(own["counted"], own["facts"], strict=True))
        rates.append({**dict(zip(by, key, strict=True)), number: len(counts), **rate_of_clusters(counts)})
    return rates
