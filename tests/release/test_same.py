"""Two finished runs compared: equal but for times, or the first row that differs."""

import shutil
from pathlib import Path

import pytest

from forgeteval.errors import UserError
from lethe.schemas import LATENCY, TRIALS
from release.same import compare_runs, main
from tests.support.bundle import RUN, edit, sign_off, tabulate


@pytest.fixture
def other(bundle: Path, tmp_path: Path) -> Path:
    """The same run in another folder."""
    return Path(shutil.copytree(bundle, tmp_path / "other"))


def test_times_do_not_count(bundle: Path, other: Path) -> None:
    edit(other, RUN, TRIALS, lambda row: {**row, "recall_ms": row["recall_ms"] + 1, "cpu_ms": 7.0})
    edit(other, LATENCY.path, LATENCY, lambda row: {**row, "wall_ms": row["wall_ms"] + 1})
    tabulate(other)
    sign_off(other)
    found = compare_runs(other, bundle)
    assert (found.different, found.only_here, found.only_there) == ({}, [], [])
    assert found.equal > 50


def test_the_first_row_that_differs_is_named(bundle: Path, other: Path) -> None:
    edit(other, RUN, TRIALS, lambda row: {**row, "verdict": "error"})
    table = other / "results/tables/template.json"
    table.write_text(table.read_text(encoding="utf-8").replace("5/10", "9/10", 1), encoding="utf-8")
    sign_off(other)
    different = compare_runs(other, bundle).different
    assert different.keys() == {RUN, "results/tables/template.json"}
    assert different[RUN].startswith("row 0: verdict is 'error' here, 'fail' there")
    assert "9/10" in different["results/tables/template.json"]


def test_files_of_one_run_alone_are_named(bundle: Path, other: Path) -> None:
    (other / RUN).unlink()
    sign_off(other)
    found = compare_runs(other, bundle)
    assert (found.only_here, found.only_there) == ([], [RUN])
    assert list(found.lines())[-1] == f"{found.equal} files equal, 0 differ, 0 only here, 1 only there"


@pytest.mark.parametrize(("here", "code"), [("other", 1), ("bundle", 0)])
def test_the_exit_code_says_whether_all_of_the_other_run_is_here(
    bundle: Path, other: Path, monkeypatch: pytest.MonkeyPatch, here: str, code: int
) -> None:
    (other / RUN).unlink()
    sign_off(other)
    folders = [other, bundle] if here == "other" else [bundle, other]
    monkeypatch.setattr("sys.argv", ["same", "--results", *map(str, folders)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == code


def test_a_folder_without_a_manifest_is_one_line(bundle: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="name the folder of a finished run"):
        compare_runs(bundle, tmp_path)
