"""`evaluate`: whatever form a store has it comes to the same, and whatever breaks is named."""

import asyncio
import json
import math
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from forgeteval import Results, evaluate
from forgeteval.embed.embedder import Vectors
from forgeteval.errors import UserError
from forgeteval.planners.oracle import OraclePlanner
from forgeteval.planners.protocol import Candidate, Decision, Meant, Unsure
from forgeteval.run import deadline
from forgeteval.run.isolated import CannotBuild, IsolatedStore, StoreBroke
from forgeteval.run.replay import ReplayOptions
from forgeteval.stores.controls import Null
from tests.forgeteval.run.conftest import ASKED, CASE, LIMIT, named, verdicts
from tests.support import stores
from tests.support.bench import HashEmbedder
from tests.support.stores import Async, Duck, Shelf, Six, async_factory, factory

FORMS = {
    "without the base class": Duck,
    "async": Async,
    "the paper's six methods": Six,
    "a factory": factory,
    "an async factory": async_factory,
    "an instance": Shelf(),
    "a name": named("Shelf"),
    "the name of a factory": named("factory"),
}

PATIENCE_S = 60.0


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_store_comes_to_the_same(form: str, expected: Results) -> None:
    assert verdicts(evaluate(FORMS[form], limit=LIMIT, controls=False)) == verdicts(expected)


@pytest.mark.parametrize("name", ["Shelf", "Duck", "Async", "Six", "factory", "async_factory", "instance"])
def test_a_process_of_its_own_comes_to_the_same(name: str, expected: Results) -> None:
    isolated = evaluate(named(name), limit=LIMIT, controls=False, isolated=True)
    assert verdicts(isolated) == verdicts(expected)
    assert [trial.recalled for trial in isolated.trials] == [trial.recalled for trial in expected.trials]
    assert [trial.present for trial in isolated.trials] == [trial.present for trial in expected.trials]


def test_an_async_store_works_where_a_loop_is_running(expected: Results) -> None:
    async def inside() -> Results:
        return evaluate(Async, limit=LIMIT, controls=False)

    assert verdicts(asyncio.run(inside())) == verdicts(expected)


def test_an_async_store_leaves_no_thread_behind() -> None:
    before = set(threading.enumerate())
    for _ in range(3):
        evaluate(Async, [CASE], controls=False)
    for thread in set(threading.enumerate()) - before:
        thread.join(PATIENCE_S)
    assert set(threading.enumerate()) <= before


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
        ("Endless", " letters; at most 1,048,576 are taken"),
    ],
)
def test_what_breaks_is_named_and_the_next_case_is_run(name: str, said: str) -> None:
    other = {**CASE, "mutations": [], "must_not_contain": []}
    results = evaluate(named(name), [CASE, other], isolated=True, case_timeout_s=1.0, controls=False)
    first, second = results.trials
    assert first.verdict == "error" and said in (first.error or "")
    assert second.verdict == ("error" if name in ("Dicts", "TooMany", "Endless") else "pass")


