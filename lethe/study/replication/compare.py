"""The verdict on each published number: reproduced case by case, equal, within the interval, differs, or not run."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from forgeteval.scoring.intervals import newcombe, wilson
from forgeteval.yaml_data import read_yaml_data
from lethe.parquet import Row
from lethe.study.inputs import Files
from lethe.study.published import Published, PublishedNumber
from lethe.study.replication.counterparts import counterparts
from lethe.study.replication.measured import OWN, RELEASED, Counterpart, Measured, Missing, Quantity
from lethe.study.setup import Setup

CASE_BY_CASE, EQUAL, WITHIN, DIFFERS, NOT_RUN = (
    "reproduced case by case",
    "equal",
    "within the interval",
    "differs",
    "not run",
)
VERDICTS = (CASE_BY_CASE, EQUAL, WITHIN, DIFFERS, NOT_RUN)
_SHARES = ("cases", "percent")
_ROUNDING = 1e-9
DATA_FILES = ("causes.yaml",)
_CAUSES = read_yaml_data(Path(__file__).with_name(DATA_FILES[0]))

Difference = tuple[float, float | None, float | None, str]
"""Measured minus published, the ends of its 95 % interval, and the verdict."""


def compare_published(setup: Setup, files: Files) -> list[dict[str, Any]]:
    """`replication_rows` of what the analysis wrote below an output folder."""
    released, own = (Measured.of(setup, place, files) for place in (RELEASED, OWN))
    return replication_rows(files.published(), released, own)


def replication_rows(published: Published, released: Measured, own: Measured) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.REPLICATION`, in the order of `config/published.csv`.

    Each number stands beside what was measured where the paper measured it, as far as that can be had, and again beside
    what was measured on suites of this project's making.

    Args:
        released: with the released cases for the paper's suites.
        own: with this project's.
    """
    rows = []
    for units in published.by_place.values():
        for number in _without_repetition(units.values()):
            found = counterparts(number, released)
            elsewhere = [other for other in counterparts(number, own) if isinstance(other, Counterpart)]
            rows += [_row(number, one) for one in found]
            rows += [_row(number, one) for one in elsewhere if one not in found and not one.same_data]
    return rows


def like_with_like(row: Row) -> bool:
    """Whether a row of `lethe.schemas.REPLICATION` is of the published number's own cases, or of nothing that ran."""
    return row["same_data"] is not False


def verdict_counts(rows: Iterable[Row]) -> list[int]:
    """How many rows of `lethe.schemas.REPLICATION` have each of `VERDICTS`."""
    verdicts = Counter(row["verdict"] for row in rows)
    return [verdicts[verdict] for verdict in VERDICTS]


def compare(number: PublishedNumber, quantity: Quantity, same_data: bool) -> Difference:
    """Compare a published number with the measured one.

    A share of the same cases is reproduced case by case where it is equal to the printed digit and every published
    verdict on these cases agrees; equal, where it is equal alone. Any share is within the interval where the Newcombe
    interval of the difference holds 0 (where the paper gives no n: where the published share lies in the measured
    Wilson interval), any other number where it lies in the measured interval; it is equal where it is equal to the
    printed digit.
    """
    printed = float(number.value or 0)
    if number.unit in _SHARES and quantity.n is not None:
        return _compare_shares(number, printed, quantity, same_data)
    difference = quantity.value - printed
    equal = abs(difference) <= number.half_step * (number.unit != "cases") + _ROUNDING
    if quantity.low is None or quantity.high is None:
        return difference, None, None, EQUAL if equal else DIFFERS
    low, high = quantity.low - printed, quantity.high - printed
    within = low - number.half_step <= 0 <= high + number.half_step
    return difference, low, high, EQUAL if equal else WITHIN if within else DIFFERS


def _compare_shares(number: PublishedNumber, printed: float, quantity: Quantity, same_data: bool) -> Difference:
    passed, n = quantity.value, quantity.n or 1
    share = 100 * passed / n
    if number.n is None:
        difference = share - printed
        low, high = (100 * end - printed for end in wilson(int(passed), n))
    else:
        published = 100 * printed / number.n if number.unit == "cases" else printed
        difference = share - published
        low, high = (100 * end for end in newcombe(passed, n, published / 100 * number.n, number.n))
    tolerance = number.half_step if number.unit == "percent" else 0.0
    if same_data and abs(difference) <= tolerance + _ROUNDING:
        agrees = quantity.compared is not None and quantity.agree == quantity.compared
        return difference, low, high, CASE_BY_CASE if agrees else EQUAL
    return difference, low, high, WITHIN if low <= 0 <= high else DIFFERS


def _without_repetition(numbers: Iterable[PublishedNumber]) -> Iterator[PublishedNumber]:
    """The numbers of one printed cell, without a percent that restates its cases."""
    units = list(numbers)
    counted = any(number.unit == "cases" for number in units)
    return (number for number in units if not (counted and number.unit == "percent"))


def _row(number: PublishedNumber, found: Counterpart | Missing) -> dict[str, Any]:
    row: dict[str, Any] = {
        "table": number.table,
        "row": number.row,
        "column": number.column,
        "unit": number.unit,
        "printed": str(number.value),
        "published": float(number.value or 0),
        "published_n": number.n,
        "configuration": found.configuration,
        "source": "",
        **dict.fromkeys(("same_data", "measured", "measured_n", "compared", "agree", "difference", "low", "high")),
        "verdict": NOT_RUN,
        "note": "",
    }
    if isinstance(found, Missing):
        return row | {"note": found.reason.removeprefix("not run: ")}
    quantity = found.quantity
    difference, low, high, verdict = compare(number, quantity, found.same_data)
    return row | {
        "source": found.source,
        "same_data": found.same_data,
        "measured": float(quantity.value),
        "measured_n": quantity.n,
        "compared": quantity.compared,
        "agree": quantity.agree,
        "difference": difference,
        "low": low,
        "high": high,
        "verdict": verdict,
        "note": cause(number, found.configuration) if found.same_data and verdict in (WITHIN, DIFFERS) else "",
    }


def cause(number: PublishedNumber, configuration: str) -> str:
    """Why a number measured on the published cases is another, as far as it was found; empty where it was not.

    The first entry of causes.yaml counts of which each pattern fits: table, row, column and configuration (its label).
    """
    given = {"table": number.table, "row": number.row, "column": number.column, "configuration": configuration}
    for entry in _CAUSES:
        if all(re.fullmatch(entry[key], given[key]) for key in given if key in entry):
            return str(entry["cause"])
    return ""
