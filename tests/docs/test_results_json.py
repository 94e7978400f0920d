"""docs/results-json.md: its tables name what the files, the plugin and the action have, no more and no less."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from forgeteval import Results, evaluate
from forgeteval.cli.exits import Exit
from forgeteval.pytest_plugin import HOW, WHICH
from forgeteval.run.baseline import Baseline
from tests.support.markdown import blocks
from tests.support.paths import ROOT
from tests.support.stores import Shelf

PAGE = Path("docs/results-json.md")
TEXT = (ROOT / PAGE).read_text(encoding="utf-8")


def first_cells(heading: str) -> list[str]:
    """What the first column of the tables below a heading names, to the next heading."""
    section = re.split(r"^#+ ", TEXT.split(f"# {heading}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    rows = [line.split("|")[1].strip() for line in section.splitlines() if line.startswith("| ")]
    return [row.strip("`") for row in rows[1:]]


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    """Results as they are written and read."""
    results: dict[str, Any] = json.loads(json.dumps(evaluate(Shelf, limit=4).to_json()))
    return results


def test_results(told: dict[str, Any]) -> None:
    assert first_cells("Results") == list(told)


@pytest.mark.parametrize(("heading", "key"), [("Suite", "suite"), ("Summary", "summary")])
def test_what_is_in_results(told: dict[str, Any], heading: str, key: str) -> None:
    assert first_cells(heading) == list(told[key])


def test_trials(told: dict[str, Any]) -> None:
    assert first_cells("Trials") == list(told["trials"][0])


def test_what_the_text_says_of_settings_controls_and_rates(told: dict[str, Any]) -> None:
    rates = [*told["summary"]["by_category"].values(), *told["summary"]["facts"].values()]
    named = [*told["settings"], *told["made_with"], *told["controls"][0], *told["summary"]["facts"]]
    assert [name for name in (*named, *(key for rate in rates for key in rate)) if f"`{name}`" not in TEXT] == []


def test_baseline(told: dict[str, Any], tmp_path: Path) -> None:
    Baseline("mine", "0" * 64, {"case": "pass"}).save(tmp_path / "baseline.json")
    written = json.loads((tmp_path / "baseline.json").read_text(encoding="utf-8"))
    assert first_cells("Baseline") == list(written)
    [block] = [block for block in blocks("json") if block.page == PAGE]
    (tmp_path / "shown.json").write_text(block.said, encoding="utf-8")
    assert Baseline.read(tmp_path / "shown.json").suite == "adversarial"


def test_exit_codes() -> None:
    assert [int(cell) for cell in first_cells("Exit codes")] == [int(code) for code in Exit]


def test_the_action_s_inputs_and_outputs() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert first_cells("A job on GitHub") == list(action["inputs"])
    assert [name for name in action["outputs"] if f"`{name}`" not in TEXT.rpartition("Its outputs are")[2]] == []


def test_the_mark_s_arguments() -> None:
    said = TEXT.partition("The mark takes")[2].partition(";")[0]
    assert re.findall(r"`(\w+)`", said) == [*WHICH, *HOW]


def test_a_file_of_another_schema_version_is_refused_as_the_page_says(tmp_path: Path, told: dict[str, Any]) -> None:
    (tmp_path / "results.json").write_text(json.dumps(told), encoding="utf-8")
    assert Results.load(tmp_path / "results.json").to_json() == told
