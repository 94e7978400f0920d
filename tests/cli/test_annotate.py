"""`forgeteval annotate`."""

import csv
from pathlib import Path

import pytest
from typer.testing import CliRunner

from forgeteval.cases.reading import read_cases
from forgeteval.errors import UserError
from lethe.parquet import write_rows
from lethe.people.annotation.sample import draw_sample, sample_rows
from lethe.schemas import ANNOTATION_SAMPLE
from lethe.stored.cases import write_suite
from tests.support.commands import app
from tests.support.paths import ADVERSARIAL

CASES = read_cases(ADVERSARIAL, "adversarial")


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the sample and the suite that it was drawn from."""
    monkeypatch.chdir(tmp_path)
    write_suite(Path("results/suites/adversarial/cases.parquet"), CASES, "test")
    rows = sample_rows(draw_sample(CASES, 1, seed=1))
    write_rows(Path("results/agreement/sample.parquet"), ANNOTATION_SAMPLE, rows, "test")
    return tmp_path


def run(*words: str) -> str:
    done = CliRunner().invoke(app, ["annotate", *words])
    if done.exception is not None:
        raise done.exception
    return done.output


def label(path: Path, labels: str) -> None:
    words = {"w": "wf", "i": "ill"}
    with path.open(encoding="utf-8-sig", newline="") as stream:
        header, *rows = csv.reader(stream)
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(
            [header, *([*row[:6], words[one], ""] for row, one in zip(rows, labels, strict=True))]
        )


def test_sheets_go_out_come_back_and_are_measured(results: Path) -> None:
    for name, labels in (("ada", "wwwwwwwwii"), ("bo", "wwwwwwwwiw")):
        assert run("sheet", f"annotations/{name}.csv") == f"annotations/{name}.csv: 10 cases\n"
        label(results / "annotations" / f"{name}.csv", labels)
    lines = run("check").splitlines()
    assert lines[:2] == ["annotations/ada.csv: 8 wf, 2 ill", "annotations/bo.csv: 9 wf, 1 ill"]
    assert [line.split(":")[0] for line in lines[2:]] == ["fleiss_kappa", "krippendorff_alpha", "observed_agreement"]
    assert lines[4].startswith("observed_agreement: 0.900 [")


def test_a_filled_in_sheet_is_not_written_over(results: Path) -> None:
    run("sheet", "ada.xlsx")
    with pytest.raises(UserError, match=r"ada\.xlsx: exists and may be filled in; name another file"):
        run("sheet", "ada.xlsx")


def test_a_sample_of_other_cases_is_named(results: Path) -> None:
    write_suite(Path("results/suites/adversarial/cases.parquet"), CASES[:5], "test")
    with pytest.raises(UserError, match="drawn from cases other than"):
        run("sheet", "ada.csv")


def test_a_folder_without_sheets_is_named(results: Path) -> None:
    with pytest.raises(UserError, match="annotations: contains no sheet"):
        run("check")
