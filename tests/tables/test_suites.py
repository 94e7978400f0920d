"""The tables of suites: which cell says what, and of which kind it is."""

from dataclasses import replace
from typing import Any

import pytest

from forgeteval.scoring.intervals import wilson
from lethe.schemas import ALL, SCORERS, WITHOUT_COMPOUND
from lethe.study.results import SuiteResults
from lethe.study.setup import EmptySuite
from lethe.tables.best import NOTE
from lethe.tables.beyond.suites import (
    ABSENT,
    adversarial_table,
    controls_table,
    cut_table,
    difficulty_table,
    not_run_table,
    own_categories_table,
    script_table,
    suites_table,
    template_table,
)
from lethe.tables.table import Table
from lethe.tables.words import words
from tests.support.suite_results import NOT_RUN, SYSTEMS, per_system, suite, with_models
from tests.support.tables import by_header as rows_by_header
from tests.support.tables import rows_of, score, setup, texts


def cells(table: Table) -> dict[str, list[str]]:
    """The cells of each row by the row's first cell."""
    return {row[0]: row[1:] for row in rows_of(table)}


def columns(table: Table) -> dict[str, list[str]]:
    """The cells below each head, from the third column on: those before name the system and its regime."""
    return {head: [row[place] for row in rows_of(table)] for place, head in enumerate(table.header) if place > 1}


def systems_of(table: Table) -> list[str]:
    return [row[0] for row in rows_of(table)]


def test_extended_systems_stand_beside_the_others() -> None:
    systems = {name: {**entry, "extended": name in ("mem0", "absent")} for name, entry in SYSTEMS.items()}
    scores = [row for name in ("lethe", "mem0", "oracle") for row in per_system(name, {"passed": 7}, {"passed": 1})]
    results = suite(*scores, systems=systems, not_run={**NOT_RUN, "palace": "not run: gone"})
    assert systems_of(adversarial_table(results)) == ["Lethe", "Mem0 & Co_50%", "oracle"]
    assert systems_of(cut_table(results, "category", "x", "y")) == ["Lethe"]


def test_suites_stand_in_one_table_with_their_cases_above(results: SuiteResults) -> None:
    other = suite(score("lethe", "negation_trap", 3, 4), score("lethe", ALL, 3, 4), label="Other")
    own = suite(score("lethe", "gdpr_request", 1, 2), score("lethe", ALL, 1, 2), label="Own")
    record = setup(empty_suites={"external": EmptySuite("External", "no cases yet")})
    table = suites_table([results, other, own], record)
    assert [section[0][0].text for section in table.sections] == ["Mine", "Other", "External"]
    assert list(table.header) == [
        "Suite", "System", "Substring trap", "Negation trap", "Compound fact",
        "Overall, without compound fact", "Overall, all", "Overall, 95 % interval (%)",
    ]  # fmt: skip
    assert [texts(table)[0][0], texts(table)[0][1][:7]] == [
        ["Mine", "cases", "10", "", "5", "10", "15", ""],
        ["Mine", "Lethe", "7 (70)", "", "1 (20)", "7 (70)", "8 (53)"],
    ]
    assert [row[:7] for row in texts(table)[1]] == [
        ["Other", "cases", "", "4", "", "", "4"],
        ["Other", "Lethe", "", "3 (75)", "", "", "3 (75)"],
    ]
    assert texts(table)[2] == [["External", "no cases yet", *[""] * 6]]
    (section,) = texts(own_categories_table([results, own]))
    assert section[1][:3] == ["Own", "Lethe", "1 (50)"]
    assert texts(own_categories_table([results]))[0][0][0] == "not run"


def test_categories_that_read_alike_keep_their_numbers_apart() -> None:
    alike = ("phone_number", "phone number", "Overall, all")
    scores = [score("lethe", name, passed, 4) for passed, name in enumerate(alike)]
    own = suite(*scores, score("lethe", ALL, 3, 12), label="Own")
    table = own_categories_table([own])
    shown = dict(zip(alike, ("0 (0)", "1 (25)", "2 (50)"), strict=True))
    _, (_, _, *passed) = texts(table)[0]
    assert sorted(zip(table.header[2:5], passed[:3], strict=True)) == sorted(shown.items())
    assert passed[-2] == "3 (25)"
    heads = cut_table(own, "category", "x", "y").header[2:]
    assert len(set(heads)) == len(heads)


