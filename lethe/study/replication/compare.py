"""What stands beside each published number, where it comes from, and whether it comes out."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from forgeteval.cases.case import ADVERSARIAL_CATEGORIES
from forgeteval.scoring.intervals import newcombe, wilson
from forgeteval.scoring.paired import mcnemar_exact
from lethe.parquet import Row
from lethe.study.inputs import Files, paths_of
from lethe.study.published import Published, PublishedNumber
from lethe.study.released.recount import Recounted, Recounts, recount_inputs
from lethe.study.replication.causes import cause
from lethe.study.replication.counterparts import counterpart
from lethe.study.replication.measured import Counterpart, Measured, Missing, Quantity, measured_inputs
from lethe.study.replication.printed_systems import SYSTEMS
from lethe.study.setup import Setup

MEASURED, COUNTED, RECOUNTED, ELSEWHERE, PRINTED = (
    "measured",
    "counted in the cases",
    "recounted",
    "other cases",
    "printed",
)
STATES = (MEASURED, COUNTED, RECOUNTED, ELSEWHERE, PRINTED)
"""Where the number comes from that stands for a printed one: measured here on the same cases; counted in these cases,
where no system runs; counted again from what the authors released; measured here on other cases of the same kind; only
as printed."""
CASE_BY_CASE, EQUAL, WITHIN, DIFFERS, UNANSWERED = (
    "reproduced case by case",
    "equal",
    "within the interval",
    "differs",
    "no answer",
)
VERDICTS = (CASE_BY_CASE, EQUAL, WITHIN, DIFFERS, UNANSWERED)
_SHARES = ("cases", "percent")
_NA = "na"
_NOT_KNOWN = "cause not known"
_ROUNDING = 1e-9


def compare_published(setup: Setup, files: Files) -> list[dict[str, Any]]:
    """`replication_rows` of what the analysis wrote below an output folder."""
    recounts = Recounts(**recount_inputs(setup).load(files))
    return replication_rows(files.published(), Measured.of(setup, files), recounts)


def replication_inputs(setup: Setup) -> tuple[str, ...]:
    """The paths of what `compare_published` reads, but for the printed numbers."""
    return paths_of([measured_inputs(setup), recount_inputs(setup)])


def replication_rows(published: Published, measured: Measured, recounts: Recounts) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.REPLICATION`: one for each printed place, in the order of `config/published.csv`.

    A percentage that restates the cases of its cell has none, nor has a dash. A system's cell that is printed N/A has
    one: it is equal where every case of the cell is N/A, else its numbers are the passes of those that are not.
    """
    first: dict[tuple[str, ...], str] = {}
    rows = []
    for number in printed_places(published):
        found = counterpart(number, measured)
        row = _row(number, found, recounts.of(number), recounts.rerun(number))
        row["restates"] = first.get(_subject(number), "")
        first.setdefault(_subject(number), number.table)
        differs = row["verdict"] == DIFFERS
        of_same = differs and row["state"] != ELSEWHERE
        known = (cause(number, row, published, measured) if of_same else "") or _note(row, found)
        row["note"] = known or (_NOT_KNOWN if differs else "")
        rows.append(row)
    return rows


def printed_places(published: Published) -> Iterator[PublishedNumber]:
    """The numbers that are compared: each place of the paper that gives one, once, or N/A for a system."""
    for units in published.by_place.values():
        counted = any(number.unit == "cases" for number in units.values())
        for number in units.values():
            dash = number.unit == _NA and number.column not in SYSTEMS
            if not dash and not (counted and number.unit == "percent"):
                yield number


def verdict_counts(rows: Iterable[Row]) -> list[int]:
    """How many rows of `lethe.schemas.REPLICATION` have each of `VERDICTS`."""
    verdicts = Counter(row["verdict"] for row in rows)
    return [verdicts[verdict] for verdict in VERDICTS]


def _row(
    number: PublishedNumber, found: Counterpart | Missing, recounted: Recounted | None, later: Recounted | None
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "table": number.table,
        "row": number.row,
        "column": number.column,
        "unit": number.unit,
        "printed": "N/A" if number.value is None else str(number.value),
        "published": None if number.value is None else float(number.value),
        "published_n": number.n,
        "state": PRINTED,
        "verdict": UNANSWERED,
        **dict.fromkeys(("configuration", "source", "recounted_run", "later_run"), ""),
        **dict.fromkeys(("measured", "measured_n", "broken", "compared", "only_published", "only_here", "p")),
        **dict.fromkeys(("recounted", "recounted_n", "later", "later_n", "difference", "low", "high")),
    }
    if isinstance(found, Counterpart):
        quantity = found.quantity
        row |= {
            "state": _state_of(found),
            "configuration": found.configuration,
            "source": found.source,
            "measured": _in_unit(number, quantity),
            "measured_n": quantity.n,
            "broken": quantity.broken,
        }
        if quantity.compared is not None:
            row |= {
                "compared": quantity.compared,
                "only_published": quantity.only_published,
                "only_here": quantity.only_here,
            }
            if number.unit in _SHARES:
                row["p"] = mcnemar_exact(quantity.only_published, quantity.only_here)
    for name, released in (("recounted", recounted), ("later", later if number.unit != _NA else None)):
        if released is not None:
            row |= {name: float(released.value), f"{name}_n": released.n, f"{name}_run": released.run}
    if recounted is not None and row["state"] not in (MEASURED, COUNTED):
        row["state"] = RECOUNTED
        n = recounted.n if number.unit in ("cases", _NA) else None
        row["difference"], row["verdict"] = _same_cases(number, Quantity(recounted.value, n))
    elif row["state"] in (MEASURED, COUNTED) and isinstance(found, Counterpart):
        row["difference"], row["verdict"] = _same_cases(number, found.quantity)
    elif isinstance(found, Counterpart):
        row |= _other_cases(number, found.quantity)
    return row


