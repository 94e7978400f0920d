"""The paper's printed numbers, counted again from the released verdicts, answers, labels and summaries.

Only where the released run is the printed one; recounts.yaml says which that is, and how each printed place is counted.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from forgeteval.yaml_data import read_yaml_data
from lethe import schemas
from lethe.parquet import Row
from lethe.study.inputs import Input, given, keyed, rows
from lethe.study.published import PublishedNumber
from lethe.study.released.counting import Counted, Counting, NamedRun, Plain, Spec
from lethe.study.released.runs import Run, runs_of
from lethe.study.setup import Setup

DATA_FILES = ("recounts.yaml",)
_DECLARED = read_yaml_data(Path(__file__).with_name(DATA_FILES[0]))
_PLACE = ("table", "row", "column")
_PROVENANCE = {"handcrafted": "core", "generated": "expansion"}


@dataclass(frozen=True, slots=True)
class Recounted:
    """A printed number as the release gives it.

    Attributes:
        value: in the unit of the printed number; where that is `na`, the cases passed of those that are not N/A.
        n: what it is a share of; None where it is not a share; 0 where every case is N/A.
        run: the released runs that it was counted from, as docs/published.md calls them, or the released file.
    """

    value: float
    n: int | None
    run: str


def printed_runs(suite: str) -> dict[str, Run]:
    """The released runs that the paper printed of a suite of the release, by the names of config/published.csv."""
    return {system: Run(*key) for system, key in _DECLARED["runs"][suite].items()}


def recount_inputs(setup: Setup) -> Input:
    """The arguments of `Recounts`, by name; empty where nothing of the release is compared."""
    suites = setup.compared_suites()

    def released(table: schemas.Table) -> Input:
        return rows(table) if "adversarial" in suites else given([])

    return keyed(
        {
            "verdicts": released(schemas.RELEASED_VERDICTS),
            "memora": released(schemas.RELEASED_MEMORA),
            "labels": released(schemas.RELEASED_LABELS),
            "agreement": released(schemas.RELEASED_AGREEMENT),
            "origins": released(schemas.RELEASED_ORIGINS),
            "rejections": released(schemas.RELEASED_REJECTIONS),
            "summaries": released(schemas.RELEASED_SUMMARIES),
            "cases": keyed({name: rows(schemas.CASES, suite=suite) for name, suite in suites.items()}),
        }
    )


class Recounts:
    """Says what the release gives for a printed number."""

    def __init__(
        self,
        *,
        verdicts: Sequence[Row],
        origins: Sequence[Row],
        cases: Mapping[str, Sequence[Row]],
        **others: Sequence[Row],
    ) -> None:
        """Rows as `recount_inputs` gives them.

        Args:
            verdicts, origins: of `lethe.schemas.RELEASED_VERDICTS` and `RELEASED_ORIGINS`.
            cases: of `CASES`, by the release's name of the suite.
            others: of the further tables `RELEASED_…`, by the names of the fields of `Counting`.
        """
        by_suite = {suite: runs_of(verdicts, suite) for suite in ("adversarial", "repaired", "external")}
        printed = {
            suite: {system: run for system, key in runs.items() if (run := _named(by_suite, suite, *key))}
            for suite, runs in _DECLARED["runs"].items()
        }
        later = {
            suite: {system: run for system, key in runs.items() if (run := _named(by_suite, *key))}
            for suite, runs in _DECLARED["later"].items()
        }
        attributes = _attributes(cases, origins, printed["adversarial"].get(_DECLARED["snapshot"]))
        self._printed = Counting(printed, attributes, _DECLARED["parts"], **others)
        with_later = {suite: {**later.get(suite, {}), **runs} for suite, runs in printed.items()}
        self._with_later = Counting(with_later, attributes, _DECLARED["parts"], **others)

    def of(self, number: PublishedNumber) -> Recounted | None:
        """The printed number from the printed run; None where no released run is that one."""
        found = _spec(*number.place)
        if found is None:
            return None
        spec, latest = found
        return _answer(number, (self._with_later if latest else self._printed).count(spec))

    def rerun(self, number: PublishedNumber) -> Recounted | None:
        """What a later released run of the system gives, where the printed run was not released; else None."""
        found = _spec(*number.place)
        if found is None or self.of(number) is not None:
            return None
        return _answer(number, self._with_later.count(found[0]))


def _named(by_suite: Mapping[str, Mapping[Run, Mapping[str, str]]], suite: str, *key: str) -> NamedRun | None:
    run = Run(*key)
    verdicts = by_suite[suite].get(run)
    return None if verdicts is None else NamedRun(f"{suite}: {run.name}", run, verdicts)


def _attributes(
    cases: Mapping[str, Sequence[Row]], origins: Iterable[Row], snapshot: NamedRun | None
) -> dict[str, dict[str, dict[str, str]]]:
    found = {suite: {row["case_id"]: {"category": row["category"]} for row in own} for suite, own in cases.items()}
    known = found.get("adversarial", {})
    for row in origins:
        if row["case_id"] in known:
            known[row["case_id"]] |= {
                "provenance": _PROVENANCE[row["provenance"]],
                "difficulty": row["difficulty"],
                "snapshot": "yes" if snapshot is not None and row["case_id"] in snapshot.verdicts else "no",
            }
    return found


@cache
def _spec(*place: str) -> tuple[Spec, bool] | None:
    """How the numbers of a place are counted, and whether with runs later than the printed ones where there are no
    others."""
    for entry in _DECLARED["places"]:
        fits = [re.fullmatch(entry.get(name, ".*"), said) for name, said in zip(_PLACE, place, strict=True)]
        if all(fits):
            names = dict(zip(_PLACE[1:], place[1:], strict=True))
            for fit in fits:
                names |= fit.groupdict() if fit else {}
            ways = {way: told for way, told in entry.items() if way not in (*_PLACE, "with_later")}
            return (_filled(ways, names), entry.get("with_later", False)) if ways else None
    return None


def _filled(told: Any, names: Mapping[str, str]) -> Any:
    """The declaration with what was matched in place of its names."""
    if isinstance(told, str):
        for name, value in names.items():
            told = told.replace(f"{{{name}}}", value)
        return told
    if isinstance(told, Mapping):
        return {_filled(key, names): _filled(value, names) for key, value in told.items()}
    return [_filled(each, names) for each in told] if isinstance(told, list) else told


def _answer(number: PublishedNumber, found: Counted | None) -> Recounted | None:
    if found is None:
        return None
    if isinstance(found, Plain):
        return None if number.unit == "na" else Recounted(found.size, None, found.run)
    if number.unit == "na":
        return Recounted(found.passed, found.cases - found.na, found.run) if found.cases else None
    if not found.n:
        return None
    values = {"percent": found.size, "score": found.size / 100}
    return Recounted(values.get(number.unit, found.passed), found.n, found.run)
