"""`evaluate`: whatever form a store has it comes to the same, and whatever breaks is named."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from forgeteval import Results, compare, evaluate, load_suite
from forgeteval.errors import UserError
from forgeteval.planners.protocol import Candidate, Decision, Meant, Unsure
from forgeteval.run.isolated import CannotBuild
from forgeteval.stores.controls import Null, Oracle, Verbatim
from tests.support import stores
from tests.support.stores import Async, Duck, Shelf, Six, factory

LIMIT = 40
CASE = {
    "category": "gdpr_request",
    "setup_facts": ["Ada lives in Ghent.", "Bo lives in Tartu."],
    "mutations": [["purge", "Ada lives in Ghent."]],
    "final_query": "Who lives where?",
    "must_contain": ["Tartu"],
    "must_not_contain": ["Ghent"],
}


def verdicts(results: Results) -> list[str]:
    return [trial.verdict for trial in results.trials]


@pytest.fixture(scope="module")
def expected() -> Results:
    return evaluate(Shelf, limit=LIMIT)


def named(name: str) -> str:
    return f"tests.support.stores:{name}"


FORMS = {
    "without the base class": Duck,
    "async": Async,
    "the paper's six methods": Six,
    "a factory": factory,
    "an instance": Shelf(),
    "a name": named("Shelf"),
    "the name of a factory": named("factory"),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_store_comes_to_the_same(form: str, expected: Results) -> None:
    assert verdicts(evaluate(FORMS[form], limit=LIMIT, controls=False)) == verdicts(expected)


@pytest.mark.parametrize("name", ["Shelf", "Duck", "Async", "Six", "factory", "instance"])
def test_a_process_of_its_own_comes_to_the_same(name: str, expected: Results) -> None:
    isolated = evaluate(named(name), limit=LIMIT, controls=False, isolated=True)
    assert verdicts(isolated) == verdicts(expected)
    assert [trial.recalled for trial in isolated.trials] == [trial.recalled for trial in expected.trials]
    assert [trial.present for trial in isolated.trials] == [trial.present for trial in expected.trials]


def test_an_async_store_works_where_a_loop_is_running(expected: Results) -> None:
    async def inside() -> Results:
        return evaluate(Async, limit=LIMIT, controls=False)

    assert verdicts(asyncio.run(inside())) == verdicts(expected)


def test_the_controls_come_out_right_on_a_suite_with_states() -> None:
    results = evaluate(Null, limit=LIMIT)
    assert {control.name: (control.passed, control.is_right) for control in results.controls} == {
        **dict.fromkeys(("null", "nuke", "verbatim", "frozen"), (0, True)),
        "oracle": (LIMIT, True),
    }


def test_on_twins_verbatim_has_to_pass_and_nothing_is_said_of_frozen() -> None:
    controls = {control.name: control for control in evaluate(Null, "twins").controls}
    assert (controls["verbatim"].passed, controls["verbatim"].is_right) == (150, True)
    assert controls["frozen"].is_right is None


def test_without_states_the_controls_pass_what_they_pass() -> None:
    assert [control.is_right for control in evaluate(Null, [CASE]).controls] == [None] * 5


def test_anybodys_case_needs_four_fields() -> None:
    results = evaluate(Shelf, [CASE])
    assert (verdicts(results), list(results.by_category())) == (["pass"], ["gdpr_request"])
    assert results.facts() == {}


def test_an_operation_without_a_policy_is_na() -> None:
    results = evaluate(Shelf, limit=LIMIT, policies={"supersede": "best_match"}, controls=False)
    ops = {trial.case_id: trial.verdict for trial in results.trials}
    for case in results.cases:
        assert (ops[case.case_id] == "na") == any(mutation.op != "supersede" for mutation in case.mutations)


def test_what_a_store_cannot_delete_is_na() -> None:
    results = evaluate(stores.WithoutDelete, [CASE])
    assert (verdicts(results), results.trials[0].error) == (["na"], "it cannot delete")


@pytest.mark.parametrize("isolated", [False, True])
def test_what_a_store_raises_is_the_error_of_its_trial_with_the_traceback(isolated: bool) -> None:
    results = evaluate(named("Raises"), [CASE], isolated=isolated)
    ((_, trial),) = results.errors()
    assert trial.error == "RuntimeError: the disk is gone"
    assert 'raise RuntimeError("the disk is gone")' in (trial.traceback or "")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Hangs", "it hung for 1 s in delete"),
        ("Exits", "its process exited with code 7 in delete"),
        ("ExitsPolitely", "SystemExit: 7"),
        ("Dicts", "TypeError: search returned a list with a dict in it; return forgeteval.Hit(id, text, score)"),
        ("TooMany", "memories where 20 were asked for; return at most k"),
    ],
)
def test_what_breaks_is_named_and_the_next_case_is_run(name: str, said: str) -> None:
    other = {**CASE, "mutations": [], "must_not_contain": []}
    results = evaluate(named(name), [CASE, other], isolated=True, case_timeout_s=1.0, controls=False)
    first, second = results.trials
    assert first.verdict == "error" and said in (first.error or "")
    assert second.verdict == ("error" if name in ("Dicts", "TooMany") else "pass")


def test_a_store_that_hangs_again_and_again_is_not_waited_for() -> None:
    cases = [{**CASE, "id": f"c{number}"} for number in range(5)]
    results = evaluate(named("Hangs"), cases, isolated=True, case_timeout_s=0.5, controls=False)
    assert [(trial.error or "").partition(",")[0] for trial in results.trials[3:]] == ["not run"] * 2


def test_what_a_store_prints_is_noted_and_changes_nothing(expected: Results) -> None:
    results = evaluate(named("Prints"), limit=LIMIT, isolated=True, controls=False)
    assert verdicts(results) == verdicts(expected)
    (note,) = results.notes
    assert note.startswith("the store wrote ") and "the first: adding" in note


@pytest.mark.parametrize("isolated", [False, True])
def test_a_store_is_closed_at_the_end(isolated: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOSED", str(tmp_path / "closed"))
    evaluate(named("Closes"), [CASE], isolated=isolated, controls=False)
    assert (tmp_path / "closed").is_file()


def test_what_a_store_says_it_does_not_offer_is_na() -> None:
    (trial,) = evaluate(named("WithoutPurge"), [CASE], controls=False).trials
    assert (trial.verdict, trial.error) == ("na", "not offered: purge")


def test_a_store_that_cannot_be_built_is_told_of_before_anything_runs() -> None:
    with pytest.raises(CannotBuild, match="ValueError: no connection"):
        evaluate(named("CannotBeBuilt"), [CASE], isolated=True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"store": "tests.support.stores:Nope"}, "has no Nope; its classes are"),
        ({"store": "no_such_module:Store"}, "there is no module of this name here"),
        ({"store": "nowhere.py:Store"}, "there is no such file"),
        ({"store": "just-a-name"}, "name the store as module:Class"),
        ({"store": named("NoSearch")}, "NoSearch has no search"),
        ({"store": Shelf, "suite": "nope"}, "nope"),
        ({"store": Shelf, "categories": ["nope"]}, "category 'nope': adversarial has none of this name"),
        ({"store": Shelf, "policies": {"purge": "nope"}}, "no policy 'nope'; purge has"),
        ({"store": Shelf, "policies": {"forget": "best_match"}}, "no operation 'forget'"),
        ({"store": Shelf, "hook": 5}, "is no planner"),
    ],
)
def test_a_mistake_is_one_line(arguments: dict[str, Any], said: str) -> None:
    for isolated in (False, True):
        with pytest.raises(UserError) as caught:
            evaluate(**arguments, isolated=isolated)
        assert said in str(caught.value) and "\n" not in str(caught.value)


def test_a_class_that_another_process_cannot_import_is_refused() -> None:
    class Local(Shelf): ...

    with pytest.raises(UserError, match="another process cannot import it"):
        evaluate(Local, [CASE], isolated=True)


@pytest.mark.parametrize("isolated", [False, True])
def test_no_store_sees_the_solution(isolated: bool) -> None:
    """The forbidden string is in its facts; what the question requires is nowhere."""
    case = {**CASE, "must_contain": ["ONLY-THE-JUDGE-KNOWS"], "must_not_contain": ["NOR-THIS"]}
    (trial,) = evaluate(named("Curious"), [case], isolated=True, controls=False).trials
    assert trial.missing == ["ONLY-THE-JUDGE-KNOWS"] and trial.leaked == []


def test_no_trial_is_answered_for_another() -> None:
    cases = [{**CASE, "id": f"c{number}"} for number in range(3)]
    results = evaluate(named("Forger"), cases, isolated=True, controls=False)
    assert [trial.error for trial in results.trials] == ["its process sent what belongs to another trial"] * 3


def test_results_survive_their_file(tmp_path: Path, expected: Results) -> None:
    expected.save(tmp_path / "r.json")
    assert Results.load(tmp_path / "r.json") == expected


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"schema_version": 1}', '{"schema_version": 9}'])
def test_what_is_no_file_of_results_is_one_line(tmp_path: Path, content: str) -> None:
    (tmp_path / "r.json").write_text(content)
    with pytest.raises(UserError) as caught:
        Results.load(tmp_path / "r.json")
    assert "r.json" in str(caught.value) and "\n" not in str(caught.value)


def test_every_result_names_its_cases() -> None:
    suite = load_suite("adversarial")
    described = evaluate(Null, suite, limit=2).suite
    assert (described.name, described.version, described.sha256) == ("adversarial", suite.version, suite.sha256)
    assert described.selected == 2
    assert evaluate(Null, "owners", controls=False).suite.selected is None


def test_who_is_better_is_said_where_the_cases_tell() -> None:
    oracle, never = evaluate(Oracle, limit=LIMIT), evaluate(Verbatim, limit=LIMIT)
    found = compare(oracle, never)
    assert (found.is_better, compare(never, oracle).is_better, compare(never, never).is_better) == (True, False, None)
    assert (len(found.first_only), found.second_only, found.difference) == (LIMIT, (), 1.0)
    with pytest.raises(UserError, match="different cases"):
        compare(oracle, evaluate(Oracle, "twins"))


@pytest.mark.parametrize("isolated", [False, True])
@pytest.mark.parametrize(("unsure", "there"), [("policy", False), ("ask", True)])
def test_an_unsure_hook_leaves_it_to_the_policy_or_asks(isolated: bool, unsure: Any, there: bool) -> None:
    case = {**CASE, "final_query": "Ada lives Bo Ghent Tartu", "must_contain": ["Tartu"], "must_not_contain": ["Ghent"]}
    results = evaluate(named("Shelf"), [case], hook=Hesitant(), unsure=unsure, isolated=isolated, controls=False)
    (trial,) = results.trials
    assert (trial.verdict == "fail") is there and trial.llm_fallbacks == (not there)
    assert trial.decisions[0].startswith("purge: asked about" if there else "purge: fallback")
    assert results.settings["hook"] == "Hesitant" and results.settings["unsure"] == unsure


@pytest.mark.parametrize("isolated", [False, True])
def test_a_hook_that_means_none_is_honoured(isolated: bool) -> None:
    results = evaluate(named("Shelf"), [CASE], hook=Refrains(), isolated=isolated, controls=False)
    assert results.trials[0].decisions == ["purge: 0 of 2 memories"] and results.trials[0].llm_fallbacks == 0
    assert "Ada lives in Ghent." in results.trials[0].recalled


class Hesitant:
    """A planner that is never sure."""

    def supersede(self, query: str, new_fact: str, candidates: Sequence[Candidate]) -> Decision:
        return Unsure("who knows")

    def release(self, query: str, candidates: Sequence[Candidate]) -> Decision:
        return Unsure("who knows")

    def purge(self, query: str, candidates: Sequence[Candidate]) -> Decision:
        return Unsure("who knows")


class Refrains(Hesitant):
    """A planner that never means anything."""

    def purge(self, query: str, candidates: Sequence[Candidate]) -> Decision:
        return Meant()
