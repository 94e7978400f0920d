"""The pages of systems: what a run measured stands between their markers, and nothing else of them changes."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from forgeteval import load_suite
from forgeteval.errors import UserError
from forgeteval.json_records import from_json
from forgeteval.run.trials import Trial
from lethe import schemas
from lethe.findings.systems import Standing, filled, standings, systems_on
from lethe.stored.cases import suite_rows
from lethe.study.inputs import Files
from tests.support.findings import invented_rows, invented_setup

CASES = [replace(case, suite="mine") for case in load_suite("adversarial")[:5]]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "keeper.md"
    marked = "<!-- measured: keeper, keeper+llm -->\nas it was\n<!-- end of measured -->\n"
    path.write_text(f"# Keeper\n\n{marked}\nBy hand.\n")
    return path


def found(systems: Sequence[str] = ("keeper", "keeper+llm"), **changes: Any) -> dict[str, Standing]:
    """The standings of stores that recall all that they were told."""
    rows: dict[str, Any] = dict(invented_rows())
    rows[schemas.CASES.path.format(suite="mine")] = list(suite_rows(CASES))
    for name in ("keeper", "keeper+llm@s", "keeper+llm@l", "keeper+matcher", "odd"):
        there = {case.case_id: [True] * len(case.states or ()) for case in CASES}
        trials = [
            Trial("mine", name, "", 0, case.case_id, "fail", recalled=list(case.facts()), present=there[case.case_id])
            for case in CASES
        ]
        rows[schemas.TRIALS.path.format(suite="mine", system=name)] = [trial.to_row() for trial in trials]
    return standings(invented_setup(**changes), Files(Path("not there"), None, rows), systems)


def test_a_page_begins_with_what_goes_wrong_and_shows_a_case_of_each_kind(page: Path) -> None:
    text = filled(page, found())
    assert text.startswith("# Keeper\n\n<!-- measured: keeper, keeper+llm -->\n")
    assert text.endswith("<!-- end of measured -->\n\nBy hand.\n") and "as it was" not in text
    assert (
        "**What goes wrong.** Keeper passes 20 of 50 adversarial cases.\n"
        "It still recalls 46.0 % [23.0, 46.0] of what was to be forgotten.\n"
        "It has lost 9.0 % [4.5, 9.0] of what had to stay.\n"
    ) in text
    leak = next(c for c in CASES if any(state.state in ("released", "purged") for state in c.states or ()))
    assert f"### Leak: {leak.case_id}" in text and f"Asked `{leak.final_query}`, it recalled:" in text
    assert "### Collateral" not in text


def test_every_configuration_of_its_systems_has_a_column_and_its_suites(page: Path) -> None:
    text = filled(page, found())
    assert "| suite | Keeper | Keeper+llm@s | Keeper+llm@l |" in text
    assert "| Mine | 20/50 | 14/50 | 6/50 |" in text
    assert "| Twins | 6/9 | – | – |" in text
    assert "| Keeper | 10 | gone 2/2 | – | – | gone 2/2 | – | – | – | – |" in text


def test_what_did_not_run_has_its_reason(page: Path) -> None:
    suites = invented_setup().suites
    absent = {**suites, "twins": replace(suites["twins"], not_run={"keeper+llm@s": "not run: left out"})}
    assert "Not run: Keeper+llm@s on Twins: left out.\n" in filled(page, found(suites=absent))


def test_what_was_developed_on_a_suite_is_marked_and_has_no_rate(page: Path) -> None:
    suites = invented_setup().suites
    page.write_text("<!-- measured: keeper, keeper+matcher -->\n<!-- end of measured -->\n")
    mark = "\\* Developed on these very cases"
    known = found(["keeper", "keeper+matcher"])
    assert mark not in filled(page, known)
    assert "| Keeper+matcher | 5.0 %" in filled(page, known)
    seen = {**suites, "mine": replace(suites["mine"], seen_by=["matcher"])}
    text = filled(page, found(["keeper", "keeper+matcher"], suites=seen))
    assert mark in text and "| Mine | 20/50 | 21/50 \\* |" in text and "| Keeper+matcher | 5.0 %" not in text


def test_a_caveat_stands_with_the_numbers(page: Path) -> None:
    page.write_text("<!-- measured: odd -->\n<!-- end of measured -->\n")
    assert "\nOdd: No measure.\n" in filled(page, found(["odd"]))


def test_what_is_kept_makes_the_same_page(page: Path) -> None:
    kept = json.loads(json.dumps({name: asdict(each) for name, each in found().items()}))
    again = {name: from_json(Standing, each) for name, each in kept.items()}
    assert filled(page, again) == filled(page, found())


def test_a_page_names_its_systems(page: Path) -> None:
    assert systems_on(page) == ["keeper", "keeper+llm"]
    page.write_text("# Keeper\n")
    with pytest.raises(UserError, match="no markers"):
        systems_on(page)
    page.write_text("<!-- measured: keeper, gone -->\n<!-- end of measured -->\n")
    with pytest.raises(UserError, match="the run has no gone"):
        filled(page, found())
