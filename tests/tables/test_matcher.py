"""The tables about the matcher: the held-out suite stands beside the other, and nothing is made up without a run."""

from dataclasses import replace

from lethe.schemas import ALL
from lethe.study.results import SuiteResults
from lethe.study.setup import ABLATED, Suite
from lethe.tables.beyond.matcher import ablation_table, held_out_table
from tests.support.tables import configuration, results, score, setup, texts

ENTRIES = {
    "lethe": configuration("Lethe"),
    "lethe+matcher": configuration("Lethe+matcher", "matcher", hook="matcher"),
}
BOTH = {"mine": Suite("Mine", {}), "held_out": Suite("Unseen", {})}
SETUP = setup(ENTRIES, suites=BOTH)


def passing(label: str, solved: str, cases: int) -> SuiteResults:
    """Half of the cases are of each category; the matcher passes those of one, and Lethe alone none."""
    rows = [
        score(name, value, cases // 2 if name != "lethe" and value in (solved, ALL) else 0, size)
        for name in ENTRIES
        for value, size in (("prefix_collision", cases // 2), ("negation_trap", cases // 2), (ALL, cases))
    ]
    return results(rows, ENTRIES, label=label)


def test_the_held_out_suite_stands_beside_the_one_developed_on() -> None:
    table = held_out_table(passing("Mine", "negation_trap", 60), passing("Unseen", "prefix_collision", 10), SETUP)
    assert table.header[1:] == ("Lethe, mine", "Lethe, unseen", "Lethe+matcher, mine", "Lethe+matcher, unseen")
    assert texts(table)[0] == [
        ["Prefix collision", "0/30 (0)", "0/5 (0)", "0/30 (0)", "5/5 (100)"],
        ["Negation trap", "0/30 (0)", "0/5 (0)", "30/30 (100)", "0/5 (0)"],
    ]
    assert texts(table)[1] == [["Overall", "0/60 (0)", "0/10 (0)", "30/60 (50)", "5/10 (50)"]]


def test_the_passes_are_those_of_the_substring_scorer_whichever_the_tables_show() -> None:
    developed_on, held_out = passing("Mine", "negation_trap", 60), passing("Unseen", "prefix_collision", 10)
    probed = [replace(suite, scorer="probed") for suite in (developed_on, held_out)]
    assert texts(held_out_table(*probed, SETUP)) == texts(held_out_table(developed_on, held_out, SETUP))


def test_a_configuration_that_does_not_run_on_both_suites_is_left_out() -> None:
    not_run = {"lethe": "not run: left out"}
    suites = {**BOTH, "held_out": Suite("Unseen", not_run)}
    assert setup(ENTRIES, suites=suites).compared_with_matcher() == ["lethe+matcher"]
    assert setup(ENTRIES, suites={"mine": Suite("Mine", {"lethe+matcher": "not run"})}).compared_with_matcher() == []


def test_without_the_held_out_suite_the_table_says_so() -> None:
    table = held_out_table(passing("Mine", "negation_trap", 60), None, setup(ENTRIES))
    assert table.header[1:] == ("Lethe, mine", "Lethe+matcher, mine")
    assert table.notes == ["The held-out cases: not run: left out by run.suites."]


def test_each_kind_of_evidence_left_out_is_a_column() -> None:
    rows = [
        {"left_out": left_out, "category": category, "cases": cases, "passed": passed}
        for left_out, category, cases, passed in (
            ("none", "prefix_collision", 30, 30),
            ("none", "negation_trap", 30, 30),
            ("none", ALL, 60, 60),
            ("identity", "negation_trap", 30, 30),
            ("identity", ALL, 60, 30),
        )
    ]
    table = ablation_table(rows, SETUP)
    assert table.header == ("Category", "all evidence", "without identity")
    assert texts(table)[0] == [
        ["Prefix collision", "30/30 (100)", "–"],
        ["Negation trap", "30/30 (100)", "30/30 (100)"],
    ]
    assert texts(table)[1] == [["Overall", "60/60 (100)", "30/60 (50)"]]
    assert table.notes == []
    again = replace(SETUP, repetitions={"": 2})
    said = ["Each case was run 2 times; what passed, is N/A or broke is counted by trial."]
    assert ablation_table(rows, again).notes == said
    both = passing("Mine", "negation_trap", 60), passing("Unseen", "prefix_collision", 10)
    assert held_out_table(*both, again).notes == said


def test_without_a_run_both_say_so() -> None:
    bare = setup()
    for table in (held_out_table(results([], bare.configurations), None, bare), ablation_table([], SETUP)):
        assert texts(table) == [[["all", "not run"]]]
        assert "not run: left out by run.systems" in table.notes[0]


def test_the_reason_is_the_one_that_the_matcher_has() -> None:
    lacks = "not run: needs the extra matcher (make env-all)"
    suite = replace(SETUP.suites[SETUP.adversarial_suite], not_run={ABLATED: lacks})
    lacking = replace(SETUP, suites={**SETUP.suites, SETUP.adversarial_suite: suite})
    assert ablation_table([], lacking).notes == [f"The matcher: {lacks}."]
