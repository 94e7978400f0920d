"""The audit of what is taken up from the atlas: its trials are judged again by their texts."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.case import Case, Mutation
from forgeteval.run.trials import Trial
from lethe.schemas import CASES, TRIALS
from lethe.stored.cases import suite_rows
from lethe.study.inputs import Files
from lethe.study.paths import ATLAS_LONG, ATLAS_RECORDS, ATLAS_TRIALS
from lethe.trust.judged import check_judged
from lethe.trust.record import Audit
from tests.support.findings import invented_setup

CASE = Case("c1", "mine", "any", ("Ada is in Ghent.",), (Mutation("purge", "Ada"),), "Where?", (), ("Ghent",))
FAIL = Trial("mine", "box", "", 0, "c1", "fail", leaked=["Ghent"], recalled=["Ada is in Ghent."], probed_verdict="fail")
TOLD = Trial(
    "mine+told", "box", "", 0, "c1", "pass", recalled=["Ada is in Ghent."], probed_verdict="pass", present=[True]
)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, ""),
        ({"verdict": "pass", "leaked": []}, "verdict: this file says 'pass'; it is 'fail'"),
        ({"system": "other"}, "holds trials of other on mine, of which nothing is recorded"),
        ({"case_id": "c2"}, "none of box on mine"),
    ],
)
def test_a_verdict_against_its_texts_is_named(changed: dict[str, Any], said: str) -> None:
    atlas = {name: system for name, system in invented_setup().atlas.items() if name == "box"}
    setup = replace(invented_setup(), configurations={}, atlas=atlas)
    rows = {
        CASES.path.format(suite="mine"): suite_rows([CASE]),
        TRIALS.path: [],
        ATLAS_TRIALS: [replace(FAIL, **changed).to_row(), TOLD.to_row()],
        ATLAS_LONG: [],
        ATLAS_RECORDS: [],
    }
    found = Audit("")
    check_judged(setup, 10, Files(Path("not there"), None, rows), found)
    lines = [line for line in found.findings if line.startswith(ATLAS_TRIALS)]
    assert found.checked["trials"] == 2
    assert (lines == []) if not said else any(said in line for line in lines)
