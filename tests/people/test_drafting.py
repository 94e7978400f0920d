"""Drafting: what is asked, and what becomes of each drafted case."""

import csv
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from forgeteval.cases.case import ADVERSARIAL_CATEGORIES, Case
from forgeteval.cases.reading import read_cases
from forgeteval.errors import UserError
from lethe.people.drafting import DraftReport, draft_cases, draft_prompt
from tests.people.conftest import answering, block_of, rejects_walnuts
from tests.support.commands import main
from tests.support.example_cases import other_case, sound_case
from tests.support.scripted_endpoint import ScriptedEndpoint

CATEGORY = "prefix_collision"
SERVED = {"weights": "here.gguf", "sha256": "0" * 64, "context": 2048, "threads": 1}
GOOD = sound_case(
    id="good",
    setup_facts=[
        "Berth 12 is rented by Odile Fenwick.",
        "Berth 127 is kept free for the pilot boat.",
        "The fuel dock shuts at nine.",
        "Ropes are sold by the metre.",
    ],
    mutations=[["purge", "berth 12"]],
    must_contain=["pilot boat"],
    must_not_contain=["Odile Fenwick"],
    gold_rows=[
        "Berth 127 is kept free for the pilot boat.",
        "The fuel dock shuts at nine.",
        "Ropes are sold by the metre.",
    ],
)
TRAP = {**GOOD, "id": "trap", "setup_facts": [*GOOD["setup_facts"][:3], "x"], "must_not_contain": ["Fuel Dock"]}
MALFORMED = {**GOOD, "id": "malformed", "mutations": "purge"}
DISLIKED = other_case(id="disliked", category=CATEGORY)


def drafts(*rows: Any) -> str:
    return json.dumps(list(rows))


def report_on(answer: str, count: int = 9, **options: Any) -> DraftReport:
    return draft_cases(CATEGORY, count, [], lambda purpose, prompt: answer, **options)


def reasons(report: DraftReport) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for rejection in report.rejections:
        found.setdefault(rejection.case_id, set()).add(rejection.reason)
    return found


def judge_all(verdict: str) -> Callable[..., list[dict[str, Any]]]:
    return lambda cases: [{"verdict": verdict, "judge": "j", "reason": None, "error": "dead"} for _ in cases]


@pytest.mark.parametrize("category", ADVERSARIAL_CATEGORIES)
def test_every_category_has_a_prompt_with_one_block(category: str, cases: list[Case]) -> None:
    prompt = draft_prompt(category, 3, cases)
    assert block_of(prompt) == {"task": "draft", "category": category, "count": 3}
    assert prompt.count("```") == 2
    assert "Locker 311 holds the spare valves." in prompt
    assert not any(f"{{{name}}}" in prompt for name in ("category", "count", "brief", "exemplars", "request"))


def test_each_case_is_admitted_or_rejected_with_its_reason() -> None:
    report = report_on(drafts(GOOD, TRAP, MALFORMED, "text", other_case()))
    assert [(case.case_id, case.provenance, case.suite) for case in report.admitted] == [
        ("good", "expansion", "drafted")
    ]
    found = reasons(report)
    assert "self-trap" in found["trap"]
    assert (found["malformed"], found["-"], found["club"]) == ({"malformed"}, {"malformed"}, {"other-category"})


def test_repetitions_are_rejected(cases: list[Case]) -> None:
    same = {**GOOD, "id": "again"}
    report = report_on(drafts(GOOD, same, sound_case(id="copy")), earlier=cases)
    assert [case.case_id for case in report.admitted] == ["good"]
    assert reasons(report) == {"again": {"duplicate-content"}, "copy": {"duplicate-content"}}


def test_more_cases_than_asked_for_are_left_out() -> None:
    report = report_on(drafts(GOOD, DISLIKED), count=1)
    assert [case.case_id for case in report.admitted] == ["good"]
    assert reasons(report) == {"-": {"beyond-count"}}


@pytest.mark.parametrize("verdict", ["reject", "unusable", "error"])
def test_only_what_the_judge_admits_is_admitted(verdict: str) -> None:
    report = report_on(drafts(GOOD), judge=judge_all(verdict))
    assert (report.admitted, reasons(report)) == ((), {"good": {f"judge-{verdict}"}})
    assert len(report_on(drafts(GOOD), judge=judge_all("admit")).admitted) == 1


@pytest.mark.parametrize("form", ["{}", '{{"cases": {}}}', "```json\n{}\n```"])
def test_forms_of_the_answer(form: str) -> None:
    assert len(report_on(form.format(drafts(GOOD))).admitted) == 1


@pytest.mark.parametrize("bad", ["Here you are: []", "[]", '{"case": []}', drafts(GOOD)[:-3], "[" * 100_000, "7"])
def test_an_unusable_answer_is_asked_for_once_more(bad: str) -> None:
    asked: list[tuple[str, str]] = []

    def ask(purpose: str, prompt: str) -> str:
        asked.append((purpose, prompt))
        return bad if len(asked) == 1 else drafts(GOOD)

    assert len(draft_cases(CATEGORY, 1, [], ask).admitted) == 1
    assert [purpose for purpose, _ in asked] == ["draft", "draft_repair"]
    assert block_of(asked[1][1]) == block_of(asked[0][1])
    assert reasons(report_on(bad)) == {"-": {"unusable-answer"}}