@pytest.mark.parametrize(
    ("score", "shown"),
    [
        (math.nan, "nan"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        ("0.5", "a str"),
        (None, "None"),
        (10**400, "an int"),
        ([0.5], "a list"),
    ],
    ids=["nan", "inf", "-inf", "text", "none", "large", "list"],
)
def test_a_score_that_is_no_finite_number_is_the_error_of_its_trial(
    monkeypatch: pytest.MonkeyPatch, score: Any, shown: str
) -> None:
    monkeypatch.setattr(stores.Scores, "score", score)
    (trial,) = evaluate(stores.Scores, [CASE], controls=False).trials
    assert trial.error == (
        f"ValueError: search returned a Hit whose score is {shown}; give a finite number, higher for a better match"
    )


@pytest.mark.parametrize("score", [1, True, np.float32(0.5), Decimal("0.5")], ids=repr)
def test_a_score_of_any_kind_of_number_is_taken(monkeypatch: pytest.MonkeyPatch, score: Any) -> None:
    monkeypatch.setattr(stores.Scores, "score", score)
    (trial,) = evaluate(stores.Scores, [CASE], controls=False).trials
    assert trial.error is None


def test_a_store_that_hangs_again_and_again_is_not_waited_for() -> None:
    cases = [{**CASE, "id": f"c{number}"} for number in range(5)]
    results = evaluate(named("Hangs"), cases, isolated=True, case_timeout_s=0.5, controls=False)
    assert [(trial.error or "").partition(",")[0] for trial in results.trials[3:]] == ["not run"] * 2


def test_what_a_store_prints_is_noted_and_changes_nothing(expected: Results) -> None:
    results = evaluate(named("Prints"), limit=LIMIT, isolated=True, controls=False)
    assert verdicts(results) == verdicts(expected)
    (note,) = results.notes
    assert note.startswith("the store wrote ") and "the first: adding" in note


def test_of_what_a_store_prints_the_count_and_the_first_line_are_kept_over_its_processes() -> None:
    cases = [{**CASE, "id": f"c{number}"} for number in range(2)]
    results = evaluate(named("PrintsAndExits"), cases, isolated=True, controls=False)
    assert results.notes == ("the store wrote 600,006 lines to standard output, the first: first",)


@pytest.mark.parametrize("isolated", [False, True])
def test_a_store_is_closed_at_the_end(isolated: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOSED", str(tmp_path / "closed"))
    evaluate(named("Closes"), [CASE], isolated=isolated, controls=False)
    assert (tmp_path / "closed").is_file()


def test_what_a_store_says_it_does_not_offer_is_na() -> None:
    (trial,) = evaluate(named("WithoutPurge"), [CASE], controls=False).trials
    assert (trial.verdict, trial.error) == ("na", "not offered: purge")


@pytest.mark.parametrize("isolated", [False, True])
def test_of_what_a_store_says_a_line_is_kept(isolated: bool) -> None:
    (trial,) = evaluate(named("RefusesAtLength"), [CASE], isolated=isolated, controls=False).trials
    assert trial.verdict == "na" and trial.error is not None and len(trial.error) == 500


def test_a_store_that_cannot_be_built_is_told_of_before_anything_runs() -> None:
    with pytest.raises(CannotBuild, match="ValueError: no connection"):
        evaluate(named("CannotBeBuilt"), [CASE], isolated=True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"store": "tests.support.stores:Nope"}, "has no Nope; its classes are"),
        ({"store": "no_such_module:Store"}, "there is no module of this name here"),
        ({"store": "nowhere.py:Store"}, "there is no such file"),
        ({"store": "just-a-name"}, "name it as module:Class"),
        ({"store": named("NoSearch")}, "NoSearch has no search"),
        ({"store": named("factory_of_nothing")}, "factory_of_nothing returns None, which has no add and no search"),
        ({"store": named("factory_of_a_class")}, "factory_of_a_class returns the class Shelf; name that"),
        ({"store": Shelf, "suite": ""}, "suite: no name or path is given"),
        ({"store": Shelf, "suite": "nope"}, "nope"),
        ({"store": Shelf, "categories": ["nope"]}, "category 'nope': adversarial has none of this name"),
        ({"store": Shelf, "policies": {"purge": "nope"}}, "no policy 'nope'; purge has"),
        ({"store": Shelf, "policies": {"forget": "best_match"}}, "no operation 'forget'"),
        ({"store": Shelf, "hook": 5}, "is not a planner"),
        ({"store": Shelf, "unsure": "Ask"}, "unsure: 'Ask' is none of policy, ask"),
    ],
)
def test_a_mistake_is_one_line(arguments: dict[str, Any], said: str) -> None:
    for isolated in (False, True):
        with pytest.raises(UserError) as caught:
            evaluate(**arguments, isolated=isolated)
        assert said in str(caught.value) and "\n" not in str(caught.value)


def test_a_file_with_the_name_of_a_module_of_python_is_not_taken_for_it(tmp_path: Path) -> None:
    (tmp_path / "atexit.py").write_text("class Store: ...\n")
    with pytest.raises(UserError, match=r"atexit\.py: another module named atexit .*; rename the file"):
        evaluate(f"{tmp_path / 'atexit.py'}:Store", [CASE])


@pytest.mark.parametrize("isolated", [False, True])
def test_a_file_that_imports_from_its_package_is_told_to_be_named_by_that(tmp_path: Path, isolated: bool) -> None:
    inner = tmp_path / "shop" / "inner"
    inner.mkdir(parents=True)
    for folder in (inner, inner.parent):
        (folder / "relative.py").write_text("from ._inner import Store\n")
    with pytest.raises(
        UserError, match=rf"relative\.py: .*; name it inner\.relative:.*, in the folder {inner.parent}$"
    ):
        evaluate(f"{inner / 'relative.py'}:Store", [CASE], isolated=isolated)
    for folder in (inner, inner.parent):
        (folder / "__init__.py").touch()
    with pytest.raises(UserError, match=rf"name it shop\.inner\.relative:Class, in the folder {tmp_path}$"):
        evaluate(f"{inner / 'relative.py'}:Store", [CASE], isolated=isolated)


