"""What is recorded of the atlas: which suites are shown, and how their rows are counted."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from forgeteval import load_suite
from forgeteval.cases.errata import suite_version
from forgeteval.errors import UserError
from forgeteval.run.trials import Trial, judge
from lethe.schemas import ALL
from lethe.stored.cases import cases_as_told, suite_rows
from lethe.study.atlas import atlas_of
from lethe.study.steps.score_atlas import STEP
from tests.support.atlas import SHELF
from tests.support.config import of, shipped

RAN = {"system": "shelf", "model": ""}


def test_suites_of_other_cases_are_not_shown(tmp_path: Path) -> None:
    folder = tmp_path / "atlas/shelf"
    folder.mkdir(parents=True)
    (folder / "entry.yaml").write_text(yaml.safe_dump(SHELF), encoding="utf-8")
    config, atlas = of(shipped()), folder.parent
    here = suite_version(config.suites["adversarial"].options())
    running = {name: suite_version(suite.options()) for name, suite in config.suites.items()}
    assert atlas_of(config, atlas, running)["shelf"].day == ""
    versions = {"adversarial": here, "held_out": here + 7, "nowhere": 1}
    suites = {name: {"version": version, "cases_sha256": "0" * 64} for name, version in versions.items()}
    machine = {"platform": "Linux", "python": "3.11"}
    record = {
        "day": "2026-11-27",
        "machine": machine,
        "packages": [f"{SHELF['package']}=={SHELF['version']}"],
        "code": "c",
        "k": 10,
        "suites": suites,
        "files": {},
    }
    (folder / "record.json").write_text(json.dumps(record), encoding="utf-8")
    found = atlas_of(config, atlas, running)["shelf"]
    assert (found.day, found.suites, found.reviewed) == ("2026-11-27", ["adversarial"], False)
    assert found.not_shown.keys() == {"held_out", "nowhere"} and "of version" in found.not_shown["held_out"]
    (folder / "record.json").write_text(json.dumps({**record, "k": 5}), encoding="utf-8")
    other = atlas_of(config, atlas, running)["shelf"]
    assert not other.suites and set(other.not_shown) == {*versions, "long", "erasure"}
    assert "recorded with 5 memories" in other.not_shown["adversarial"]


def test_a_label_of_a_system_here_or_of_another_entry_is_refused(tmp_path: Path) -> None:
    for name, label in (("shelf", "Mine"), ("shelves", "mine"), ("zoo", "L\u0435the")):
        folder = tmp_path / "atlas" / name
        folder.mkdir(parents=True)
        system = {**SHELF["systems"]["shelf"], "label": label, "backend": f"atlas.{name}.adapter:Shelf"}
        (folder / "entry.yaml").write_text(yaml.safe_dump({**SHELF, "systems": {name: system}}), encoding="utf-8")
    config, atlas = of(shipped()), tmp_path / "atlas"
    with pytest.raises(UserError, match=r"shelves/entry\.yaml: systems\.shelves\.label: 'mine' is that of shelf"):
        atlas_of(config, atlas, {})
    shutil.rmtree(tmp_path / "atlas/shelves")
    with pytest.raises(UserError, match=r"zoo/entry\.yaml: systems\.zoo\.label: 'L.the' is that of lethe"):
        atlas_of(config, atlas, {})


def test_each_suite_is_counted_once_over_all_its_cases() -> None:
    cases = list(load_suite("adversarial"))[:3]
    trials = []
    for case in cases:
        trial = Trial(case.suite, "shelf", "", 0, case.case_id, recalled=list(case.setup_facts))
        judged = judge(trial.recalled, case)
        there = [True] * len(case.states or ())
        trials.append(
            replace(trial, verdict=judged.verdict, missing=judged.missing, leaked=judged.leaked, present=there).to_row()
        )
    unused: dict[str, list[Any]] = {"events": [], "answers": [], "records": []}
    found = STEP.compute(cases=suite_rows(cases), trials=trials, **unused, scorer="substring")
    [score] = found["scores"]
    assert (score["system"], score["suite"], score["cases"]) == ("shelf", cases[0].suite, 3)
    assert score["passed"] == sum(trial["verdict"] == "pass" for trial in trials)
    assert {row["measure"] for row in found["facts"]} <= {"leak", "collateral", "stale"}
    assert len(found["facts"]) == len({row["measure"] for row in found["facts"]}) > 1
    assert found["erasure"] == [] and ALL not in score.values()


def test_what_was_told_and_does_not_come_back_is_lost_on_writing() -> None:
    cases = list(load_suite("adversarial"))[:3]
    trials = [
        Trial(case.suite, "shelf", "", 0, case.case_id, "pass", present=[number > 0 for number, _ in enumerate(facts)])
        for case in cases_as_told(cases)
        if (facts := case.setup_facts)
    ]
    unused: dict[str, list[Any]] = {"events": [], "answers": [], "records": []}
    rows = [trial.to_row() for trial in trials]
    found = STEP.compute(cases=suite_rows(cases), trials=rows, **unused, scorer="substring")
    [lost] = found["facts"]
    assert (lost["suite"], lost["measure"], lost["counted"]) == ("adversarial", "lost", len(cases))
    assert lost["facts"] == sum(len(case.setup_facts) for case in cases) and found["scores"] == []


def test_long_histories_and_claims_are_counted() -> None:
    asked = {"history": "long-000", "k": 10, "kind": "changed", "mutations": 1, "stored": 300, "since_mutations": 1}
    anchors = [
        {"text": "old", "any_of": ["old"], "role": "replaced"},
        {"text": "new", "any_of": ["new"], "role": "current"},
    ]
    event = {**asked, "question_id": "q", "text": "new?", "anchors": anchors}
    answer = {
        **RAN,
        "history": "long-000",
        "question_id": "q",
        "recalled": ["new"],
        "present": [True, True],
        "error": None,
    }
    key = {**RAN, "rows": 10, "case_id": "c", "detail": []}
    records = [
        {**key, "level": "before", "place": "text", "outcome": "found"},
        {**key, "level": "A3", "place": "text", "outcome": "found"},
        {**key, "level": "A3", "place": "claim", "outcome": "says gone", "detail": ["files", "erased"]},
    ]
    found = STEP.compute(cases=[], trials=[], events=[event], answers=[answer], records=records, scorer="substring")
    rates = {row["measure"]: row["rate"] for row in found["facts"] if row["suite"] == "long"}
    assert (rates["stale"], rates["answered_stale"], rates["recall"], rates["collateral"]) == (1, 0, 1, 0)
    assert {(row["place"], row["verdict"]) for row in found["erasure"]} == {("text", "present"), ("claim", "false")}