def test_an_unknown_category() -> None:
    with pytest.raises(UserError, match="'drift': unknown; known: substring_trap"):
        draft_cases("drift", 1, [], lambda purpose, prompt: "")


@pytest.fixture
def draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Runs `forgeteval draft` on models at an address; gives exit code, standard output and standard error."""

    def run(url: str, *options: str) -> tuple[int, str, str]:
        entry = {"base_url": url, "model": "m", "max_attempts": 1}
        models = {
            "d": {**entry, "label": "D", "family": "one", "model": "drafts"},
            "j": {**entry, "label": "J", "family": "two"},
            "s": {**entry, "label": "S", "family": "One"},
            "here": {"label": "H", "family": "two", "serve": SERVED},
        }
        (tmp_path / "models.yaml").write_text(yaml.safe_dump({"models": models}))
        common = ["--category", CATEGORY, "--count", "4", "--out", tmp_path / "out/new.jsonl"]
        files = ["--config", tmp_path / "models.yaml", "--cache", tmp_path / "cache.sqlite"]
        monkeypatch.setattr(sys, "argv", ["lethe", "draft", *map(str, [*common, *files]), *options])
        with pytest.raises(SystemExit) as exit:
            main()
        captured = capsys.readouterr()
        return int(exit.value.code or 0), captured.out, captured.err

    return run


def drafts_and_judges(prompt: str) -> str:
    if block_of(prompt).get("task") == "draft":
        return drafts(GOOD, TRAP, MALFORMED, DISLIKED)
    return rejects_walnuts(prompt)


def test_the_command_writes_admitted_cases_and_rejections(
    draft: Callable[..., Any], endpoint: ScriptedEndpoint, tmp_path: Path
) -> None:
    endpoint.otherwise = answering(drafts_and_judges)
    code, out, err = draft(endpoint.url, "--model", "d", "--judge", "j")
    assert (code, err) == (0, "")
    assert "new.jsonl: 1 case admitted of 4 asked for" in out
    (case,) = read_cases(tmp_path / "out/new.jsonl", "s")
    assert (case.case_id, case.provenance) == ("good", "expansion")
    with (tmp_path / "out/new.rejections.csv").open(newline="") as stream:
        rejected = list(csv.DictReader(stream))
    assert {row["case_id"] for row in rejected} == {"trap", "malformed", "disliked"}
    assert {row["reason"] for row in rejected if row["case_id"] == "disliked"} == {"judge-reject"}
    assert endpoint.asked[0]["max_tokens"] == 3200
    assert [asked["model"] for asked in endpoint.asked] == ["drafts", "m", "m"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["new.jsonl", "new.rejections.csv"]


def test_a_file_that_is_there_is_not_overwritten(
    draft: Callable[..., Any], endpoint: ScriptedEndpoint, tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir(exist_ok=True)
    (tmp_path / "out/new.jsonl").write_text("mine")
    code, _, err = draft(endpoint.url, "--model", "d")
    assert code == 2 and "new.jsonl: exists; name another file" in err and endpoint.asked == []
    assert (tmp_path / "out/new.jsonl").read_text() == "mine"
    code, _, err = draft(endpoint.url, "--model", "d", "--out", "/")
    assert (code, err) == (2, "error: /: exists; name another file, or move it away\n")


def test_without_a_judge_stage_1_decides(draft: Callable[..., Any], endpoint: ScriptedEndpoint, tmp_path: Path) -> None:
    endpoint.otherwise = answering(drafts_and_judges)
    assert draft(endpoint.url, "--model", "d")[0] == 0
    assert [case.case_id for case in read_cases(tmp_path / "out/new.jsonl", "s")] == ["good", "disliked"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--model", "nobody"], "error: --model nobody: not configured; "),
        (["--model", "d", "--judge", "nobody"], "error: --judge nobody: not configured; "),
        (
            ["--model", "d", "--judge", "s"],
            "error: --judge s: belongs to the model family 'One', like the drafting model d; ",
        ),
        (["--model", "d", "--judge", "d"], "--allow-same-family"),
        (["--model", "d", "--category", "drift"], "error: category 'drift': unknown"),
        (
            ["--model", "d", "--config", "nowhere.yaml"],
            "error: nowhere.yaml: cannot be read (No such file",
        ),
        (["--model", "d"], "the drafting model does not answer"),
        (["--model", "here", "--environments", "no"], "no/weights/here.json is not there; `snakemake -c1 no/weights"),
    ],
)
def test_mistakes_are_one_line_and_write_nothing(
    draft: Callable[..., Any], dead_url: str, tmp_path: Path, options: list[str], told: str
) -> None:
    code, out, err = draft(dead_url, *options)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert told in err
    assert not (tmp_path / "out").exists()


def test_the_same_family_may_be_allowed(draft: Callable[..., Any], endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise = answering(drafts_and_judges)
    assert draft(endpoint.url, "--model", "d", "--judge", "s", "--allow-same-family")[0] == 0
