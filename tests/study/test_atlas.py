"""What is recorded of the atlas: which suites are shown, and how their rows are counted."""

import json
from dataclasses import replace
from pathlib import Path

import yaml

from forgeteval import load_suite
from forgeteval.cases.errata import suite_version
from forgeteval.run.trials import Trial, judge
from lethe.schemas import ALL
from lethe.stored.cases import suite_rows
from lethe.study.atlas import atlas_of
from lethe.study.steps.score_atlas import STEP
from tests.config.test_atlas import SHELF
from tests.support.config import of, shipped


def test_suites_of_other_cases_are_not_shown(tmp_path: Path) -> None:
    folder = tmp_path / "atlas/shelf"
    folder.mkdir(parents=True)
    (folder / "entry.yaml").write_text(yaml.safe_dump(SHELF), encoding="utf-8")
    config = of({**shipped(), "atlas": str(folder.parent)})
    assert atlas_of(config)["shelf"].day == ""
    here = suite_version(config.suites["adversarial"].options())
    versions = {"adversarial": here, "held_out": here + 7, "nowhere": 1}
    suites = {name: {"version": version, "cases_sha256": "0" * 64} for name, version in versions.items()}
    record = {"day": "2026-11-27", "machine": {}, "packages": [], "code": "c", "k": 10, "suites": suites, "files": {}}
    (folder / "record.json").write_text(json.dumps(record), encoding="utf-8")
    found = atlas_of(config)["shelf"]
    assert (found.day, found.suites, found.reviewed) == ("2026-11-27", ["adversarial"], False)
    assert found.not_shown.keys() == {"held_out", "nowhere"} and "of version" in found.not_shown["held_out"]


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
    found = STEP.compute(cases=suite_rows(cases), trials=trials, records=[], scorer="substring")
    [score] = found["scores"]
    assert (score["system"], score["suite"], score["cases"]) == ("shelf", cases[0].suite, 3)
    assert score["passed"] == sum(trial["verdict"] == "pass" for trial in trials)
    assert {row["measure"] for row in found["facts"]} <= {"leak", "collateral", "stale"}
    assert len(found["facts"]) == len({row["measure"] for row in found["facts"]}) > 1
    assert found["erasure"] == [] and ALL not in score.values()
