"""`evaluate`: whatever form a store has it comes to the same, and whatever breaks is named."""

import asyncio
import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from forgeteval import Results, compare, evaluate, load_suite
from forgeteval.embed.embedder import Vectors
from forgeteval.errors import UserError
from forgeteval.planners.protocol import Candidate, Decision, Meant, Unsure
from forgeteval.run import deadline
from forgeteval.run.isolated import CannotBuild, IsolatedStore, StoreBroke
from forgeteval.run.replay import ReplayOptions
from forgeteval.stores.controls import Null, Oracle, Verbatim
from tests.support import stores
from tests.support.bench import HashEmbedder
from tests.support.paths import ROOT
from tests.support.stores import Async, Duck, Shelf, Six, factory

LIMIT = 40
CONFINES = "import sys; from forgeteval.run.confinement import confine; sys.exit(confine() is not None)"
SCOPES = "import ctypes, sys; sys.exit(ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1) < 6)"
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


@pytest.mark.parametrize(
    ("score", "shown"),
    [(math.nan, "nan"), (math.inf, "inf"), (-math.inf, "-inf"), ("0.5", "a str"), (10**400, "an int")],
    ids=["nan", "inf", "-inf", "text", "large"],
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
        ({"store": Shelf, "hook": 5}, "is not a planner"),
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


@pytest.mark.skipif(
    subprocess.run([sys.executable, "-c", CONFINES], check=False).returncode != 0,
    reason="this kernel cannot confine a process",
)
def test_a_store_reads_nothing_of_the_processes_above_it() -> None:
    (trial,) = evaluate(named("Spies"), [ASKED], isolated=True, controls=False).trials
    assert trial.recalled == ["nothing"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of every process")
@pytest.mark.parametrize("ending", ["its end", "being killed"])
def test_no_daemon_outlives_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    monkeypatch.setenv("DAEMON", str(tmp_path / "daemon"))
    store = IsolatedStore(named("LeavesDaemon"), {}, ReplayOptions(5))
    with store:
        daemon = int((tmp_path / "daemon").read_text(encoding="utf-8"))
        os.kill(daemon, 0)
        if ending == "being killed":
            assert store._child is not None
            store._child.kill()
    with pytest.raises(ProcessLookupError):
        os.kill(daemon, 0)


@pytest.mark.skipif(
    subprocess.run([sys.executable, "-c", SCOPES], check=False).returncode != 0,
    reason="this kernel cannot keep a process from signalling others",
)
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGSTOP])
def test_no_store_ends_or_stops_what_ends_its_daemons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sent: signal.Signals
) -> None:
    monkeypatch.setenv("DAEMON", str(tmp_path / "daemon"))
    monkeypatch.setenv("SENT", str(int(sent)))
    with IsolatedStore(named("EndsItsKeeper"), {}, ReplayOptions(5)) as store:
        assert store._child is not None and store._child._process.poll() is None
        assert not (tmp_path / "sent").exists()
        daemon = int((tmp_path / "daemon").read_text(encoding="utf-8"))
        os.kill(daemon, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(daemon, 0)


@pytest.mark.skipif(
    subprocess.run([sys.executable, "-c", SCOPES], check=False).returncode != 0,
    reason="this kernel cannot keep a process from signalling others",
)
def test_a_confined_process_signals_its_own_and_no_other() -> None:
    program = (
        "import os, subprocess, threading, signal\n"
        "from forgeteval.run.confinement import confine\n"
        "def sent(process):\n"
        "    try: os.kill(process, 0)\n"
        "    except PermissionError: return 'refused'\n"
        "    return 'sent'\n"
        "assert confine() is None\n"
        "child = subprocess.Popen(['sleep', '60'])\n"
        "print(sent(os.getppid()), sent(child.pid), sent(os.getpid()))\n"
        "child.kill()\n"
        "print(child.wait())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "refused sent sent\n-9\n"


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


def test_where_nothing_confines_a_store_a_key_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unable = "import forgeteval.run.confinement as c\nc.confine = lambda: 'no Landlock here'\n"
    (tmp_path / "sitecustomize.py").write_text(unable, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(ROOT)]))
    with IsolatedStore(named("Shelf"), {}, ReplayOptions(5)):
        pass
    with (
        pytest.raises(UserError, match="it could read the API key in SECRET_KEY: no Landlock here; unset it"),
        IsolatedStore(named("Shelf"), {}, ReplayOptions(5), without=("SECRET_KEY",)),
    ):
        pass