@pytest.mark.parametrize("isolated", [False, True])
def test_a_module_that_goes_to_another_folder_is_the_one_of_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, isolated: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "goes_away.py").write_text("import os\nfrom tests.support.stores import Shelf\nos.chdir('/')\n")
    assert evaluate("goes_away.py:Shelf", [CASE], isolated=isolated).total == 1


def test_a_module_without_the_class_is_named_by_its_file() -> None:
    with pytest.raises(UserError, match=r"random has no Store; its classes are .*; its file is .*random\.py"):
        evaluate("random:Store", [CASE])


class _Yields(Shelf):
    def add(self, texts: Sequence[str]) -> Iterator[None]:  # type: ignore[override]
        yield super().add(texts)


def test_a_method_that_is_a_generator_did_nothing_and_is_an_error() -> None:
    [trial] = evaluate(_Yields, [CASE]).trials
    assert str(trial.error).startswith("TypeError: add returned a generator, of which nothing ran; ")


class _Async(OraclePlanner):
    async def purge(self, query: str, candidates: Sequence[Candidate]) -> Decision:  # type: ignore[override]
        return Unsure("late")


@pytest.mark.parametrize(("hook", "said"), [(_Async(), "_Async is async"), (OraclePlanner, "OraclePlanner is a class")])
def test_a_hook_that_cannot_answer_at_once_is_refused(hook: object, said: str) -> None:
    with pytest.raises(UserError, match=f"hook: {said}"):
        evaluate(Shelf, [CASE], hook=hook)


@pytest.mark.parametrize("name", ["typing", "numpy", "forgeteval"])
def test_a_file_next_to_the_store_takes_no_module_from_its_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / f"{name}.py").write_text("")
    monkeypatch.chdir(tmp_path)
    assert evaluate(named("Shelf"), [CASE], isolated=True, controls=False).count("error") == 0


def test_a_control_that_a_small_k_fails_says_so() -> None:
    table = evaluate(Shelf, "adversarial_sample", k=1).table()
    assert "oracle should pass 10, so k is too small for what they require, or these cases prove less" in table


def test_a_class_that_another_process_cannot_import_is_refused() -> None:
    class Local(Shelf): ...

    with pytest.raises(UserError, match="another process cannot import it; put the class, by its name, at the top of"):
        evaluate(Local, [CASE], isolated=True)


def test_another_process_takes_no_instance() -> None:
    with pytest.raises(UserError) as caught:
        evaluate(Shelf(), [CASE], isolated=True)
    assert str(caught.value) == "Shelf: another process makes its own; give the class or its name, not an instance"
    assert evaluate(Shelf, [CASE], isolated=True, controls=False).count("error") == 0


@pytest.mark.parametrize("isolated", [False, True])
def test_no_store_sees_the_solution(isolated: bool) -> None:
    """The forbidden string is in its facts; what the question requires is nowhere."""
    case = {**CASE, "must_contain": ["ONLY-THE-JUDGE-KNOWS"], "must_not_contain": ["NOR-THIS"]}
    (trial,) = evaluate(named("Curious"), [case], isolated=True, controls=False).trials
    assert trial.missing == ["ONLY-THE-JUDGE-KNOWS"] and trial.leaked == []


