"""The verdict on each published number: reproduced, differs, or not run."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lethe.analysis.intervals import newcombe, wilson
from lethe.analysis.published import Published, PublishedNumber
from lethe.analysis.replication.counterparts import counterparts
from lethe.analysis.replication.measured import Counterpart, Measured, Missing, Quantity
from lethe.parquet import Row

REPRODUCED, DIFFERS, NOT_RUN = "reproduced", "differs", "not run"
VERDICTS = (REPRODUCED, DIFFERS, NOT_RUN)
_SHARES = ("cases", "percent")
_ROUNDING = 1e-9

Difference = tuple[float, float | None, float | None, bool]
"""Measured minus published, the ends of its 95 % interval, and whether the number is reproduced."""


def replication_rows(published: Published, measured: Measured) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.REPLICATION`, in the order of `config/published.csv`."""
    return [
        row
        for units in published.by_place.values()
        for number in _without_repetition(units.values())
        for row in _rows(number, measured)
    ]


def verdict_counts(rows: Sequence[Row]) -> list[int]:
    """How many rows of `lethe.schemas.REPLICATION` have each of `VERDICTS`, and how many are of the same data."""
    verdicts = Counter(row["verdict"] for row in rows)
    return [*(verdicts[verdict] for verdict in VERDICTS), sum(row["same_data"] is True for row in rows)]


def compare(number: PublishedNumber, quantity: Quantity, same_data: bool) -> Difference:
    """Compare a published number with the measured one.

    A share of other cases is reproduced where the Newcombe interval of the difference of two shares holds 0; where the
    paper gives no n, where the published share lies in the measured Wilson interval. On the same questions it must be
    equal, to the printed digit. Another number is reproduced where it lies in the measured interval, or, where there is
    none, is equal to the printed digit.
    """
    printed = float(number.value or 0)
    if number.unit in _SHARES and quantity.n is not None:
        return _compare_shares(number, printed, quantity.value, quantity.n, same_data)
    difference = quantity.value - printed
    if quantity.low is None or quantity.high is None:
        return difference, None, None, abs(difference) <= number.half_step * (number.unit != "cases") + _ROUNDING
    low, high = quantity.low - printed, quantity.high - printed
    return difference, low, high, low - number.half_step <= 0 <= high + number.half_step


def _compare_shares(number: PublishedNumber, printed: float, passed: float, n: int, same_data: bool) -> Difference:
    share = 100 * passed / n
    if number.n is None:
        low, high = (100 * end - printed for end in wilson(int(passed), n))
        return share - printed, low, high, low <= 0 <= high
    published = 100 * printed / number.n if number.unit == "cases" else printed
    difference = share - published
    low, high = (100 * end for end in newcombe(passed, n, published / 100 * number.n, number.n))
    if same_data:
        tolerance = number.half_step if number.unit == "percent" else 0.0
        return difference, low, high, abs(difference) <= tolerance + _ROUNDING
    return difference, low, high, low <= 0 <= high


def _without_repetition(numbers: Iterable[PublishedNumber]) -> Iterator[PublishedNumber]:
    """The numbers of one printed cell, without a percent that restates its cases."""
    units = list(numbers)
    counted = any(number.unit == "cases" for number in units)
    return (number for number in units if not (counted and number.unit == "percent"))


def _rows(number: PublishedNumber, measured: Measured) -> Iterator[dict[str, Any]]:
    for found in counterparts(number, measured):
        row: dict[str, Any] = {
            "table": number.table,
            "row": number.row,
            "column": number.column,
            "unit": number.unit,
            "printed": str(number.value),
            "published": float(number.value or 0),
            "published_n": number.n,
            "measured_row": "",
            "source": "",
            **dict.fromkeys(("same_data", "measured", "measured_n", "difference", "low", "high")),
            "verdict": NOT_RUN,
            "note": "",
        }
        if isinstance(found, Missing):
            yield row | {"measured_row": found.configuration, "note": found.reason.removeprefix("not run: ")}
        else:
            yield row | _measured(number, found)


def _measured(number: PublishedNumber, found: Counterpart) -> dict[str, Any]:
    difference, low, high, reproduced = compare(number, found.quantity, found.same_data)
    return {
        "measured_row": found.configuration,
        "source": found.source,
        "same_data": found.same_data,
        "measured": float(found.quantity.value),
        "measured_n": found.quantity.n,
        "difference": difference,
        "low": low,
        "high": high,
        "verdict": REPRODUCED if reproduced else DIFFERS,
    }