def test_no_trial_is_answered_for_another() -> None:
    cases = [{**CASE, "id": f"c{number}"} for number in range(3)]
    results = evaluate(named("Forger"), cases, isolated=True, controls=False)
    assert [trial.error for trial in results.trials] == ["its process sent what belongs to another trial"] * 3


def test_results_survive_their_file(tmp_path: Path, expected: Results) -> None:
    expected.save(tmp_path / "r.json")
    assert Results.load(tmp_path / "r.json") == expected


@pytest.mark.parametrize(
    ("part", "at", "value", "said"),
    [
        ("trials", 0, {"verdict": "pass", "missing": [], "leaked": []}, "do not give the verdict pass"),
        ("cases", 1, {"must_not_contain": ["zzz"]}, "cases are not those of suite"),
    ],
)
def test_a_verdict_or_a_case_that_was_changed_is_named(
    tmp_path: Path, part: str, at: int, value: dict[str, Any], said: str
) -> None:
    results = evaluate(Null, [{**CASE, "id": f"c{number}"} for number in range(2)], controls=False)
    told = results.to_json()
    told[part][at].update(value)
    (tmp_path / "r.json").write_text(json.dumps(told))
    with pytest.raises(UserError, match=f"r.json: .*{said}"):
        Results.load(tmp_path / "r.json")


@pytest.mark.parametrize("suite", ["template", "held_out", "twins", "owners", "languages"])
@pytest.mark.parametrize("limit", [3, None])
def test_results_of_every_suite_can_be_read_again(tmp_path: Path, suite: str, limit: int | None) -> None:
    results = evaluate(Null, suite, limit=limit, controls=False)
    results.save(tmp_path / "r.json")
    assert verdicts(Results.load(tmp_path / "r.json")) == verdicts(results)


def _a_part_as_the_whole(told: dict[str, Any]) -> None:
    told["suite"]["selected"] = 1


def _another_case(told: dict[str, Any]) -> None:
    told["cases"][0]["must_contain"] = []


def _one_twice(told: dict[str, Any]) -> None:
    for part in ("cases", "trials"):
        told[part].append(told[part][0])
    told["suite"]["selected"] += 1


def _none(told: dict[str, Any]) -> None:
    told["cases"], told["trials"], told["suite"]["selected"] = [], [], 0


def _another_checksum(told: dict[str, Any]) -> None:
    told["suite"]["sha256"] = "0" * 64


def _a_later_version(told: dict[str, Any]) -> None:
    told["suite"]["version"] = 99


def _another_name(told: dict[str, Any]) -> None:
    told["suite"]["name"] = "mine"
    told["cases"][0]["must_not_contain"] = ["zzz"]
    told["trials"][0] |= {"verdict": "pass", "missing": [], "leaked": []}


def _gone(told: dict[str, Any]) -> None:
    for trial in told["trials"]:
        trial["present"] = [False] * len(trial["present"])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_gone, "it recalls what is said to be gone"),
        (_a_part_as_the_whole, "5 cases, where it speaks of 1"),
        (_another_case, "the cases are not those of suite adversarial"),
        (_one_twice, "no case, or one twice"),
        (_none, "no case, or one twice"),
        (_a_later_version, "version 99 of suite adversarial is not known here, where they are up to 1"),
        (_another_name, "the cases are not those of suite adversarial, whose checksum it gives"),
        (_another_checksum, "the cases are not those of suite adversarial"),
    ],
)
def test_a_part_of_a_suite_is_of_that_suite(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], said: str
) -> None:
    told = json.loads(json.dumps(evaluate(Shelf, "adversarial", limit=5, controls=False).to_json()))
    (tmp_path / "r.json").write_text(json.dumps(told))
    assert Results.load(tmp_path / "r.json").total == 5
    change(told)
    (tmp_path / "r.json").write_text(json.dumps(told))
    with pytest.raises(UserError, match=said):
        Results.load(tmp_path / "r.json")


def test_a_data_frame_has_a_row_for_each_trial(expected: Results) -> None:
    frame = expected.to_frame()
    assert list(frame["verdict"]) == verdicts(expected)
    assert list(frame["category"]) == [case.category for case in expected.cases]
    assert list(frame["case_id"]) == [case.case_id for case in expected.cases]
    assert list(frame["recalled"]) == [trial.recalled for trial in expected.trials]


def test_a_data_frame_without_its_package_is_one_line(expected: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UserError, match=r"forgeteval\[pandas\]"):
        expected.to_frame()


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


ASKED = {**CASE, "mutations": [], "must_not_contain": ["nowhere"]}


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
        ({"asked": True, "recalled": ["a"] * 11}, "its process sent more memories than were asked for"),
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


