"""From trials and verdicts to pass counts by system, scorer and part of the suite."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from forgeteval.cases.case import FIRST, SUBLABELS, Case
from forgeteval.scoring.intervals import wilson
from lethe.parquet import Row
from lethe.schemas import ALL, WITHOUT_COMPOUND


def score_suite(
    cases: Sequence[Case], trials: Iterable[Row], verdicts: Iterable[Row], reference_system: str
) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.SCORES` for one suite. Several repetitions of a case count as so many cases.

    Args:
        reference_system: the system whose verdicts label a case as easy or hard (see `difficulty`).
    """
    by_key = {_trial_key(trial): trial for trial in trials}
    known = list(verdicts)
    labels = difficulty(cases, known, reference_system)
    parts = {case.case_id: list(_parts(case, labels)) for case in cases}
    groups: dict[tuple[str, str, str, str, str, str], list[tuple[str, Row]]] = defaultdict(list)
    for row in known:
        for cut, value in parts[row["case_id"]]:
            group = groups[row["suite"], row["system"], row["model"], row["scorer"], cut, value]
            group.append((row["verdict"], by_key[_trial_key(row)]))
    return [_score(*key, members) for key, members in groups.items()]


def difficulty(cases: Sequence[Case], verdicts: Iterable[Row], reference_system: str) -> dict[str, str]:
    """Label each case as the paper's post-hoc partition does (appendix "Post-hoc label partition").

    Cases of the provenances `FIRST` are `manual`; of the others, those the reference system passes are `easy` and those
    it fails `hard`. The labels restate the reference system's own verdicts: they serve to read other systems by. A case
    on which it came to no verdict, or did not run, has no label.
    """
    passed = {
        row["case_id"]: row["verdict"] == "pass"
        for row in verdicts
        if row["system"] == reference_system
        and row["scorer"] == "substring"
        and row["repetition"] == 0
        and row["verdict"] in ("pass", "fail")
    }
    labels = {case_id: "easy" if ok else "hard" for case_id, ok in passed.items()}
    return labels | {case.case_id: "manual" for case in cases if case.provenance in FIRST}


def _parts(case: Case, labels: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The (cut, value) pairs that a case belongs to."""
    yield "overall", ALL
    if case.category != "compound_fact":
        yield "overall", WITHOUT_COMPOUND
    yield "category", case.category
    yield "provenance", case.provenance
    if case.case_id in labels:
        yield "difficulty", labels[case.case_id]
    for name in SUBLABELS:
        value = getattr(case, name)
        if value is not None:
            yield name, value


def _trial_key(row: Row) -> tuple[str, str, int, str]:
    return row["system"], row["model"], row["repetition"], row["case_id"]


def _score(
    suite: str, system: str, model: str, scorer: str, cut: str, value: str, members: Sequence[tuple[str, Row]]
) -> dict[str, Any]:
    count = {wanted: sum(verdict == wanted for verdict, _ in members) for wanted in ("pass", "fail", "na", "error")}
    low, high = wilson(count["pass"], len(members))
    evaluated = count["pass"] + count["fail"]
    return {
        "suite": suite,
        "system": system,
        "model": model,
        "scorer": scorer,
        "cut": cut,
        "value": value,
        "cases": len(members),
        "passed": count["pass"],
        "failed": count["fail"],
        "na": count["na"],
        "errors": count["error"],
        "leaks": sum(bool(trial["leaked"]) for _, trial in members),
        "collateral": sum(bool(trial["missing"]) for _, trial in members),
        "rate": count["pass"] / len(members),
        "wilson_low": low,
        "wilson_high": high,
        "evaluable_rate": count["pass"] / evaluated if evaluated else None,
    }
