"""action.yml: its steps, run as GitHub runs them, in an empty folder with a store."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from forgeteval import Results
from forgeteval.cli.exits import Exit
from forgeteval.run.baseline import Baseline
from tests.support.paths import ROOT
from tests.support.plugin import STORE, SUITE

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
EXPRESSION = re.compile(r"\$\{\{ *(.+?) *\}\}")
PIP = """
import os, sys
with open(os.environ["PIP_LOG"], "a") as log:
    log.write("\\0".join(sys.argv[1:]) + "\\n")
sys.exit(int(os.environ.get("PIP_EXIT", 0)))
"""
"""A stand-in for pip, which notes what it is asked for: nothing is installed from an index here."""


@dataclass
class Job:
    """What came of the action's steps.

    Attributes:
        exit: code of the last step that ran; a step that fails is the last.
        outputs: of the action.
        installed: arguments of each call of pip.
    """

    exit: int
    outputs: Mapping[str, str]
    printed: str
    summary: str
    installed: list[list[str]]


Act = Callable[..., Job]


@pytest.fixture
def act(tmp_path: Path) -> Act:
    """Runs the steps with these inputs."""
    work, temporary, stand_ins = (tmp_path / name for name in ("work", "temporary", "stand_ins"))
    for folder in (work, temporary, stand_ins / "pip"):
        folder.mkdir(parents=True)
    (work / "toy.py").write_text(STORE, encoding="utf-8")
    (work / "cases.jsonl").write_text(SUITE, encoding="utf-8")
    (stand_ins / "pip" / "__init__.py").touch()
    (stand_ins / "pip" / "__main__.py").write_text(PIP, encoding="utf-8")
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": f"{stand_ins}{os.pathsep}{ROOT}",
        "PIP_LOG": str(tmp_path / "pip.log"),
        "RUNNER_TEMP": str(temporary),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
    }

    def act(variables: Mapping[str, str] | None = None, **inputs: str) -> Job:
        context = {f"inputs.{name}": declared.get("default", "") for name, declared in ACTION["inputs"].items()}
        context |= {"github.action_path": str(ROOT)}
        context |= {f"inputs.{name.replace('_', '-')}": value for name, value in inputs.items()}
        done = None
        for step in STEPS:
            if "run" in step and holds(step.get("if"), context):
                done = run_step(step, work, {**environment, **(variables or {})}, context)
                if done.returncode:
                    break
        assert done is not None
        told = read(tmp_path / "output").splitlines()
        outputs = dict(line.split("=", 1) for line in told)
        context |= {f"steps.run.outputs.{name}": value for name, value in outputs.items()}
        return Job(
            done.returncode,
            {name: expand(declared["value"], context) for name, declared in ACTION["outputs"].items()},
            done.stdout + done.stderr,
            read(tmp_path / "summary.md"),
            [line.split("\0") for line in read(tmp_path / "pip.log").splitlines()],
        )

    return act


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def expand(text: str, context: Mapping[str, str]) -> str:
    return EXPRESSION.sub(lambda found: context.get(found[1], ""), text)


def holds(condition: str | None, context: Mapping[str, str]) -> bool:
    """A condition of the one form that the action has: an input is not empty."""
    if condition is None:
        return True
    found = re.fullmatch(r"\$\{\{ (inputs\.[a-z-]+) != '' \}\}", condition)
    assert found is not None
    return context[found[1]] != ""


def run_step(
    step: Mapping[str, Any], folder: Path, environment: Mapping[str, str], context: Mapping[str, str]
) -> "subprocess.CompletedProcess[str]":
    """Run a step as the runner runs one with `shell: bash`."""
    assert step["shell"] == "bash"
    given = {name: expand(value, context) for name, value in step.get("env", {}).items()}
    script = folder.parent / "step.sh"
    script.write_text(step["run"], encoding="utf-8")
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
    return subprocess.run(
        command, cwd=folder, env={**environment, **given}, capture_output=True, text=True, check=False
    )


def test_no_input_is_a_part_of_a_command() -> None:
    assert [step["run"] for step in STEPS if "run" in step and "${{" in step["run"]] == []


def test_every_input_reaches_a_step_and_every_output_comes_from_one() -> None:
    used = " ".join(str(value) for step in STEPS for value in (step.get("env"), step.get("with")) if value)
    assert {name for name in ACTION["inputs"] if f"inputs.{name} " in used} == set(ACTION["inputs"])
    assert {EXPRESSION.fullmatch(output["value"])[1] for output in ACTION["outputs"].values()} == {  # type: ignore[index]
        f"steps.run.outputs.{name}" for name in ACTION["outputs"]
    }


def test_it_runs_a_suite_and_gives_the_score(act: Act) -> None:
    job = act(store="toy:Store", suite="cases.jsonl", args="--category keeps")
    assert job.exit == Exit.fine
    assert {name: job.outputs[name] for name in ("passed", "cases", "rate")} == {
        "passed": "1",
        "cases": "2",
        "rate": "0.5",
    }
    assert Results.load(job.outputs["results"]).passed == 1
    assert Path(job.outputs["junit"]).read_text(encoding="utf-8").startswith("<?xml")
    assert job.summary.startswith("## ForgetEval: toy\\:Store on cases")
    assert "::error title=keeps-2 (keeps)%3A failed::missing 'Tartu'; leaked 'Ghent'" in job.printed
    assert job.installed == [["install", "--quiet", str(ROOT)]]


def test_the_suite_is_adversarial_by_itself(act: Act) -> None:
    job = act(store="toy:Store", args="--limit 2 --no-controls")
    assert job.outputs["cases"] == "2"
    assert "on adversarial version" in job.summary


def test_the_store_s_package_is_installed_as_pip_is_told(act: Act) -> None:
    job = act(
        store="toy:Store", suite="cases.jsonl", install="-e '.[test]' -r \"my requirements.txt\"", extras="embed,llm"
    )
    assert job.installed == [
        ["install", "--quiet", f"{ROOT}[embed,llm]"],
        ["install", "-e", ".[test]", "-r", "my requirements.txt"],
    ]


def test_a_failed_installation_ends_the_job(act: Act) -> None:
    job = act({"PIP_EXIT": "1"}, store="toy:Store")
    assert (job.exit, job.summary, set(job.outputs.values())) == (1, "", {""})


@pytest.mark.parametrize("name", ["store", "suite", "install", "extras", "baseline", "min", "args"])
def test_an_input_is_no_command(act: Act, tmp_path: Path, name: str) -> None:
    inputs = {"store": "toy:Store", "suite": "cases.jsonl"}
    injected = f"\"; touch {tmp_path}/injected; $(touch {tmp_path}/injected) `touch {tmp_path}/injected` '"
    act(**(inputs | {name: injected}))
    assert not (tmp_path / "injected").exists()


@pytest.mark.parametrize(
    ("inputs", "code", "said"),
    [
        ({}, Exit.usage, "input `store`: missing"),
        ({"store": "toy:Shop"}, Exit.usage, "toy:Shop: toy has no Shop; its classes are Store"),
        ({"store": "toy:Store", "suite": "nowhere"}, Exit.usage, "suite 'nowhere': no such suite"),
        ({"store": "toy:Store", "args": "'"}, Exit.usage, "input `args`: not quoted as in a shell"),
        ({"store": "toy:Store", "args": "--out=x.json"}, Exit.usage, "input `args`: --out is the action's own; take"),
        ({"store": "toy:Store", "args": "--suite twins"}, Exit.usage, "--suite is the action's own; give the input"),
        ({"store": "toy:Store"}, Exit.broke, "RuntimeError"),
        ({"store": "toy:Store", "args": "--category keeps", "min": "0.6"}, Exit.worse, "pass 50.0% is below 60.0%"),
        ({"store": "toy:Store", "args": "--category 'not offered'"}, Exit.nothing_ran, "nothing ran"),
    ],
)
def test_the_exit_code_is_that_of_the_command(act: Act, inputs: dict[str, str], code: Exit, said: str) -> None:
    job = act(**{"suite": "cases.jsonl"} | inputs)
    assert (job.exit, said in job.printed) == (code, True), job.printed


def test_with_a_baseline_only_what_got_worse_fails_the_job(act: Act, tmp_path: Path) -> None:
    first = act(store="toy:Store", suite="cases.jsonl")
    assert first.exit == Exit.broke
    known = Baseline.read(first.outputs["results"])
    known.save(tmp_path / "work" / "known.json")
    assert act(store="toy:Store", suite="cases.jsonl", baseline="known.json").exit == Exit.fine
    Baseline(known.suite, known.sha256, {**known.verdicts, "keeps-2": "pass"}).save(tmp_path / "work" / "better.json")
    assert act(store="toy:Store", suite="cases.jsonl", baseline="better.json").exit == Exit.worse


def test_what_an_earlier_run_left_is_no_output_of_this_one(act: Act, tmp_path: Path) -> None:
    act(store="toy:Store", suite="cases.jsonl")
    (tmp_path / "output").unlink()
    assert set(act(store="toy:Shop", suite="cases.jsonl").outputs.values()) == {""}


def test_pip_can_install_the_folder_of_the_action(tmp_path: Path) -> None:
    offline = ["--no-index", "--no-build-isolation", "--no-deps", "--quiet", "--target", str(tmp_path)]
    subprocess.run([sys.executable, "-m", "pip", "install", *offline, str(ROOT)], check=True)
    assert (tmp_path / "forgeteval" / "cli" / "action.py").is_file()
    assert not (tmp_path / "lethe").exists()
