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
    write_outputs(each_verdict(), **{name: tmp_path / "file"})  # type: ignore[arg-type]
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert capsys.readouterr().out == ""


def test_nothing_is_written_that_nobody_asks_for(capsys: pytest.CaptureFixture[str]) -> None:
    write_outputs(each_verdict())
    assert capsys.readouterr() == ("", "")


def test_annotations_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    write_outputs(each_verdict(), annotations=True)
    assert [line[:8] for line in capsys.readouterr().out.splitlines()] == ["::error "] * 2


def test_the_results_can_be_read_again(tmp_path: Path) -> None:
    write_outputs(each_verdict(), out=tmp_path / "results.json")
    assert Results.load(tmp_path / "results.json") == each_verdict()
    assert json.loads((tmp_path / "results.json").read_text())["schema_version"] == 1
