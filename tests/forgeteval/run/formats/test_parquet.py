"""Trials in Parquet: as the study's workflow writes and reads them."""

import sys
from pathlib import Path

import pytest

from forgeteval import evaluate
from forgeteval.errors import UserError
from forgeteval.run.formats.parquet import SCHEMA_VERSION, TABLE, schema, write_trials
from lethe.parquet import metadata_of, read_arrow, read_rows
from lethe.schemas import SCHEMA_VERSION as SCHEMA_VERSION_OF_THE_STUDY
from lethe.schemas import TRIALS
from tests.forgeteval.run.formats.support import each_verdict, hostile
from tests.support.stores import Shelf


def test_the_schema_is_that_of_the_study() -> None:
    assert schema().equals(TRIALS.arrow)
    assert (TRIALS.name, SCHEMA_VERSION_OF_THE_STUDY) == (TABLE, SCHEMA_VERSION)


def test_the_study_reads_what_is_written(tmp_path: Path) -> None:
    results = evaluate(Shelf, limit=40)
    write_trials(results, tmp_path / "trials.parquet")
    assert read_rows(tmp_path / "trials.parquet", TRIALS) == [trial.to_row() for trial in results.trials]


def test_the_file_says_what_made_it(tmp_path: Path) -> None:
    write_trials(each_verdict(), tmp_path / "trials.parquet")
    told = metadata_of(read_arrow(tmp_path / "trials.parquet", TRIALS))
    assert told == {"schema_version": "1", "table": "trials", "producer": "forgeteval 0.1.0"}


def test_no_traceback_is_written(tmp_path: Path) -> None:
    assert any(trial.traceback for trial in each_verdict().trials)
    write_trials(each_verdict(), tmp_path / "trials.parquet")
    assert {row["traceback"] for row in read_rows(tmp_path / "trials.parquet", TRIALS)} == {None}


def test_whatever_a_store_returns_can_be_written(tmp_path: Path) -> None:
    write_trials(hostile(), tmp_path / "trials.parquet")
    assert [row["recalled"] for row in read_rows(tmp_path / "trials.parquet", TRIALS)] == [
        trial.recalled for trial in hostile().trials
    ]


def test_without_pyarrow_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UserError, match=r'pip install "forgeteval\[parquet\]"'):
        write_trials(each_verdict(), tmp_path / "trials.parquet")
