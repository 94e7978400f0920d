"""The code blocks of the pages: configuration fits the schema, Python compiles, command lines have options that exist.

Not checked: what a block yields (but for the library in the README, which is run), values that are given to options,
and commands of other programs beyond their syntax for the shell.
"""

import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import snakemake.cli
import typer
import yaml
from jsonschema import Draft202012Validator

from lethe.config.model import Config
from lethe.store.cli.commands import store
from tests.support.commands import app
from tests.support.hash_embedder import hash_embed
from tests.support.markdown import Found, blocks, spans
from tests.support.paths import ROOT

LANGUAGES = {"sh", "yaml", "python", "json", "jsonl", "text"}
MAKE = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def commands(program: str) -> list[Found]:
    """The command lines of a program, in blocks and in running text."""
    lines = [
        Found(block.page, block.line, line)
        for block in blocks("sh")
        for line in block.said.replace("\\\n", " ").splitlines()
    ]
    return [each for each in [*lines, *spans()] if re.match(rf"(\.venv/bin/)?{program} (?!:)", each.said)]


def words(command: Found) -> list[str]:
    return shlex.split(command.said, comments=True)[1:]


def test_every_block_says_its_language() -> None:
    assert [f"{block}: {block.kind!r}" for block in blocks() if block.kind not in LANGUAGES] == []


def configuration(block: Found) -> dict[str, Any]:
    """What a block configures; a block of entries alone is taken as systems."""
    said: dict[str, Any] = yaml.safe_load(block.said)
    return said if said.keys() <= Config.model_fields.keys() else {"systems": said}


def is_workflow(block: Found) -> bool:
    """Whether a block is a workflow of GitHub's, not a configuration of ours."""
    return "jobs" in yaml.safe_load(block.said)


@pytest.mark.parametrize("block", [block for block in blocks("yaml") if not is_workflow(block)], ids=str)
def test_configuration_fits_the_schema(block: Found) -> None:
    schema = {key: value for key, value in Config.model_json_schema().items() if key != "required"}
    assert [error.message for error in Draft202012Validator(schema).iter_errors(configuration(block))] == []


@pytest.mark.parametrize("block", [block for block in blocks("yaml") if is_workflow(block)], ids=str)
def test_a_workflow_gives_the_action_what_it_takes(block: Found) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    steps = [step for job in yaml.safe_load(block.said)["jobs"].values() for step in job["steps"]]
    [step] = [step for step in steps if step.get("uses", "").startswith("OWNER/REPOSITORY@")]
    assert step["with"].keys() <= action["inputs"].keys()
    assert {name for name, entry in action["inputs"].items() if entry.get("required")} <= step["with"].keys()
    assert set(re.findall(r"steps\.forgeteval\.outputs\.(\w+)", block.said)) <= action["outputs"].keys()


@pytest.mark.parametrize("block", blocks("python"), ids=str)
def test_python_compiles(block: Found) -> None:
    fragment = re.match(r'"\w+": ', block.said)
    compile(f"{{{block.said}}}" if fragment else block.said, str(block), "exec")


@pytest.mark.parametrize("page", ["README.md", "docs/store.md"])
def test_the_library_runs_as_pages_show_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str) -> None:
    told = "\n".join(block.said for block in blocks("python") if block.page == Path(page))
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"my_embedder": lambda texts: np.tile(hash_embed(texts), 24) / np.float32(np.sqrt(24))}
    exec(compile(told, page, "exec"), names)
    assert (tmp_path / "memory.db").exists()


@pytest.mark.parametrize("block", blocks("jsonl"), ids=str)
def test_json_lines_are_json(block: Found) -> None:
    assert all(isinstance(json.loads(line), dict) for line in block.said.splitlines())


@pytest.mark.parametrize("block", blocks("json"), ids=str)
def test_json_is_json(block: Found) -> None:
    assert isinstance(json.loads(block.said), dict)


@pytest.mark.parametrize("block", blocks("sh"), ids=str)
def test_the_shell_can_read_it(block: Found) -> None:
    done = subprocess.run(["bash", "-n"], input=block.said, text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


PROGRAMS = {"forgeteval": app, "lethe": store}


def unknown(program: str, arguments: list[str]) -> Iterator[str]:
    """Commands and options of a line of a program that it does not have."""
    command: Any = typer.main.get_command(PROGRAMS[program])
    for word in arguments:
        if word.startswith("--"):
            if not any(word.split("=")[0] in option.opts for option in command.params) and word != "--help":
                yield word
        elif hasattr(command, "commands"):
            if word not in command.commands:
                yield word
                return
            command = command.commands[word]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_has_the_commands_and_options_that_pages_name(program: str) -> None:
    found = commands(program)
    assert len(found) > 5
    assert [f"{each}: {each.said}: {wrong}" for each in found for wrong in unknown(program, words(each))] == []


def test_forgeteval_has_the_commands_and_options_that_the_report_names() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "lethe/report/page").glob("*.j2")]
    lines = [
        line
        for text in texts
        for said in re.findall("<code>(.*?)</code>", text, re.DOTALL)
        for line in said.split("\n")
    ]
    found = [line for line in lines if line.startswith("forgeteval ")]
    assert len(found) > 5
    assert [f"{line}: {wrong}" for line in found for wrong in unknown("forgeteval", shlex.split(line)[1:])] == []


@pytest.mark.parametrize("line", ["nothing", "audit FOLDER --nothing", "answers nothing", "answers check --nothing"])
def test_an_option_that_does_not_exist_is_found(line: str) -> None:
    assert list(unknown("forgeteval", line.split()))


def test_snakemake_has_the_options_that_pages_name(capsys: pytest.CaptureFixture[str]) -> None:
    found = commands("snakemake")
    assert len(found) > 5
    for each in found:
        try:
            snakemake.cli.get_argument_parser().parse_args(words(each))
        except SystemExit:
            pytest.fail(f"{each}: {each.said}: {capsys.readouterr().err.splitlines()[-1]}")


def test_make_has_the_targets_that_pages_name() -> None:
    found = commands("make")
    assert len(found) > 5
    named = {(str(each), word) for each in found for word in words(each)[:1]}
    assert [place for place, target in named if target not in MAKE] == []
