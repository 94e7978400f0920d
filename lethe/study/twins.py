"""Pairs of a case and its twin, which asks to forget something that is not stored: a pair is passed if both are."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from forgeteval.cases.case import Case
from forgeteval.scoring.intervals import wilson
from lethe.parquet import Row
from lethe.schemas import ALL


def twin_rows(
    twins: Sequence[Case], twin_verdicts: Iterable[Row], case_verdicts: Iterable[Row], scorer: str
) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.TWINS`, of the configurations that ran on both suites."""
    by_id = {twin.case_id: twin for twin in twins}
    verdict = {
        (row["system"], row["model"], row["repetition"], row["case_id"]): row["verdict"]
        for row in case_verdicts
        if row["scorer"] == scorer
    }
    pairs: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for row in twin_verdicts:
        twin = by_id[row["case_id"]]
        own = verdict.get((row["system"], row["model"], row["repetition"], twin.twin_of or ""))
        if row["scorer"] != scorer or own is None:
            continue
        counts = Counter(
            pairs=1,
            case_passed=int(own == "pass"),
            twin_passed=int(row["verdict"] == "pass"),
            both_passed=int(own == row["verdict"] == "pass"),
            na=int("na" in (own, row["verdict"])),
            errors=int("error" in (own, row["verdict"])),
        )
        for operation in (ALL, twin.mutations[0].op):
            pairs[row["system"], row["model"], operation].update(counts)
    return [_row(twins[0].suite, *key, counts) for key, counts in pairs.items()]


def _row(suite: str, system: str, model: str, operation: str, counts: Counter[str]) -> dict[str, Any]:
    low, high = wilson(counts["both_passed"], counts["pairs"])
    counted = ("pairs", "case_passed", "twin_passed", "both_passed", "na", "errors")
    return {
        "suite": suite,
        "system": system,
        "model": model,
        "operation": operation,
        **{name: counts[name] for name in counted},
        "rate": counts["both_passed"] / counts["pairs"],
        "wilson_low": low,
        "wilson_high": high,
    }
