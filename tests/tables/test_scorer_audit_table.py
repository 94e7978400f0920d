"""The scorer audit's table, and the list of trials beside it."""

from typing import Any

from lethe.tables.cells import PaperTable
from lethe.tables.scorer_audit import scorer_audit_cases, scorer_audit_table


def trial(
    category: str, case_id: str, substring: str, probed: str, identifier: str, system: str = "lethe"
) -> dict[str, Any]:
    return {
        "suite": "mine",
        "system": system,
        "model": "",
        "repetition": 0,
        "case_id": case_id,
        "category": category,
        "substring": substring,
        "probed": probed,
        "identifier": identifier,
        "agree": substring == probed == identifier,
    }


TRIALS = [
    trial("negation_trap", "n_2", "pass", "fail", "pass"),
    trial("negation_trap", "n_2", "pass", "fail", "pass", "mem0"),
    trial("negation_trap", "n_1", "pass", "pass", "pass"),
    trial("substring_trap", "s_1", "fail", "fail", "pass"),
    trial("substring_trap", "s_2", "pass", "fail", "fail"),
    trial("substring_trap", "s_3", "fail", "fail", "fail"),
    trial("substring_trap", "s_4", "pass", "pass", "pass"),
]


def rows(table: PaperTable) -> list[list[list[str]]]:
    return [[list(row) for row in section] for section in table.sections]


def test_the_table_counts_passes_and_differences_from_substring_by_category() -> None:
    table = scorer_audit_table(TRIALS, "Mine")
    assert table.name == "scorer_audit"
    assert list(table.header) == [
        "Category",
        "trials",
        "substring",
        "probed",
        "identifier",
        "probed differs",
        "identifier differs",
    ]
    assert rows(table) == [
        [["substring_trap", "4", "2", "1", "2", "1", "2"], ["negation_trap", "3", "3", "1", "3", "2", "0"]],
        [["all", "7", "5", "2", "5", "3", "2"]],
    ]
    assert "Scorers on the mine suite" in table.caption


def test_the_order_of_the_trials_does_not_matter() -> None:
    assert rows(scorer_audit_table(TRIALS[::-1], "Mine")) == rows(scorer_audit_table(TRIALS, "Mine"))
    assert scorer_audit_cases(TRIALS[::-1]).to_csv() == scorer_audit_cases(TRIALS).to_csv()


def test_without_trials_the_table_is_all_zeros() -> None:
    assert rows(scorer_audit_table([], "Mine")) == [[], [["all", *["0"] * 6]]]


def test_the_list_holds_each_trial_on_which_the_scorers_disagree() -> None:
    assert scorer_audit_cases(TRIALS).to_csv().splitlines() == [
        "category,case_id,system,substring,probed,identifier",
        "negation_trap,n_2,lethe,pass,fail,pass",
        "negation_trap,n_2,mem0,pass,fail,pass",
        "substring_trap,s_1,lethe,fail,fail,pass",
        "substring_trap,s_2,lethe,pass,fail,fail",
    ]


def test_without_disagreements_the_list_is_its_header() -> None:
    agreeing = [trial for trial in TRIALS if trial["agree"]]
    assert len(agreeing) == 3
    assert scorer_audit_cases(agreeing).to_csv() == "category,case_id,system,substring,probed,identifier\n"


def test_the_list_and_the_table_agree() -> None:
    listed = [row for section in scorer_audit_cases(TRIALS).sections for row in section]
    differing = {
        (trial["case_id"], trial["system"])
        for trial in TRIALS
        if trial["probed"] != trial["substring"] or trial["identifier"] != trial["substring"]
    }
    assert {(row[1], row[2]) for row in listed} == differing
    assert len(listed) == len(differing)
