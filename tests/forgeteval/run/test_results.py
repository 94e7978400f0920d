"""Results: their file can be read again, and whatever was changed in it is named; two of them are compared."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forgeteval import Hit, Results, compare, evaluate, load_suite
from forgeteval.errors import UserError
from forgeteval.stores.controls import Null, Oracle, Verbatim
from tests.forgeteval.run.conftest import CASE, LIMIT, verdicts
from tests.support.stores import Shelf


def test_results_survive_their_file(tmp_path: Path, expected: Results) -> None:
    expected.save(tmp_path / "r.json")
    assert Results.load(tmp_path / "r.json") == expected


def test_a_byte_order_mark_which_editors_of_windows_leave_is_passed_over(tmp_path: Path, expected: Results) -> None:
    (tmp_path / "r.json").write_text(json.dumps(expected.to_json()), encoding="utf-8-sig")
    assert Results.load(tmp_path / "r.json") == expected


def test_what_a_later_version_adds_is_passed_over(tmp_path: Path, expected: Results) -> None:
    told = json.loads(json.dumps(expected.to_json()))
    for each in (told, told["suite"], *told["trials"], *told["controls"]):
        each["of_a_later_version"] = "x"
    (tmp_path / "r.json").write_text(json.dumps(told))
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


def _unsaid(told: dict[str, Any]) -> None:
    """Whether its facts are there is not said of the only trial that is judged."""
    for trial in told["trials"][1:]:
        trial |= {"verdict": "error", "error": "x", "recalled": [], "missing": [], "leaked": []}
    for trial in told["trials"]:
        trial["present"] = []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_unsaid, "present says nothing of its states"),
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
    assert found.differing == () and str(found).endswith(".") and "settings" not in str(found)
    other = compare(oracle, evaluate(Verbatim, limit=LIMIT, k=3))
    assert other.differing == ("k 10", "k 3") and str(other).endswith("They ran with other settings: k 10, k 3.")
    part = compare(oracle, evaluate(Verbatim, limit=3))
    assert part.cases == 3 and str(part).endswith(f" Cases that only one of both ran are left out: {LIMIT - 3}.")
    with pytest.raises(UserError, match="different cases"):
        compare(oracle, evaluate(Oracle, "twins"))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("settings",), True),
        (("settings", "k"), 10.5),
        (("settings", "k"), "10"),
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
        (("summary",), [5]),
        (("summary", "passed"), 385),
        (("summary", "errors"), "0"),
        (("summary", "rate"), 0.9),
        (("summary", "by_category", "another"), {"count": 1, "total": 1}),
        (("summary", "by_category", "compound_fact", "count"), 39),
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


@pytest.mark.parametrize("reason", [NotImplementedError("no search"), ValueError("broken")], ids=["na", "error"])
def test_a_trial_that_was_not_judged_says_nothing_of_its_facts(tmp_path: Path, reason: Exception) -> None:
    class Broken(Shelf):
        def search(self, query: str, k: int) -> list[Hit]:
            raise reason

    results = evaluate(Broken, "adversarial", limit=2, controls=False)
    assert [(trial.verdict in ("na", "error"), trial.present) for trial in results.trials] == [(True, [])] * 2
    results.save(tmp_path / "r.json")
    assert Results.load(tmp_path / "r.json") == results


def test_what_a_store_did_on_twins_is_the_same_when_it_is_read_again(tmp_path: Path) -> None:
    results = evaluate(Shelf, "twins", k=3, controls=False)
    assert any(True in trial.present and False in trial.present for trial in results.trials)
    results.save(tmp_path / "r.json")
    again = Results.load(tmp_path / "r.json")
    assert again == results and again.facts() == results.facts()


def test_only_results_are_compared() -> None:
    results = evaluate(Null, [CASE], controls=False)
    for pair in ((results, "r.json"), (None, results)):
        with pytest.raises(UserError, match=r"compare: takes two Results, not (str|NoneType)"):
            compare(*pair)