def test_the_models_of_a_system_have_rows_and_those_that_did_not_run_notes() -> None:
    results = with_models()
    broke = "Mem0 (Other): 1 of 4 trials broke (error)."

    table = adversarial_table(results)
    assert systems_of(table) == ["Mem0", "Mem0 (Chat)", "Mem0 (Other)", "null"]
    assert columns(table)["Purge (n=4)"] == ["2 (50)", "3 (75)", "1 (25)", "0 (0)"]
    assert list(table.notes) == [ABSENT, broke, NOTE]

    table = cut_table(results, "script", "x", "By script.")
    assert systems_of(table) == ["Mem0", "Mem0 (Chat)", "Mem0 (Other)"]
    assert columns(table) == {"Han (n=4)": ["2 (50)", "3 (75)", "1 (25)"]}
    assert list(table.notes) == [ABSENT, broke, NOTE]


def test_adversarial_table(results: SuiteResults) -> None:
    table = adversarial_table(results)
    assert table.name == "own_adversarial"
    assert table.wide
    assert [(row[0], row[1]) for row in rows_of(table)] == [
        ("Lethe", "Deterministic"),
        ("Mem0 & Co_50%", "Deterministic"),
        ("Naive SQL", "Deterministic"),
        ("MemPalace", "No deletion"),
        ("null", "Control"),
        ("oracle", "Control"),
    ]
    assert [table.title(section) for section in table.sections] == ["Deterministic", "No deletion", "Control"]
    found = columns(table)
    traps = ["7 (70)", "6 (60) [3]", "9 (90)", "N/A", "0 (0)", "10 (100)"]
    assert found["Substring trap (n=10)"] == traps
    assert found["Compound fact (n=5)"] == ["1 (20)", "2 (40), 1 broke", "error", "N/A", "0 (0)", "5 (100)"]
    assert found["Overall, without compound fact (n=10)"] == traps
    assert found["Overall, all (n=15)"] == [
        "8 (53)",
        "8 (53) [3], 1 broke",
        "9 (60), 5 broke",
        "N/A",
        "0 (0)",
        "15 (100)",
    ]
    assert "Mine suite by category (15 cases)" in table.caption
    assert "substring scorer" in table.caption


def test_the_tables_show_the_scorer_that_is_asked_for(results: SuiteResults) -> None:
    probed = replace(results, scorer="probed")
    table = adversarial_table(probed)
    assert systems_of(table) == ["Lethe", "null", "oracle"]
    assert columns(table)["Substring trap (n=10)"] == ["3 (30)", "0 (0)", "9 (90)"]
    assert cells(template_table(probed))["Lethe"][0] == "3/15 (20.00)"
    for table in (adversarial_table(probed), template_table(probed)):
        assert "probed scorer" in table.caption


def test_adversarial_table_gives_the_wilson_interval_of_the_whole_suite(results: SuiteResults) -> None:
    low, high = wilson(8, 15)
    table = adversarial_table(results)
    assert columns(table)["Overall, 95 % interval (%)"][0] == f"[{100 * low:.1f}, {100 * high:.1f}]"
    ends = table.sections[0][0][-1]
    assert (ends.low, ends.high) == (100 * low, 100 * high)


def test_where_no_case_came_to_a_verdict_there_is_no_interval(results: SuiteResults) -> None:
    adversarial, template = rows_by_header(adversarial_table(results)), rows_by_header(template_table(results))
    ends = {row["System"]: row["Overall, 95 % interval (%)"] for row in adversarial}
    assert ends["MemPalace"] == "–" and ends["Lethe"].startswith("[")
    assert {row["System"]: row["Wilson 95 % interval (%)"] for row in template}["MemPalace"] == "–"


