"""The tables that check the instruments: the scorer audit, the trials behind it, and near-duplicates."""

from typing import Any

from lethe.tables.beyond.checks import near_duplicates_table, scorer_audit_cases_table, scorer_audit_table
from lethe.tables.render_csv import render_csv
from tests.support.tables import setup
from tests.support.tables import texts as rows


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


def test_the_table_counts_passes_and_differences_from_substring_by_category() -> None:
    table = scorer_audit_table(TRIALS, setup())
    assert table.name == "scorer_audit"
    assert list(table.header) == [
        "Category",
        "Trials",
        "substring",
        "probed",
        "identifier",
        "probed differs",
        "identifier differs",
    ]
    assert rows(table) == [
        [["Substring trap", "4", "2", "1", "2", "1", "2"], ["Negation trap", "3", "3", "1", "3", "2", "0"]],
        [["All", "7", "5", "2", "5", "3", "2"]],
    ]
    assert "Scorers on the mine suite" in table.caption


def test_the_order_of_the_trials_does_not_matter() -> None:
    assert rows(scorer_audit_table(TRIALS[::-1], setup())) == rows(scorer_audit_table(TRIALS, setup()))
    assert rows(scorer_audit_cases_table(TRIALS[::-1])) == rows(scorer_audit_cases_table(TRIALS))


def test_without_trials_the_table_is_all_zeros() -> None:
    assert rows(scorer_audit_table([], setup())) == [[], [["All", *["0"] * 6]]]


def test_the_list_holds_each_trial_on_which_the_scorers_disagree() -> None:
    assert render_csv(scorer_audit_cases_table(TRIALS)).splitlines() == [
        "Category,Category (name),Case,System,System (name),substring,probed,identifier",
        "Negation trap,negation_trap,n_2,Lethe,lethe,pass,fail,pass",
        "Negation trap,negation_trap,n_2,Mem0,mem0,pass,fail,pass",
        "Substring trap,substring_trap,s_1,Lethe,lethe,fail,fail,pass",
        "Substring trap,substring_trap,s_2,Lethe,lethe,pass,fail,fail",
    ]


def test_without_disagreements_the_list_is_its_header() -> None:
    agreeing = [trial for trial in TRIALS if trial["agree"]]
    assert len(agreeing) == 3
    assert render_csv(scorer_audit_cases_table(agreeing)) == "Category,Case,System,substring,probed,identifier\n"


def test_the_list_and_the_table_agree() -> None:
    listed = list(scorer_audit_cases_table(TRIALS).rows())
    differing = {
        (trial["case_id"], trial["system"])
        for trial in TRIALS
        if trial["probed"] != trial["substring"] or trial["identifier"] != trial["substring"]
    }
    assert {(row[1].text, row[2].name) for row in listed} == differing
    assert len(listed) == len(differing)


def test_near_duplicates_show_the_most_alike_pair_of_each_measure() -> None:
    measures = [
        {
            "suite": "mine",
            "measure": "row",
            "threshold": 0.8,
            "pairs": 2,
            "first": "a_1",
            "second": "b",
            "similarity": 0.9,
        },
        {"suite": "mine", "measure": "shape", "threshold": 0.12, "pairs": 0, "first": None, "second": None}
        | {"similarity": None},
    ]
    table = near_duplicates_table(measures, setup())
    assert table.header == ("Measure", "Threshold", "Pairs", "Most alike", "Similarity")
    assert rows(table) == [[["row", "0.80", "2", "a_1, b", "0.900"], ["shape", "0.12", "0", "–", "–"]]]
    assert "Near-duplicates in the mine suite" in table.caption
