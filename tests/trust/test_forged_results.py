"""Results that somebody falsified, with everything that follows and the manifest written again: what is false is
found where it was put, whatever was done about it further on."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forgeteval.files import write_text
from lethe.fingerprints import sha256_of
from lethe.schemas import CASES, CROSSEVAL, CROSSEVAL_HISTORIES, PAIRED, REPLICATION, SCORES, TRIALS, VERDICTS
from lethe.study.paths import LATENCY_TRIALS
from lethe.trust.check import audit
from lethe.trust.folder import MANIFEST_FILE, PAGES, VERSIONS_FILE
from lethe.trust.recipe import RECIPE_FILE
from tests.support.bundle import ANSWERS, OTHER, RUN, SUITE, analyse, edit, sign_off, tabulate

pytestmark = pytest.mark.slow

CASES_FILE = CASES.path.format(suite=SUITE)
SCORES_FILE, PAIRED_FILE = (table.path.format(suite=SUITE) for table in (SCORES, PAIRED))
TIMED = LATENCY_TRIALS.format(system="lethe")
REPLAYS = CROSSEVAL_HISTORIES.path.format(benchmark="factcons", system="lethe")
OTHER_RUN = TRIALS.path.format(suite=SUITE, system="naive_sql")
PASS = {"verdict": "pass", "probed_verdict": "pass", "missing": [], "leaked": []}

Row = dict[str, Any]
Change = Callable[[Row], Row | None]


def failing(row: Row) -> bool:
    return row["verdict"] == "fail"


# What is done to each row of a file, and what the audit says of that file.
FORGED: dict[str, tuple[str, Any, Change, str]] = {
    "a fail becomes a pass": (RUN, TRIALS, lambda row: {**row, **PASS}, "verdict: this file says 'pass'; it is 'fail'"),
    "a leak is forgotten": (RUN, TRIALS, lambda row: {**row, "leaked": []}, "leaked: this file says []; it is ["),
    "a fail becomes N/A": (
        RUN,
        TRIALS,
        lambda row: {**row, "verdict": "na", "error": "not offered"} if failing(row) else row,
        "it is []",
    ),
    "an error has a reason that does not show": (
        RUN,
        TRIALS,
        lambda row: {**row, "verdict": "error", "error": "\u2800"},
        "error without a reason",
    ),
    "an error has no reason": (RUN, TRIALS, lambda row: {**row, "verdict": "error"}, "error without a reason"),
    "a fail passes when probed": (
        RUN,
        TRIALS,
        lambda row: {**row, "probed_verdict": "pass"},
        "probed_verdict: this file says 'pass'; it is 'fail'",
    ),
    "an answer passes": (
        ANSWERS,
        CROSSEVAL,
        lambda row: {**row, "verdict": "pass", "missing": []},
        "verdict: this file says 'pass'; it is 'fail'",
    ),
    "failed answers are left out": (
        ANSWERS,
        CROSSEVAL,
        lambda row: None if failing(row) else row,
        "lacks factcons lethe 6k q0, factcons lethe 6k q2, factcons lethe 6k q4",
    ),
    "cases forbid nothing": (
        CASES_FILE,
        CASES,
        lambda row: {**row, "must_not_contain": []},
        "must_not_contain: this file says []; it is [",
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_what_was_forged_is_found_though_all_that_follows_was_made_to_fit(bundle: Path, name: str) -> None:
    path, table, change, said = FORGED[name]
    edit(bundle, path, table, change)
    analyse(bundle)
    tabulate(bundle)
    sign_off(bundle)
    found = audit(bundle).findings
    assert any(line.startswith(f"{path}: ") and said in line for line in found), found


# What no run comes to, whatever it recalled: each file is signed off as it is.
BEYOND_ANY_RUN: dict[str, tuple[str, Any, Change, str]] = {
    "more texts than k": (RUN, TRIALS, lambda row: {**row, "recalled": ["x"] * 11 + row["recalled"]}, "k is 10"),
    "a time below zero": (RUN, TRIALS, lambda row: {**row, "recall_ms": -1.0}, "recall_ms: no number of milliseconds"),
    "a time that is none": (RUN, TRIALS, lambda row: {**row, "cpu_ms": float("nan")}, "cpu_ms: no number of"),
    "tokens below zero": (RUN, TRIALS, lambda row: {**row, "tokens_in": -1}, "a count below zero"),
    "residue of no string": (RUN, TRIALS, lambda row: {**row, "residue": 99}, "so many forbidden strings"),
    "a latency": (TIMED, TRIALS, lambda row: {**row, "mutate_ms": float("inf")}, "mutate_ms: no number of"),
    "more answers than k": (
        ANSWERS,
        CROSSEVAL,
        lambda row: {**row, "recalled": row["recalled"] + ["x"] * 10},
        "11 texts recalled; k is 10",
    ),
    "an answer before its question": (ANSWERS, CROSSEVAL, lambda row: {**row, "recall_ms": -0.1}, "recall_ms: no"),
    "a replay of minus one memory": (
        REPLAYS,
        CROSSEVAL_HISTORIES,
        lambda row: {**row, "inscribed": -1},
        "a count below zero",
    ),
    "a replay of half a history": (
        REPLAYS,
        CROSSEVAL_HISTORIES,
        lambda row: {**row, "inscribed": 3},
        "6k: 3 memories inscribed; the history has 6",
    ),
    "a replay of more mutations": (
        REPLAYS,
        CROSSEVAL_HISTORIES,
        lambda row: {**row, "not_expressed": 1},
        "6k: 1 mutations; the history has 0",
    ),
    "no replay": (REPLAYS, CROSSEVAL_HISTORIES, lambda row: None, "0 of the 1 histories that were replayed"),
    "a replay of another": (
        REPLAYS,
        CROSSEVAL_HISTORIES,
        lambda row: {**row, "model": "other"},
        "holds rows that are none of lethe",
    ),
}


@pytest.mark.parametrize("name", BEYOND_ANY_RUN)
def test_what_no_run_comes_to_is_found_though_the_manifest_was_made_to_fit(bundle: Path, name: str) -> None:
    path, table, change, said = BEYOND_ANY_RUN[name]
    edit(bundle, path, table, change)
    sign_off(bundle)
    found = audit(bundle).findings
    assert any(line.startswith(f"{path}: ") and said in line for line in found), found


# The same of what leaves the systems with other cases, which the analysis refuses to compare.
INCOMPLETE: dict[str, tuple[Change, str]] = {
    "failed trials are left out": (lambda row: None if failing(row) else row, "5 trials; 10 cases"),
    "a trial stands for another": (
        lambda row: {**row, "repetition": 1} if failing(row) else row,
        "holds a trial that is none of lethe on mine",
    ),
}


@pytest.mark.parametrize("name", INCOMPLETE)
def test_trials_that_are_left_out_are_found(bundle: Path, name: str) -> None:
    change, said = INCOMPLETE[name]
    edit(bundle, RUN, TRIALS, change)
    sign_off(bundle)
    found = audit(bundle).findings
    assert any(line.startswith(f"{RUN}: ") and said in line for line in found), found


def test_trials_of_another_system_are_found(bundle: Path) -> None:
    shutil.copy(bundle / OTHER_RUN, bundle / RUN)
    edit(bundle, RUN, TRIALS, lambda row: {**row, "system": "lethe"})
    shutil.copy(bundle / RUN, bundle / OTHER_RUN)
    sign_off(bundle)
    found = audit(bundle).findings
    assert any(f"{OTHER_RUN}: holds a trial that is none of naive_sql" in line for line in found), found
    assert any(line.startswith(SCORES_FILE) for line in found), found


LATER: dict[str, tuple[str, Any, Change, str]] = {
    "scores": (SCORES_FILE, SCORES, lambda row: {**row, "passed": row["cases"], "failed": 0}, "passed: this file says"),
    "verdicts": (
        VERDICTS.path.format(suite=SUITE),
        VERDICTS,
        lambda row: {**row, "verdict": "pass"},
        "verdict: this file says 'pass'; it is 'fail'",
    ),
    "an interval": (
        PAIRED_FILE,
        PAIRED,
        lambda row: {**row, "low": 0.0},
        f", counted again from {VERDICTS.path.format(suite=SUITE)}",
    ),
    "a test": (PAIRED_FILE, PAIRED, lambda row: {**row, "p_exact": 0.01}, "p_exact: this file says 0.01; it is"),
    "a row of it": (PAIRED_FILE, PAIRED, lambda row: row if row["scorer"] == "substring" else None, "scorer probed"),
    "the replication": (
        REPLICATION.path,
        REPLICATION,
        lambda row: {**row, "verdict": "equal"},
        "verdict: this file says 'equal'",
    ),
}


@pytest.mark.parametrize("name", LATER)
def test_a_forged_analysis_is_found_at_each_of_its_stages(bundle: Path, name: str) -> None:
    path, table, change, said = LATER[name]
    edit(bundle, path, table, change)
    tabulate(bundle)
    sign_off(bundle)
    found = audit(bundle).findings
    assert any(line.startswith(path) and said in line for line in found), found


def test_what_stands_within_the_tolerance_changes_no_table(bundle: Path) -> None:
    """A rate of a half is shown as another percentage, a count that is cut off as another count."""

    def a_little_less(row: Row) -> Row:
        reals = {name: value * (1 - 9e-7) for name, value in row.items() if isinstance(value, float)}
        return {**row, **reals}

    assert not audit(bundle).findings
    before = {path: path.read_bytes() for path in (bundle / "paper_tables").glob("*.csv")}
    for path, table in ((REPLICATION.path, REPLICATION), (SCORES_FILE, SCORES)):
        edit(bundle, path, table, a_little_less)
    tabulate(bundle)
    changed = {f"paper_tables/{path.name}" for path, was in before.items() if path.read_bytes() != was}
    sign_off(bundle)
    found = {line.partition(":")[0] for line in audit(bundle).findings}
    assert changed and changed <= found, (changed, found)


def test_a_forged_table_is_found_in_each_of_its_forms(bundle: Path) -> None:
    forms = [f"paper_tables/own_template.{kind}" for kind in ("tex", "csv")] + ["results/tables/own_template.json"]
    for form in forms:
        path = bundle / form
        text = path.read_text(encoding="utf-8")
        assert "50.00" in text
        write_text(path, text.replace("50.00", "90.00"))
    sign_off(bundle)
    found = audit(bundle).findings
    assert {line.partition(":")[0] for line in found} == set(forms)


@pytest.mark.parametrize(
    ("form", "old", "new"),
    [("csv", b"\n", b"\r"), ("tex", b"\n", b"\r"), ("csv", b"Lethe,", b'"Lethe",')],
)
def test_a_form_that_is_written_differently_is_found(bundle: Path, form: str, old: bytes, new: bytes) -> None:
    path = bundle / f"paper_tables/own_template.{form}"
    assert old in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(old, new))
    sign_off(bundle)
    (finding,) = audit(bundle).findings
    assert finding.startswith(f"paper_tables/own_template.{form}: ")


def test_a_removed_recipe_with_an_edited_table_is_found(bundle: Path) -> None:
    path = bundle / "paper_tables/own_template.csv"
    write_text(path, path.read_text(encoding="utf-8").replace("5/10 (50.00)", "9/10 (90.00)"))
    (bundle / RECIPE_FILE).unlink()
    sign_off(bundle)
    (finding,) = audit(bundle).findings
    assert finding.startswith("results/recipe.json: nothing can be computed again") and "not in the manifest" in finding


def test_an_edited_record_of_versions_is_found(bundle: Path) -> None:
    path = bundle / VERSIONS_FILE
    write_text(path, path.read_text(encoding="utf-8").replace("matplotlib==", "matplotlib==9"))
    assert audit(bundle).findings == ["results/versions.json: changed since it was written"]


def test_a_removed_record_of_versions_is_found(bundle: Path) -> None:
    (bundle / VERSIONS_FILE).unlink()
    assert "results/versions.json: missing" in audit(bundle).findings


def test_exchanged_labels_are_found(bundle: Path) -> None:
    path = bundle / RECIPE_FILE
    recipe = json.loads(path.read_text(encoding="utf-8"))
    entries = recipe["setup"]["configurations"]
    labels = entries["lethe"]["label"], entries["naive_sql"]["label"]
    entries["naive_sql"]["label"], entries["lethe"]["label"] = labels
    write_text(path, json.dumps(recipe))
    sign_off(bundle)
    said = "results/recipe.json: configurations is not what the configuration in results/versions.json gives"
    assert said in audit(bundle).findings


def test_a_suite_that_is_left_out_is_found(bundle: Path) -> None:
    path = bundle / RECIPE_FILE
    recipe = json.loads(path.read_text(encoding="utf-8"))
    del recipe["setup"]["suites"][OTHER]
    write_text(path, json.dumps(recipe))
    sign_off(bundle)
    said = f"results/recipe.json: lacks the suite {OTHER}, which the configuration in results/versions.json asks for"
    assert said in audit(bundle).findings


def test_other_published_numbers_than_the_projects_are_found(bundle: Path) -> None:
    path = bundle / RECIPE_FILE
    recipe = {**json.loads(path.read_text(encoding="utf-8")), "published_sha256": "0" * 64}
    write_text(path, json.dumps(recipe))
    sign_off(bundle)
    (finding,) = audit(bundle).findings
    assert "built from a config/published.csv of SHA-256 000000" in finding


@pytest.mark.parametrize("path", ["figures/heatmap.png", "figures/heatmap.pdf"])
def test_another_figure_than_was_listed_is_found(bundle_with_figures: Path, path: str) -> None:
    file = bundle_with_figures / path
    file.write_bytes(file.read_bytes() + b" ")
    assert audit(bundle_with_figures).findings == [f"{path}: changed since it was written"]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_that_names_no_manifest_or_another_is_found(bundle_with_figures: Path, page: str) -> None:
    path = bundle_with_figures / page
    digest = sha256_of(bundle_with_figures / MANIFEST_FILE)
    write_text(path, path.read_text(encoding="utf-8").replace(digest, "0" * 64))
    assert audit(bundle_with_figures).findings == [f"{page}: is of another manifest"]


def test_that_pages_are_not_checked_is_said(bundle_with_figures: Path) -> None:
    taken = audit(bundle_with_figures).taken
    assert [line for line in taken if line.startswith("results/report/")] == [
        f"{page}: what it shows; `snakemake paper_tables`, or `paper` if that ran, makes it again" for page in PAGES
    ]


def test_a_page_of_another_manifest_is_found(bundle_with_figures: Path) -> None:
    write_text(bundle_with_figures / "paper_tables/more.csv", "")
    sign_off(bundle_with_figures)
    assert audit(bundle_with_figures).findings == [f"{page}: is of another manifest" for page in PAGES]