def test_adversarial_table_notes_what_did_not_run_and_what_broke(results: SuiteResults) -> None:
    assert list(adversarial_table(results).notes) == [
        ABSENT,
        "Mem0 & Co_50%: 1 of 15 trials broke (error).",
        "Naive SQL: 5 of 15 trials broke (error).",
    ]


def test_cases_that_ran_again_are_counted_once_and_the_table_says_so(results: SuiteResults) -> None:
    table = adversarial_table(replace(results, repetitions=dict.fromkeys(results.configurations, 5)))
    found = columns(table)
    assert found["Substring trap (n=2)"] == columns(adversarial_table(results))["Substring trap (n=10)"]
    assert {"Compound fact (n=1)", "Overall, without compound fact (n=2)", "Overall, all (n=3)"} <= found.keys()
    assert "Mine suite by category (3 cases)" in table.caption
    said = "ach case was run 5 times; what passed, is N/A or broke is counted by trial."
    assert f"E{said}" in table.notes
    assert f"Lethe: e{said}" in adversarial_table(replace(results, repetitions={"lethe": 5})).notes
    assert not any("was run" in note for note in adversarial_table(results).notes)


@pytest.mark.parametrize("category", ["substring_trap", "compound_fact"])
def test_adversarial_table_of_one_category_has_one_total(category: str) -> None:
    rows = [score("lethe", category, 3, 4), score("lethe", ALL, 3, 4)]
    if category != "compound_fact":
        rows.append(score("lethe", WITHOUT_COMPOUND, 3, 4))
    heads = list(columns(adversarial_table(suite(*rows))))
    assert heads == [f"{words(category)} (n=4)", "Overall, all (n=4)", "Overall, 95 % interval (%)"]


def test_template_table(results: SuiteResults) -> None:
    table = template_table(results)
    assert table.name == "own_template"
    assert "Mine suite (15 cases)" in table.caption
    systems, controls = texts(table)
    assert [row[0] for row in systems] == ["Lethe", "Mem0 & Co_50%", "Naive SQL", "MemPalace"]
    assert [row[0] for row in controls] == ["null", "oracle"]
    column = {name: position - 1 for position, name in enumerate(table.header)}
    rows = cells(table)
    low, high = wilson(8, 15)
    assert rows["Lethe"][column["Wilson 95 % interval (%)"]] == f"[{100 * low:.2f}, {100 * high:.2f}]"
    assert rows["Lethe"][0] == "8/15 (53.33)"
    assert rows["Lethe"][-2:] == ["0", "0"]
    assert rows["Mem0 & Co_50%"][-2:] == ["3", "1"]
    assert rows["MemPalace"][0] == "0/15 (0.00)"
    assert rows["MemPalace"][-2:] == ["15", "0"]
    assert all(len(row) == len(table.header) - 1 for row in rows.values())
    assert table.notes[0] == ABSENT
    assert all(note.endswith("trials broke (error).") for note in table.notes[1:] if note != NOTE)


def test_the_template_table_prints_two_decimals() -> None:
    table = template_table(suite(score("lethe", ALL, 993, 1000)))
    assert cells(table)["Lethe"][:2] == ["993/1000 (99.30)", "[98.56, 99.66]"]


def test_controls_table_says_that_it_has_errors() -> None:
    results = suite(score("null", ALL, 1, 4, errors=2), score("oracle", ALL, 4, 4))
    assert any("2 of 4 trials broke" in note for note in controls(results).notes)


def controls(*suites: SuiteResults, **changes: Any) -> Table:
    return controls_table({results.label: results for results in suites}, setup(suites[0].configurations, **changes))


def controls_rows(table: Table) -> dict[tuple[str, str], list[str]]:
    rows = rows_of(table)
    found = {(row[0], row[1]): row[2:] for row in rows}
    assert len(found) == len(rows)
    return found


