"""The scores of one suite, by configuration, scorer and part."""

from dataclasses import replace

from lethe.schemas import ALL, SCORERS
from lethe.study.results import SuiteResults, reason_lines
from lethe.study.setup import Suite
from tests.support.suite_results import NOT_RUN, SYSTEMS, suite, with_models
from tests.support.tables import configurations, score, setup


def test_results_name_systems_and_categories_in_order(results: SuiteResults) -> None:
    assert results.names(controls=False) == ["lethe", "mem0", "naive_sql", "palace", "absent"]
    assert results.names(controls=True) == ["null", "oracle"]
    assert results.values("category") == ["substring_trap", "compound_fact"]
    assert results.values("provenance") == ["written_first", "written_later"]
    assert results.values("difficulty") == ["easy", "hard", "manual"]
    assert results.values("script") == ["greek", "han"]
    assert results.values("mechanism") == []
    assert (results.cases(), results.cases("compound_fact", "category")) == (15, 5)
    assert results.cases("hard", "difficulty") == 4
    assert (results.cases("nonesuch"), results.cases("compound_fact"), results.cases("written_first", "category")) == (
        0,
        0,
        0,
    )
    assert results.score("absent") is None


def test_results_give_the_score_of_their_scorer_unless_another_is_asked_for(results: SuiteResults) -> None:
    def passed(results: SuiteResults, **scorer: str) -> int:
        found = results.score("lethe", **scorer)
        assert found is not None
        return int(found["passed"])

    assert passed(results) == 8
    assert [passed(results, scorer=scorer) for scorer in SCORERS] == [8, 3, 14]
    assert [passed(replace(results, scorer=scorer)) for scorer in SCORERS] == [8, 3, 14]
    assert passed(replace(results, scorer="probed"), scorer="identifier") == 14
    assert results.score("naive_sql", scorer="probed") is None


def test_rows_developed_on_a_suite_say_so() -> None:
    systems = {
        "plain": {"label": "Plain", "regime": "deterministic"},
        "ruled": {"label": "Ruled", "regime": "matcher", "hook": "matcher"},
        "idle": {"label": "Idle", "regime": "matcher", "hook": "matcher"},
    }
    rows = [score(name, ALL, passed=1, cases=2) for name in ("plain", "ruled")]
    found = suite(*rows, systems=systems, not_run={"idle": "not run: left out"})
    assert found.notes() == ["Idle: not run: left out."]
    said = "Ruled: developed on these very cases; the held-out suite has others."
    assert replace(found, seen_by=["matcher"]).notes() == ["Idle: not run: left out.", said]


def test_a_contract_that_was_shaped_by_a_suite_marks_its_models_there_and_no_ceiling() -> None:
    systems = {
        "paper": {"label": "P", "regime": "mutation hook", "hook": "llm", "hook_contract": "paper"},
        "rows": {"label": "R", "regime": "mutation hook", "hook": "llm", "hook_contract": "rows"},
        "most": {"label": "O", "regime": "control", "hook": "oracle", "hook_contract": "rows"},
    }
    found = suite(*(score(name, ALL, passed=1, cases=2) for name in systems), systems=systems)
    assert [name for name in systems if replace(found, seen_by=["rows"]).is_seen_by(name)] == ["rows"]
    assert replace(found, seen_by=["matcher"]).notes(["plain"]) == []


def test_results_are_those_of_their_suite(results: SuiteResults) -> None:
    record = setup(
        configurations(SYSTEMS),
        suites={
            "other": Suite("Other", {"mem0": "not run: of another suite"}, ["matcher"]),
            "mine": Suite("Mine", NOT_RUN),
        },
    )
    rows = list(results.scores.values())
    assert SuiteResults.of(rows, "mine", record) == results
    assert SuiteResults.of(rows, "other", record).seen_by == ["matcher"]
    assert SuiteResults.of(rows, "mine", replace(record, scorer="probed")) == replace(results, scorer="probed")
    again = SuiteResults.of(rows, "mine", replace(record, repetitions={"": 5}))
    assert (results.cases(), again.cases(), again.score("lethe")) == (15, 3, results.score("lethe"))


def test_one_note_names_all_that_did_not_run_for_the_same_reason() -> None:
    reasons = {"A": "not run: x", "B": "not run: y", "C": "not run: x"}
    assert reason_lines(reasons) == ["A, C: not run: x.", "B: not run: y."]


def test_the_models_of_a_system_have_scores_of_their_own() -> None:
    found = with_models()
    assert {name for name, *_ in found.scores} == {"mem0", "mem0@chat", "mem0@other", "null"}
    assert found.ran(["null", "mem0@late", "mem0@chat", "null@chat", "mem0"]) == ["null", "mem0@chat", "mem0"]


def test_ran_keeps_the_order_asked_for_and_goes_by_the_scorer(results: SuiteResults) -> None:
    assert results.ran(["oracle", "absent", "palace", "lethe"]) == ["oracle", "palace", "lethe"]
    assert results.ran(["absent"]) == []
    assert replace(results, scorer="probed").ran(SYSTEMS) == ["lethe", "null", "oracle"]


def test_rows_on_cases_that_have_been_available_say_so() -> None:
    systems = {
        "plain": {"label": "Plain", "regime": "deterministic"},
        "ruled": {"label": "Ruled", "regime": "matcher", "hook": "matcher"},
    }
    found = suite(*(score(name, ALL, passed=1, cases=2) for name in systems), systems=systems, not_run={})
    assert found.notes() == []
    (said,) = replace(found, available_since="abc123").notes()
    assert said.startswith("Ruled: the cases have been available to its developers since commit abc123;")
    assert replace(found, available_since="abc123").notes(["plain"]) == []


def test_categories_that_the_paper_does_not_have_come_last() -> None:
    rows = [score("lethe", value, 1, 2, cut="category") for value in ("one_span", "compound_fact", "a_kind")]
    assert suite(*rows).values("category") == ["compound_fact", "a_kind", "one_span"]


def test_the_notes_say_how_many_cases_were_withdrawn(results: SuiteResults) -> None:
    before = results.notes()
    (said,) = set(replace(results, withdrawn=2, version=3).notes()) - set(before)
    assert said == "Version 3 of the suite: 2 cases withdrawn (suites/errata.yaml)."
