"""The explorer's data: every case once, every trial as one short list, texts that repeat as positions."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lethe.analysis.setup import Setup
from lethe.cases.case import Case
from lethe.config.configurations import configuration_name
from lethe.parquet import Row


def explorer_data(suites: Mapping[str, Sequence[Case]], trials: Iterable[Row], setup: Setup) -> dict[str, Any]:
    """The data that the page's script reads.

    Args:
        suites: cases by suite.
        trials: rows of `lethe.schemas.TRIALS` of those suites.

    Returns:
        `systems`: [label, regime] each; `cases`: one object each, with `texts`, the texts that its trials recall;
        `trials`: [case, system, repetition, verdict, probed verdict, recalled, missing, leaked, residue, wall ms,
        llm calls, decisions, error], where case and system are positions, and recalled holds positions in `texts`.
    """
    names = list(setup.configurations)
    cases = {
        (suite, case.case_id): _case(setup.suites[suite].label, case)
        for suite, found in suites.items()
        for case in found
    }
    positions = {key: position for position, key in enumerate(cases)}
    known = {key: {text: place for place, text in enumerate(case["texts"])} for key, case in cases.items()}
    rows = [
        _trial(trial, positions, names, cases, known) for trial in trials if (trial["suite"], trial["case_id"]) in cases
    ]
    return {
        "systems": [[entry.label, entry.regime] for entry in setup.configurations.values()],
        "cases": list(cases.values()),
        "trials": rows,
    }


def _case(suite: str, case: Case) -> dict[str, Any]:
    fields = {
        "suite": suite,
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
    inscribed = [*case.setup_facts, *(m.text for m in case.mutations if m.text is not None), *(case.gold_rows or ())]
    return {**fields, "texts": list(dict.fromkeys(inscribed))}


def _trial(
    trial: Row,
    positions: Mapping[tuple[str, str], int],
    names: Sequence[str],
    cases: Mapping[tuple[str, str], dict[str, Any]],
    known: Mapping[tuple[str, str], dict[str, int]],
) -> list[Any]:
    key = trial["suite"], trial["case_id"]
    places, texts = known[key], cases[key]["texts"]
    for text in trial["recalled"]:
        if text not in places:
            places[text] = len(texts)
            texts.append(text)
    wall = trial["inscribe_ms"] + trial["mutate_ms"] + trial["recall_ms"]
    return [
        positions[key],
        names.index(configuration_name(trial)),
        trial["repetition"],
        trial["verdict"],
        trial["probed_verdict"],
        [places[text] for text in trial["recalled"]],
        trial["missing"],
        trial["leaked"],
        trial["residue"],
        round(wall, 2),
        trial["llm_calls"],
        trial["decisions"],
        trial["error"],
    ]
