"""`write_outputs`: only what is asked for is written."""

import json
from pathlib import Path

import pytest

from forgeteval import Results
from forgeteval.run.formats import write_outputs
from tests.forgeteval.run.formats.support import each_verdict

FILES = ("out", "junit", "summary", "badge", "parquet")


@pytest.mark.parametrize("name", FILES)
def test_one_file_is_written(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert write_outputs(each_verdict(), **{name: tmp_path / "file"}) == []
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert capsys.readouterr().out == ""


def test_nothing_is_written_that_nobody_asks_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert write_outputs(each_verdict()) == []
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("full", [{name} for name in FILES] + [{*FILES} - {name} for name in FILES])
def test_each_file_is_written_whatever_became_of_the_others(tmp_path: Path, full: set[str]) -> None:
    for name in full:
        # By a link, which would be replaced in place of the device.
        (tmp_path / name).symlink_to("/dev/full")
    problems = write_outputs(each_verdict(), **{name: tmp_path / name for name in FILES})
    assert [str(problem).split(": ")[0] for problem in problems] == [
        f"writing {tmp_path / name}" for name in FILES if name in full
    ]
    assert all(path.stat().st_size for path in tmp_path.iterdir() if path.name not in full)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(FILES)


def test_the_results_can_be_read_again(tmp_path: Path) -> None:
    write_outputs(each_verdict(), out=tmp_path / "results.json")
    assert Results.load(tmp_path / "results.json") == each_verdict()
    assert json.loads((tmp_path / "results.json").read_text())["schema_version"] == 1
