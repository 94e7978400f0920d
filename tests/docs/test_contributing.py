"""What a contributor meets first: workflows, forms and hooks that fit the project as it is."""

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.paths import ROOT

GITHUB = ROOT / ".github"
TARGETS = set(re.findall(r"(?m)^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8")))


def steps(name: str) -> list[dict[str, Any]]:
    """The steps of every job of a workflow."""
    jobs = yaml.safe_load((GITHUB / "workflows" / name).read_text(encoding="utf-8"))["jobs"]
    return [step for job in jobs.values() for step in job["steps"]]


@pytest.mark.parametrize("name", ["ci.yaml", "release.yaml"])
def test_a_workflow_calls_what_is_there(name: str) -> None:
    for step in steps(name):
        words = shlex.split(step.get("run", ""))
        if words[:1] == ["make"]:
            assert set(words[1:]) <= TARGETS
        assert words[:1] != [".ci/run"] or (ROOT / ".ci" / "run").is_file()


def test_ci_has_the_pythons_that_the_wheels_allow() -> None:
    jobs = yaml.safe_load((GITHUB / "workflows" / "ci.yaml").read_text(encoding="utf-8"))["jobs"]
    pythons = jobs["instrument"]["strategy"]["matrix"]["python"]
    required = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["requires-python"]
    assert f">={pythons[0]}" == required and len(pythons) == 3


def test_the_commands_of_ci_on_the_instrument_hold(tmp_path: Path) -> None:
    for step in steps("ci.yaml"):
        words = shlex.split(step.get("run", ""))
        if words[:1] == ["forgeteval"]:
            named = [str(tmp_path / word) if word == "results.json" else word for word in words[1:]]
            command = [str(Path(sys.executable).with_name("forgeteval")), *named]
            done = subprocess.run(
                command, cwd=ROOT / step["working-directory"], capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stdout + done.stderr


def test_a_form_asks_what_github_knows() -> None:
    kinds = {"input", "textarea", "checkboxes", "dropdown", "markdown"}
    for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yaml"):
        form = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert {"name", "description", "body"} <= form.keys(), path
        assert all(field["type"] in kinds and field["attributes"]["label"] for field in form["body"]), path


def test_the_hook_before_a_commit_runs_what_ci_runs_first() -> None:
    [hook] = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"]
    program, tests = hook["entry"].split()
    assert program == ".venv/bin/pytest" and (ROOT / tests).is_file()
