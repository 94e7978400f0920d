"""The trials of a suite as the page holds them: one list a column, texts that repeat as positions."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from forgeteval.cases.case import Case
from forgeteval.run.facts import wrong
from lethe.config.configurations import configuration_name
from lethe.parquet import Row
from lethe.study.setup import Setup

_PAIRED = ("both", "first_only", "second_only", "neither")
_PAIRED_REAL = ("difference", "low", "high", "p_exact", "p_exact_holm")


class Places:
    """The place of each text in a list, at which it is put when it is first asked for."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._place: dict[str, int] = {}
        for text in texts:
            self.of(text)

    def of(self, text: str) -> int:
        return self._place.setdefault(text, len(self._place))

    def all_of(self, texts: Iterable[str]) -> list[int]:
        return [self.of(text) for text in texts]

    def texts(self) -> list[str]:
        return list(self._place)


def suite_trials(
    cases: Sequence[Case], trials: Iterable[Row], verdicts: Iterable[Row], paired: Iterable[Row], setup: Setup
) -> dict[str, Any]:
    """What the page's script reads of one suite.

    Args:
        trials: rows of `lethe.schemas.TRIALS`; those of other cases are left out.
        verdicts: rows of `lethe.schemas.VERDICTS`, of which those by the scorer of the tables are shown.
        paired: rows of `lethe.schemas.PAIRED`, likewise.

    Returns:
        `cases`: one object each; `strings`: texts that the columns of `trials` name by position; `trials`: a list for
        each column, by case and then by configuration, where `recalled`, `leak`, `collateral` and `stale` hold
        positions in `texts` of the case; `pairs`: a list for each column.
    """
    names = Places(setup.configurations)
    strings = Places()
    positions = {case.case_id: position for position, case in enumerate(cases)}
    texts = [Places(_inscribed(case)) for case in cases]
    shown = {_key(row): row["verdict"] for row in verdicts if row["scorer"] == setup.scorer}
    rows = [
        _trial(trial, positions[trial["case_id"]], names, shown[_key(trial)], texts, strings)
        | _wrong(cases[positions[trial["case_id"]]], trial, texts[positions[trial["case_id"]]])
        for trial in trials
        if trial["case_id"] in positions
    ]
    rows.sort(key=lambda row: (row["case"], row["system"], row["repetition"]))
    return {
        "cases": [{**_case(case), "texts": known.texts()} for case, known in zip(cases, texts, strict=True)],
        "strings": strings.texts(),
        "trials": {column: [row[column] for row in rows] for column in (rows[0] if rows else ())},
        "pairs": _pairs([row for row in paired if row["scorer"] == setup.scorer], names),
    }


def _key(row: Row) -> tuple[str, int, str]:
    return configuration_name(row), row["repetition"], row["case_id"]


def _inscribed(case: Case) -> list[str]:
    return [*case.setup_facts, *(m.text for m in case.mutations if m.text is not None), *(case.gold_rows or ())]


def _case(case: Case) -> dict[str, Any]:
    return {
        "id": case.case_id,
        "category": case.category,
        "provenance": case.provenance,
        "facts": list(case.setup_facts),
        "mutations": [[mutation.op, mutation.query, mutation.text] for mutation in case.mutations],
        "query": case.final_query,
        "must": list(case.must_contain),
        "mustNot": list(case.must_not_contain),
        "gold": None if case.gold_rows is None else list(case.gold_rows),
    }


def _trial(
    trial: Row, position: int, names: Places, verdict: str, texts: Sequence[Places], strings: Places
) -> dict[str, Any]:
    wall = trial["inscribe_ms"] + trial["mutate_ms"] + trial["recall_ms"]
    error = trial["error"]
    return {
        "case": position,
        "system": names.of(configuration_name(trial)),
        "repetition": trial["repetition"],
        "verdict": strings.of(verdict),
        "probed": strings.of(trial["probed_verdict"] or ""),
        "recalled": texts[position].all_of(trial["recalled"]),
        "missing": strings.all_of(trial["missing"]),
        "leaked": strings.all_of(trial["leaked"]),
        "residue": trial["residue"],
        "ms": float(f"{wall:.2g}"),
        "calls": trial["llm_calls"],
        "decisions": strings.all_of(trial["decisions"]),
        "error": strings.of(error or ""),
    }


def _wrong(case: Case, trial: Row, texts: Places) -> dict[str, list[int]]:
    """The facts that each rate counts against a trial; before a text of several facts, the anchor of the one meant."""
    inscribed = [*case.setup_facts, *(m.text for m in case.mutations if m.text is not None)]
    parts = Counter(state.fact for state in case.states or ())
    return {
        measure: texts.all_of(
            (f"{state.any_of[0]}, told in: " if parts[state.fact] > 1 else "") + inscribed[state.fact]
            for state in facts
        )
        for measure, facts in wrong(case, trial["verdict"], trial["present"]).items()
    }


def _pairs(rows: Sequence[Row], names: Places) -> dict[str, list[Any]]:
    counted: Mapping[str, list[Any]] = {column: [row[column] for row in rows] for column in _PAIRED}
    real = {column: [float(f"{row[column]:.4g}") for row in rows] for column in _PAIRED_REAL}
    return {**{end: names.all_of(row[end] for row in rows) for end in ("first", "second")}, **counted, **real}