def test_a_store_that_does_not_take_what_it_asked_for_hangs() -> None:
    how: dict[str, Any] = {"isolated": True, "controls": False, "embedder": _number_embedder, "case_timeout_s": 3.0}
    (trial,) = evaluate(named("AsksAndSleeps"), [ASKED], **how).trials
    assert trial.error == "it hung for 3 s in search"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no process is forked here")
def test_a_forked_copy_of_a_store_answers_nothing() -> None:
    assert evaluate(named("ComesBackTwice"), [ASKED], isolated=True, controls=False).passed == 1


def test_a_list_that_says_it_is_short_is_counted() -> None:
    (trial,) = evaluate(named("SaysItIsShort"), [ASKED], controls=False).trials
    assert trial.error == "ValueError: search returned 11 memories where 10 were asked for; return at most k"


class Clumsy:
    """A planner that breaks."""

    def purge(self, query: str, candidates: Sequence[object]) -> None:
        raise IndexError("no such memory")

    supersede = release = purge


@pytest.mark.parametrize("isolated", [False, True])
def test_what_a_planner_raises_breaks_the_trial(isolated: bool) -> None:
    (trial,) = evaluate(named("Shelf"), [CASE], hook=Clumsy(), isolated=isolated, controls=False).trials
    assert trial.verdict == "error" and "IndexError: no such memory" in (trial.error or "")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("settings",), True),
        (("made_with",), "x"),
        (("date",), [[]]),
        (("notes",), [5]),
        (("trials",), []),
        (("trials", 0, "recalled"), ["\ud800"]),
        (("trials", 0, "cost_usd"), float("inf")),
        (("trials", 0, "present"), [True] * 50),
        (("trials", 0, "recall_ms"), -1),
        (("trials", 0, "recalled"), ["a text"] * 11),
        (("controls", 0, "passed"), -5),
        (("controls", 0, "cases"), -1),
        (("cases",), {}),
    ],
)
def test_results_with_something_wrong_in_them_are_one_line(
    tmp_path: Path, expected: Results, path: tuple[Any, ...], value: object
) -> None:
    told = json.loads(json.dumps(expected.to_json()))
    holder = told
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    (tmp_path / "r.json").write_text(json.dumps(told))
    with pytest.raises(UserError, match=r"not results of `forgeteval run`|Infinity is not a JSON number"):
        Results.load(tmp_path / "r.json")


@pytest.mark.skipif(os.name != "posix", reason="a signal ends no process politely here")
def test_a_run_that_is_told_to_end_leaves_neither_process_nor_files(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", "forgeteval.cli.main", "run", named("Hangs"), "--timeout", "100", "-q"]
    run = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    marks: list[Path] = []
    until = time.monotonic() + 60
    while not any(b"delete" in mark.read_bytes() for mark in marks) and time.monotonic() < until:
        time.sleep(0.1)
        marks = list(tmp_path.glob("forgeteval-*/method"))
    run.terminate()
    assert run.wait(30) == 128 + signal.SIGTERM
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of every process")
def test_no_daemon_outlives_the_command_where_a_store_has_ended_its_keeper(tmp_path: Path) -> None:
    old = "import forgeteval.run.confinement as c\nc._SCOPING = 10**6\n"
    (tmp_path / "sitecustomize.py").write_text(old, encoding="utf-8")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)]),
        "DAEMON": str(tmp_path / "daemon"),
        "SENT": str(int(signal.SIGKILL)),
    }
    options = ["--suite", "adversarial_sample", "--limit", "1", "--no-controls", "--quiet"]
    command = ["-c", "from forgeteval.cli.main import main; main()", "run", "tests.support.stores:EndsItsKeeper"]
    subprocess.run([sys.executable, *command, *options], cwd=ROOT, env=environment, capture_output=True, check=False)
    assert (tmp_path / "sent").exists()
    assert not is_running(int(waited_for(tmp_path / "daemon")))


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a process is not told that its parent is gone")
def test_a_store_that_hangs_ends_with_a_parent_that_was_killed(tmp_path: Path) -> None:
    code = (
        "import forgeteval; from tests.support.stores import HangsAndTells;"
        f"forgeteval.evaluate('tests.support.stores:HangsAndTells', [{CASE!r}], isolated=True, case_timeout_s=60)"
    )
    environment = {**os.environ, "TOLD": str(tmp_path / "pid")}
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=environment)
    pid = int(waited_for(tmp_path / "pid"))
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 20
    while (running := is_running(pid)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not running


def waited_for(path: Path) -> str:
    deadline = time.monotonic() + 30
    while not path.exists() or not path.read_text():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return path.read_text()


def is_running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
