"""The trials of a suite against what was recalled: each case as often as it was run, and what its texts let it be."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from forgeteval.cases.case import Case
from forgeteval.run.trials import judge
from forgeteval.scoring.scorers import shows
from lethe.config.configurations import Configuration
from lethe.config.look_alikes import skeleton
from lethe.config.submission import MOST_COUNTED, is_plain_number
from lethe.parquet import Row
from lethe.schemas import TRIALS, Table
from lethe.trust.differing_rows import compare_rows, shortened

_COUNTS = (
    *("llm_calls", "llm_fallbacks", "matcher_fallbacks", "tokens_in", "tokens_out"),
    *("inscribed", "mutated", "not_expressed", "fallbacks"),
)


def check_suite(
    path: str, cases: Sequence[Case], found: Sequence[Row], entry: Configuration, repetitions: int, k: int | None
) -> Iterator[str]:
    """One line for each trial of a configuration on these cases that no run with `k` memories a recall comes to."""
    yield from _compare(path, cases, found, entry, repetitions)
    yield from check_rows(path, found, TRIALS, k)
    yield from shortened(path, _beyond_case(path, cases, found, entry), "trials with flags or counts that none has")


def check_rows(path: str, found: Sequence[Row], table: Table, k: int | None = None) -> Iterator[str]:
    """One line for each row in which more is recalled than `k` texts, or a time, a cost or a count is none."""
    yield from shortened(path, _beyond_any_run(path, found, table, k), "rows that no run comes to")


def _beyond_any_run(path: str, found: Sequence[Row], table: Table, k: int | None) -> Iterator[str]:
    for row in found:
        where = f"{path}: {_key(row, table):.200}"
        if k is not None and len(row["recalled"]) > k:
            yield f"{where}: {len(row['recalled'])} texts recalled; k is {k}"
        wrong = [name for name, value in row.items() if not is_plain_number(value)]
        if wrong:
            yield f"{where}: {', '.join(wrong)}: no number of milliseconds or dollars"
        counts = [row[name] for name in _COUNTS if name in row]
        if counts and (min(counts) < 0 or max(counts) > MOST_COUNTED):
            yield f"{where}: a count below zero, or beyond any that a run has"


def _beyond_case(path: str, suite: Sequence[Case], found: Sequence[Row], entry: Configuration) -> Iterator[str]:
    """What the trials say of strings and facts that their cases have not, and of facts that were asked for."""
    cases = {case.case_id: case for case in suite}
    # A system that asks a chat model when it recalls is asked for none of the facts.
    asked = entry.gateway != "chat" or any(row["present"] for row in found)
    for row in found:
        if (case := cases.get(row["case_id"])) is None:
            continue
        where, states = f"{path}: {_key(row):.200}", len(case.states or ())
        if not 0 <= (row["residue"] or 0) <= len(case.must_not_contain):
            yield f"{where}: residue: {row['residue']}; so many forbidden strings the case has not"
        if len(row["present"]) != states and (row["present"] or (asked and row["verdict"] in ("pass", "fail"))):
            yield f"{where}: present: {len(row['present'])} flags; the case has {states} states"


def _compare(
    path: str, suite: Sequence[Case], found: Sequence[Row], entry: Configuration, repetitions: int
) -> Iterator[str]:
    """One line for each trial that is none of a configuration on these cases, or is not what its case and its recalled
    texts let it be, and for those that are missing."""
    cases, name = {case.case_id: case for case in suite}, suite[0].suite if suite else "no case"
    wanted = len(cases) * repetitions
    if len(found) != wanted:
        yield f"{path}: {len(found)} trials; {len(cases)} cases, {repetitions} times each, give {wanted}"
    made = []
    for trial in found:
        case = cases.get(trial["case_id"])
        named = (trial["system"], trial["model"]) == (entry.system, entry.model)
        if case is None or not named or trial["suite"] != case.suite or trial["repetition"] not in range(repetitions):
            yield f"{path}: holds a trial that is none of {entry.name} on {name}: {_key(trial)}"
            continue
        if trial["verdict"] in ("na", "error") and not skeleton(trial["error"] or ""):
            yield f"{path}: {_key(trial)}: {trial['verdict']} without a reason"
        made.append(judged_again(trial, case))
    known = [row for row in found if row["case_id"] in cases]
    yield from compare_rows(path, TRIALS, made, known, f"its recalled texts and the cases of {name}")


def judged_again(trial: Row, case: Case) -> dict[str, Any]:
    """A row of TRIALS as what it recalled and its case let it be.

    Whether a forbidden string or a fact came back where it was asked for directly, what a system could not express,
    and what broke, the run alone knows; so a fail under the probed scorer, a fact that is there, `na` and `error`
    remain. Nothing is recalled where the verdict is `na`.
    """
    if trial["verdict"] == "na":
        return {**trial, "recalled": [], "missing": [], "leaked": [], "probed_verdict": None, "present": []}
    if trial["verdict"] == "error" and not trial["recalled"]:
        return {**trial, "leaked": []}
    found = asdict(judge(trial["recalled"], case))
    if trial["verdict"] == "error":
        return {**trial, **found, "verdict": "error"}
    unprobed = found["verdict"] == "fail" or not case.must_not_contain or trial["probed_verdict"] != "fail"
    return {
        **trial,
        **found,
        "probed_verdict": found["verdict"] if unprobed else "fail",
        "present": _present(trial, case),
        "error": None,
        "traceback": None,
    }


def _present(trial: Row, case: Case) -> list[bool]:
    """Which facts are there: those that the question recalled, and those that the run says were recalled besides."""
    states, flags = case.states or (), trial["present"]
    if len(flags) != len(states):
        return []
    return [flag or shows(trial["recalled"], state.any_of) for state, flag in zip(states, flags, strict=True)]


def _key(row: Row, table: Table = TRIALS) -> str:
    return ", ".join(f"{name} {row[name]}" for name in table.key)
