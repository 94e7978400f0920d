"""The example of docs/handing-in.md, as it stands there."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from tests.support.bundle import config
from tests.support.commands import app
from tests.support.paths import ROOT

PAGE = ROOT / "docs" / "handing-in.md"


def test_the_commands_of_the_page_hand_in_and_admit(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = [shlex.split(line) for line in re.findall(r"^forgeteval (.*)$", PAGE.read_text(encoding="utf-8"), re.M)]
    assert [command[0] for command in commands] == ["submit", "admit"]
    for name in ("Snakefile", "envs", "suites"):
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "config", tmp_path / "config")
    suites = yaml.safe_dump({"suites": config()["suites"]})
    (tmp_path / "config/test.yaml").write_text(suites, encoding="utf-8")
    (tmp_path / "build").mkdir()
    bundle.rename(tmp_path / "build/test")
    monkeypatch.chdir(tmp_path)
    said = [CliRunner().invoke(app, command) for command in commands]
    assert [done.exit_code for done in said] == [0, 0], [done.output for done in said] + [
        done.exception for done in said
    ]
    assert said[0].output == "ana.tar.gz: naive_sql on mine, small, handed in by Ana\n"
    admitted = "naive_sql on mine, small, handed in by Ana: admitted, kept in handed_in/Ana/naive_sql"
    assert said[1].output.splitlines()[-1] == admitted
    assert (tmp_path / "handed_in/Ana/naive_sql/submission.json").is_file()
