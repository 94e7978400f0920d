"""A step of the analysis as a job of the workflow."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from forgeteval.errors import UserError
from forgeteval.run.trials import Trial
from lethe.parquet import write_rows
from lethe.schemas import TRIALS
from lethe.study.step import Rows, Step, Work, run_step


def test_a_file_that_was_put_in_place_of_another_systems_is_named(tmp_path: Path) -> None:
    read: list[Any] = []

    def compute(trials: Rows) -> dict[str, Rows]:
        read.extend(trials)
        return {}

    step = Step({"trials": TRIALS}, {}, compute, lambda _: Work({}))
    right, wrong = (tmp_path / TRIALS.path.format(suite="mine", system=name) for name in ("a+llm@small", "mem0"))
    write_rows(right, TRIALS, [Trial("mine", "a+llm", "small", 0, "one", verdict="pass").to_row()], "p")
    wrong.write_bytes(right.read_bytes())
    elsewhere = tmp_path / "results/handed_in/ann/a/mine.parquet"
    write_rows(elsewhere, TRIALS, [Trial("mine", "b", "", 0, "one", verdict="pass").to_row()], "p")

    def run(*files: Path) -> None:
        params = SimpleNamespace(options={}, fingerprint="p")
        run_step(step, SimpleNamespace(input={"trials": list(map(str, files))}, params=params, output={}))

    run(right, elsewhere)
    assert [row["system"] for row in read] == ["a+llm", "b"]
    with pytest.raises(UserError, match=r"mine/mem0\.parquet: holds trials of the system a\+llm@small; remove it and"):
        run(right, wrong)
