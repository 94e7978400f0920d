"""What oracles and small models do by either contract: counted from runs, and as docs/models.md says."""

from pathlib import Path

import pytest

from forgeteval.errors import UserError
from forgeteval.run.trials import Trial
from lethe.config.reading import read_config
from lethe.parquet import write_rows
from lethe.schemas import TRIALS
from lethe.stored.answers import answers_path, read_answers, read_index
from lethe.study.contracts import Measured, ceilings_page, measured, models_page, read_measured, write_measured
from tests.support.paths import ROOT

RUNS = {
    "few/lethe": "pass fail",
    "few/lethe+oracle_paper": "pass fail",
    "few/lethe+oracle_rows": "pass pass",
    "few/lethe+llm@m-rows": "fail pass",
    "many/lethe+llm@m": "error pass pass",
    "few/mem0+llm@m-rows": "pass pass",
}


def test_each_run_by_rows_stands_beside_the_paper_s_on_the_same_cases(tmp_path: Path) -> None:
    for name, said in RUNS.items():
        suite, system = name.split("/")
        made = [
            Trial(suite, system, "", 0, f"c{at}", verdict=verdict, llm_calls=2, llm_fallbacks=at)  # type: ignore[arg-type]
            for at, verdict in enumerate(said.split())
        ]
        write_rows(tmp_path / f"runs/{name}.parquet", TRIALS, [one.to_row() for one in made], "test")
    found = measured(tmp_path)
    assert found == [
        Measured("oracle", "paper", "few", "lethe", 2, 4, 1, 1, 0, 1, 0, 0),
        Measured("oracle", "rows", "few", "lethe", 2, 4, 2, 1, 0, 1, 1, 0),
        Measured("m-rows", "rows", "few", "lethe", 2, 4, 1, 1, 0, 1, 1, 1),
        Measured("m", "paper", "few", "lethe", 2, 4, 1, 1, 1, 1, 1, 1),
    ]
    write_measured(tmp_path, found)
    assert read_measured(tmp_path) == sorted(found)
    assert ceilings_page(found).splitlines()[2:] == ["| few | 2 | lethe | 1 | 1 | 2 |"]
    assert [line.split(" | ")[0] for line in models_page(found).splitlines()[2:]] == ["| `m`", "| `m-rows`"]


def test_a_line_that_is_none_is_named(tmp_path: Path) -> None:
    write_measured(tmp_path, [])
    path = tmp_path / "contracts.csv"
    path.write_text(path.read_text(encoding="utf-8") + "m,rows,few,lethe,many,1,1,1,1,1,1,1\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"contracts\.csv:2: not a line of a contract's result"):
        read_measured(tmp_path)


def test_the_docs_say_what_was_measured() -> None:
    page, found = (ROOT / "docs/models.md").read_text(encoding="utf-8"), read_measured(ROOT / "answers")
    assert ceilings_page(found) in page and models_page(found) in page


def test_the_samples_are_nested_and_every_recorded_run_is_measured() -> None:
    config = read_config(ROOT, [ROOT / "config/contracts.yaml"])
    sizes = {name: config.suites[name].cases_per_category for name in ("held_out_10", "held_out_sample")}
    assert sizes == {"held_out_10": 1, "held_out_sample": 4}
    assert {config.suites[name].seed for name in sizes} == {42}
    found = {(row.model, row.suite): row for row in read_measured(ROOT / "answers")}
    recorded = [run for run in read_index(ROOT / "answers") if run.model.endswith("-rows")]
    assert recorded
    for run in recorded:
        row = found[run.model, run.suite]
        assert (row.cases, row.contract) == (run.cases, config.models[run.model].contract)
        assert len(read_answers(answers_path(ROOT / "answers", run.model))) <= row.calls