def _state_of(found: Counterpart) -> str:
    if not found.same_data:
        return ELSEWHERE
    return MEASURED if found.configuration else COUNTED


def _same_cases(number: PublishedNumber, quantity: Quantity) -> tuple[float | None, str]:
    """The difference, and whether a number of the same cases comes out: such a number is equal or differs."""
    alike = quantity.compared and not any(
        (quantity.only_published, quantity.only_here, quantity.na_here, quantity.na_there)
    )
    if number.unit == _NA:
        return None, DIFFERS if quantity.n else CASE_BY_CASE if alike else EQUAL
    difference = _difference(number, quantity)
    of_others = number.unit == "cases" and quantity.n != number.n
    if of_others or abs(difference) > number.half_step * (number.unit != "cases") + _ROUNDING:
        return difference, DIFFERS
    return difference, CASE_BY_CASE if alike else EQUAL


def _difference(number: PublishedNumber, quantity: Quantity) -> float:
    """Measured minus published: percentage points for shares and differences, else the unit."""
    printed = float(number.value or 0)
    if number.unit not in _SHARES or quantity.n is None:
        return quantity.value - printed
    published = 100 * printed / number.n if number.unit == "cases" and number.n else printed
    return 100 * quantity.value / quantity.n - published


def _other_cases(number: PublishedNumber, quantity: Quantity) -> dict[str, Any]:
    """The difference with its 95 % interval, of two independent samples, and whether 0 lies in it."""
    printed = float(number.value or 0)
    difference = _difference(number, quantity)
    if number.unit in _SHARES and quantity.n and number.n:
        share = printed if number.unit == "cases" else printed / 100 * number.n
        low, high = (100 * end for end in newcombe(quantity.value, quantity.n, share, number.n))
    elif number.unit in _SHARES and quantity.n:
        low, high = (100 * end - printed for end in wilson(int(quantity.value), quantity.n))
    elif quantity.low is not None and quantity.high is not None:
        low, high = quantity.low - printed, quantity.high - printed
    else:
        equal = abs(difference) <= number.half_step + _ROUNDING
        return {"difference": difference, "verdict": EQUAL if equal else DIFFERS}
    within = low - number.half_step <= 0 <= high + number.half_step
    return {"difference": difference, "low": low, "high": high, "verdict": WITHIN if within else DIFFERS}


def _in_unit(number: PublishedNumber, quantity: Quantity) -> float:
    """A share that is printed in percent in percent, and anything else as it is."""
    return 100 * quantity.value / quantity.n if number.unit == "percent" and quantity.n else float(quantity.value)


def _note(row: Row, found: Counterpart | Missing) -> str:
    """Why nothing was measured, where nothing stands for the number; else how the run differs from the paper's."""
    if isinstance(found, Counterpart):
        told = (found.note, _of_na(found.quantity) if row["verdict"] == EQUAL else "")
        return "; ".join(filter(None, told)) if row["state"] != RECOUNTED else ""
    return found.reason.removeprefix("not run: ") if row["state"] == PRINTED else ""


def _of_na(quantity: Quantity) -> str:
    """That cases which are N/A in one of two runs failed in the other, where there are any."""
    sides = ((quantity.na_here, "N/A here, failures there"), (quantity.na_there, "failures here, N/A there"))
    told = [side for cases, side in sides if cases]
    return f"{', '.join(told)}; both count as not passed" if told else ""


_BY_CATEGORY = (
    "adversarial", "cross_architecture", "mem0_modes", "naive_sql", "a_mem", "graphiti", "letta", "text_heatmap",
)  # fmt: skip
_REPEATED_PARTS = (*ADVERSARIAL_CATEGORIES, "all", "evaluable", "wilson_low", "wilson_high")


def _subject(number: PublishedNumber) -> tuple[str, ...]:
    """What a number is of, the same for two places that print the same thing; else the place itself."""
    row, column = number.row, number.column
    if number.table in _BY_CATEGORY and column not in ("n", "na", "delta") and row in _REPEATED_PARTS:
        return "adversarial", column, "all" if column == "lethe" and row == "evaluable" else row
    if number.table == "external" and row == "in_house_385":
        return "adversarial", column, "all"
    if number.table == "cross_llm" and number.unit != "points":
        hooked = {"no_llm": row, "deepseek-v3": f"{row}+llm"}.get(column)
        return ("adversarial", hooked, "all") if hooked else number.place
    if number.table.startswith("memora"):
        system, part = (row, column) if number.table == "memora" else (column, row)
        return "memora", system, part
    return number.place
