"""The workflow's processes are killed at random moments, and what it comes to is what it comes to undisturbed.

`tests.faults.workflow_under_fire` is the long form, with a full disk, two runs at once and a strange machine.
"""

from pathlib import Path

import pytest

from lethe.schemas import TRIALS
from tests.faults.workflow_under_fire import Project, under_fire
from tests.support.paths import ROOT

pytestmark = pytest.mark.slow
KILLS = 3


def test_a_run_that_is_killed_again_and_again_comes_to_the_same(tmp_path: Path) -> None:
    target = TRIALS.path.format(suite="template_small", system="naive_sql")
    project = Project(tmp_path, ROOT / ".environments", ["naive_sql"], target)
    assert project.run(tmp_path / "reference", tmp_path / "reference.log") == 0
    fire = under_fire(project, tmp_path / "reference", tmp_path, KILLS, seed=3, seconds=25)
    assert fire.different == []
    assert fire.finished >= 1 and fire.kills.total() >= 1
