"""The workflow's processes are killed at random moments, and what it comes to is what it comes to undisturbed.

`tests.faults.workflow_under_fire` is the long form, with a full disk, two runs at once and a strange machine.
"""

import random
from pathlib import Path

import psutil
import pytest

from lethe.schemas import TRIALS
from tests.faults.workflow_under_fire import Project, aimed_at, under_fire
from tests.support.paths import ROOT

KILLS = 3


def test_only_what_is_aimed_at_is_killed_and_a_server_while_it_computes() -> None:
    found: dict[str, list[psutil.Process]] = {
        kind: [] for kind in ("snakemake", "keeper", "llama.cpp", "job with a gateway")
    }
    chance = random.Random(1)
    assert {aimed_at(found, ["worker"], chance) for _ in range(9)} == {None}
    assert {aimed_at(found, ["keeper", "worker"], chance) for _ in range(9)} == {"keeper"}
    assert aimed_at(found, ["llama", "gateway"], chance) is None


@pytest.mark.slow
def test_a_run_that_is_killed_again_and_again_comes_to_the_same(tmp_path: Path) -> None:
    target = TRIALS.path.format(suite="template_small", system="naive_sql")
    project = Project(tmp_path, ROOT / ".environments", ["naive_sql"], [target])
    assert project.run(tmp_path / "reference", tmp_path / "reference.log") == 0
    fire = under_fire(project, tmp_path / "reference", tmp_path, KILLS, seed=3, seconds=25)
    assert fire.different == []
    assert fire.finished >= 1 and fire.kills.total() >= 1