def test_controls_table(results: SuiteResults) -> None:
    imported = suite(score("null", ALL, 1, 4), score("oracle", ALL, 0, 4, na=4), label="Imported_1")
    table = controls(results, imported, suite(score("lethe", ALL, 1, 2), label="Bare"))
    assert table.name == "controls"
    assert list(table.header) == ["Suite", "Scorer", "null", "oracle"]
    assert controls_rows(table) == {
        ("Mine (n=15)", "substring"): ["0 (0)", "15 (100)"],
        ("Mine (n=15)", "probed"): ["1 (7)", "12 (80)"],
        ("Mine (n=15)", "identifier"): ["3 (20)", "14 (93)"],
        ("Imported_1 (n=4)", "substring"): ["1 (25)", "N/A"],
        ("Imported_1 (n=4)", "probed"): ["not run", "not run"],
        ("Imported_1 (n=4)", "identifier"): ["not run", "not run"],
        **{("Bare (n=2)", scorer): ["not run", "not run"] for scorer in SCORERS},
    }
    assert [[row[1] for row in section] for section in texts(table)] == [list(SCORERS)] * 3


@pytest.mark.parametrize("scorer", SCORERS)
def test_controls_table_shows_every_scorer_whichever_the_others_show(results: SuiteResults, scorer: str) -> None:
    chosen = controls(replace(results, scorer=scorer))
    assert controls_rows(chosen) == controls_rows(controls(results))


def test_controls_table_notes_empty_suites_and_controls_that_did_not_run() -> None:
    results = suite(score("oracle", ALL, 4, 4), not_run={"null": "not run: left out", "absent": "not run: left out"})
    table = controls(
        results,
        empty_suites={"external": EmptySuite("External", "no cases yet"), "other": EmptySuite("Other", "none either")},
    )
    assert list(table.notes) == ["External: no cases yet.", "Other: none either.", "Mine: null: not run: left out."]
    assert {name for name, _ in controls_rows(table)} == {"Mine (n=4)"}


def test_difficulty_table(results: SuiteResults) -> None:
    table = difficulty_table(results, setup(results.configurations))
    assert table.name == "difficulty"
    assert systems_of(table) == ["Lethe", "Mem0 & Co_50%", "Naive SQL", "MemPalace"]
    assert columns(table) == {
        "Manual (n=5)": ["2 (40)", "5 (100)", "5 (100)", "N/A"],
        "Easy (n=6)": ["6 (100)", "1 (17) [3]", "4 (67)", "N/A"],
        "Hard (n=4)": ["0 (0)", "2 (50)", "0 (0)", "N/A"],
    }
    assert "the reference system Lethe passes" in table.caption
    assert table.notes[0] == ABSENT


def test_by_script_table(results: SuiteResults) -> None:
    table = script_table(results)
    assert table.name == "by_script"
    assert systems_of(table) == ["Lethe", "Mem0 & Co_50%", "Naive SQL", "MemPalace"]
    assert columns(table) == {
        "Greek (n=1)": ["1 (100)", "0 (0)", "1 (100)", "N/A"],
        "Han (n=2)": ["1 (50)", "1 (50) [1]", "0 (0)", "N/A"],
    }
    assert table.notes[0] == ABSENT


def test_a_cut_is_named_in_words(results: SuiteResults) -> None:
    table = cut_table(results, "identifier_type", "x", "By identifier.")
    assert table.groups[2] == "Cases passed, by identifier type"
    assert columns(table) == {"E-mail (n=1)": ["1 (100)", *["not run"] * 3]}


def test_a_cell_holds_the_numbers_behind_its_text(results: SuiteResults) -> None:
    lethe, mem0, naive, palace, *_ = (row[2] for row in adversarial_table(results).rows())
    low, high = wilson(7, 10)
    assert (lethe.state, lethe.value, lethe.count, lethe.low, lethe.high) == ("measured", 7, 10, low, high)
    assert (mem0.text, mem0.value) == ("6 (60) [3]", 6)
    assert (naive.state, palace.state, palace.value) == ("measured", "N/A", None)


def test_what_did_not_run_on_a_suite_stands_in_a_table_with_the_reason(results: SuiteResults) -> None:
    table = not_run_table({"mine": results})
    assert texts(table) == [[["Mine", "Absent", "not run: left out by run.systems"]]]
    assert texts(not_run_table({"mine": replace(results, not_run={})})) == [[["everything ran", "", ""]]]