class Slow(HashEmbedder):
    """Takes longer than the stores of the two tests that follow have themselves."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        time.sleep(1.5)
        return super().embed(texts)


def test_the_time_that_an_embedder_takes_is_not_the_stores() -> None:
    with IsolatedStore(named("EmbedsTwice"), {}, ReplayOptions(5), embedder=Slow, start_s=2.5):
        pass


def test_a_store_that_asks_for_vectors_for_ever_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "MOST_REPLYING", 1.0)
    with (
        pytest.raises(StoreBroke, match=r"hung for 2\.5 s"),
        IsolatedStore(named("EmbedsForEver"), {}, ReplayOptions(5), embedder=Slow, start_s=2.5),
    ):
        pass


class Sized(Slow):
    """Has two dimensions: the number that a text is, and 1."""

    dim = 2

    def embed(self, texts: Sequence[str]) -> Vectors:
        time.sleep(0.01 * len(texts))
        return np.array([[float(text), 1.0] for text in texts], np.float32)


def test_a_store_that_asks_for_many_vectors_at_once_gets_them_as_long_as_its_time_lasts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with IsolatedStore(named("EmbedsManyAtOnce"), {}, ReplayOptions(5), embedder=Sized, start_s=2.5):
        pass
    monkeypatch.setattr(deadline, "MOST_REPLYING", 1.0)
    with (
        pytest.raises(StoreBroke, match=r"hung for 2\.5 s"),
        IsolatedStore(named("EmbedsManyAtOnce"), {}, ReplayOptions(5), embedder=Sized, start_s=2.5),
    ):
        pass


def test_no_trial_is_answered_for_another() -> None:
    cases = [{**CASE, "id": f"c{number}"} for number in range(3)]
    results = evaluate(named("Forger"), cases, isolated=True, controls=False)
    assert [trial.error for trial in results.trials] == ["its process sent what belongs to another trial"] * 3


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


@pytest.mark.parametrize("held", [type("Client", (), {"stop": print})(), None, 5])
def test_what_a_planner_of_ones_own_holds_means_nothing(held: object) -> None:
    planner = Refrains()
    planner.ask = planner.model = held  # type: ignore[attr-defined]
    results = evaluate(Shelf, [CASE], hook=planner, controls=False)
    assert results.settings["hook"] == "Refrains" and results.count("error") == 0


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


@pytest.mark.parametrize("isolated", [False, True])
def test_a_store_that_changes_the_clock_is_timed_all_the_same(
    tmp_path: Path, isolated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "perf_counter", time.perf_counter)
    results = evaluate(named("StopsClocks"), [ASKED], isolated=isolated, controls=False)
    results.save(tmp_path / "r.json")
    assert Results.load(tmp_path / "r.json").passed == 1


def test_what_a_store_does_to_the_files_of_its_process_breaks_its_trial_alone() -> None:
    results = evaluate(named("RemovesFolder"), [ASKED, {**ASKED, "id": "b"}], isolated=True, controls=False)
    assert [trial.error for trial in results.trials] == ["its process exited with code 3 in search"] * 2


def test_a_store_that_can_be_built_but_once_breaks_the_trials_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BUILT_ONCE", str(tmp_path / "built"))
    results = evaluate(named("BuiltOnce"), [ASKED, {**ASKED, "id": "b"}], isolated=True, controls=False)
    said = [trial.error for trial in results.trials]
    assert said == [
        "its process exited with code 3 in search",
        "its process cannot be built again: the licence is for one",
    ]


@pytest.mark.parametrize(
    ("came", "said"),
    [
        ({"asked": True, "recalled": ["\ud800"]}, "its process sent what nobody asked for"),
        ({"asked": True, "recalled": ["a"], "recall_ms": float("nan")}, "its process sent what nobody asked for"),
        ({"asked": True, "recalled": ["a"], "inscribe_ms": 1e308}, "its process sent what nobody asked for"),
        ({"asked": True, "recalled": ["a"], "recall_ms": 10**400}, "its process sent what nobody asked for"),
        ({"asked": True, "recalled": ["a"], "inscribed": -1}, "its process sent what nobody asked for"),
        ({"asked": True, "times": 5 << 20}, "its process sent what nobody asked for"),
        ({"asked": True, "recalled": ["a"] * 11}, "more texts than the 10 that were asked for"),
        ({"asked": True}, "no answer to a question, and no reason"),
        ({}, "no answer to a question, and no reason"),
        ({"recalled": ["Bo lives in Tartu."]}, "an answer to a question that was not asked"),
    ],
)
def test_what_no_store_can_send_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, came: dict[str, Any], said: str
) -> None:
    monkeypatch.setenv("SENDS", json.dumps(came))
    results = evaluate(named("Sends"), [ASKED], isolated=True, controls=False, case_timeout_s=10)
    assert said in (results.trials[0].error or "")
    results.save(tmp_path / "r.json")


def _number_embedder(texts: Sequence[str]) -> list[list[float]]:
    return [[float(text) if text.isdigit() else 0.5, 1.0] for text in texts]


def test_threads_of_a_store_that_embed_at_once_get_their_own_vectors() -> None:
    case = {**ASKED, "must_contain": ["True"]}
    how: dict[str, Any] = {"isolated": True, "controls": False, "embedder": _number_embedder}
    assert evaluate(named("EmbedsAtOnce"), [case], **how).passed == 1


def _long_embedder(texts: Sequence[str]) -> list[list[float]]:
    return [[1.0] * 400 for _ in texts]


def test_a_store_that_does_not_take_what_it_asked_for_hangs() -> None:
    how: dict[str, Any] = {"isolated": True, "controls": False, "embedder": _long_embedder, "case_timeout_s": 3.0}
    (trial,) = evaluate(named("AsksAndSleeps"), [ASKED], **how).trials
    assert trial.error == "it hung for 3 s in search"


def test_a_list_that_says_it_is_short_is_counted() -> None:
    (trial,) = evaluate(named("SaysItIsShort"), [ASKED], controls=False).trials
    assert trial.error == "ValueError: search returned 11 memories where 10 were asked for; return at most k"


class Clumsy:
    """A planner that breaks."""

    def __init__(self, raised: BaseException) -> None:
        self._raised = raised

    def purge(self, query: str, candidates: Sequence[object]) -> None:
        raise self._raised

    supersede = release = purge


@pytest.mark.parametrize("isolated", [False, True])
@pytest.mark.parametrize(
    ("raised", "said"), [(IndexError("no such memory"), "IndexError: no such memory"), (SystemExit(0), "SystemExit: 0")]
)
def test_what_a_planner_raises_breaks_the_trial(isolated: bool, raised: BaseException, said: str) -> None:
    (trial,) = evaluate(named("Shelf"), [CASE], hook=Clumsy(raised), isolated=isolated, controls=False).trials
    assert trial.verdict == "error" and said in (trial.error or "")


class Finds(Refrains):
    """A planner that finds its memories by NumPy."""

    def purge(self, query: str, candidates: Sequence[Candidate]) -> Decision:
        (held,) = np.nonzero([query in candidate.text for candidate in candidates])
        return Meant(held)  # type: ignore[arg-type]


@pytest.mark.parametrize("isolated", [False, True])
def test_positions_may_be_numpys_integers(isolated: bool) -> None:
    (trial,) = evaluate(named("Shelf"), [CASE], hook=Finds(), isolated=isolated, controls=False).trials
    assert trial.verdict == "pass"
    with pytest.raises(TypeError):
        Meant((0.5,))  # type: ignore[arg-type]


def test_an_embedder_that_ends_its_program_is_one_line() -> None:
    def leaves(texts: list[str]) -> None:
        raise SystemExit(0)

    with pytest.raises(UserError, match="SystemExit: 0"):
        evaluate(named("EmbedsAtOnce"), [ASKED], isolated=True, controls=False, embedder=leaves)


def test_what_python_ignores_on_its_path_is_no_hindrance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [tmp_path, *sys.path])
    assert evaluate(named("Shelf"), [ASKED], isolated=True, controls=False).passed == 1


class _Model:
    """A planner whose model has a name that no file can hold."""

    model = "m\udcff"

    def supersede(self, *given: Any) -> Decision:
        raise NotImplementedError

    release = purge = supersede


@pytest.mark.parametrize("isolated", [False, True])
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"name": 7}, "store: 7 is no text"),
        ({"name": "a\udcff"}, r"store: 'a\\udcff' is not UTF-8, and no file of results can hold it; rename it"),
        ({"hook": _Model()}, r"hook: 'm\\udcff' is not UTF-8"),
        ({"k": True}, "k: True is no whole number"),
        ({"k": 10**17}, "k: 100000000000000000 is more than 9007199254740992"),
        ({"limit": True}, "limit: True is no whole number"),
        ({"case_timeout_s": True}, "case_timeout_s: True is no number"),
        ({"policies": {"purge": ["equal_text"]}}, r"policy purge=\['equal_text'\]: no policy"),
        ({"categories": None}, "categories: None is no list of categories"),
        ({"categories": "purge"}, "categories: 'purge' is no list of categories"),
        ({"categories": [5]}, "category 5: adversarial has none of this name"),
        ({"suite": None}, "suite: None is no suite"),
        ({"suite": CASE}, "suite: .* is no suite; give its name, a path, or a list of cases"),
        ({"suite": ["adversarial"]}, "case 1: case: must be a JSON object"),
        ({"suite": "a" * 5000}, "suite 'aaa.*no such suite, file or folder"),
        ({"suite": "published", "data": 5}, "data: 5 is no path of a folder"),
    ],
)
def test_a_wrong_argument_is_one_line_before_the_run(wrong: dict[str, Any], said: str, isolated: bool) -> None:
    with pytest.raises(UserError, match=said):
        evaluate(named("Shelf"), **{"controls": False, "isolated": isolated, "limit": 1, **wrong})


@pytest.mark.parametrize("store", [None, 5, {}, json])
def test_what_is_no_store_is_one_line(store: Any) -> None:
    with pytest.raises(UserError, match="is no store; give a class, a factory, or an instance"):
        evaluate(store, [CASE])


def test_categories_may_come_one_by_one() -> None:
    words = ("negation_trap", "prefix_collision")
    found = evaluate(Null, categories=(word for word in words), controls=False)  # type: ignore[arg-type]
    assert found.cases == evaluate(Null, categories=words, controls=False).cases and found.total > 1
