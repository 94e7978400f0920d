"""The audit as a whole: nothing is found in what the workflow wrote, and what does not follow is named."""

import json
import re
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from forgeteval.errors import UserError
from forgeteval.files import write_text
from lethe.fingerprints import sha256_of
from lethe.parquet import metadata_of, read_rows, write_rows
from lethe.schemas import (
    ANNOTATIONS,
    CROSSEVAL,
    CROSSEVAL_OPERATIONS,
    CROSSEVAL_QUESTIONS,
    CROSSEVAL_SIZES,
    EMBEDDERS,
    LATENCY,
    RELEASED_VARIANCE,
    SCORES,
    TRIALS,
)
from lethe.study.setup import Setup
from lethe.tables.registry import all_paths, table_specs
from lethe.tables.writing import PAPER, forms, tables_of
from lethe.trust.check import audit
from lethe.trust.folder import MANIFEST_FILE, PAGES, VERSIONS_FILE
from lethe.trust.manifest import write_manifest
from lethe.trust.recipe import RECIPE_FILE
from lethe.trust.versions import read_versions
from tests.support.bundle import (
    OTHER,
    PRODUCER,
    RUN,
    SUITE,
    SYSTEMS,
    analyse,
    change_cell,
    config,
    edit,
    setup,
    sign_off,
    tabulate,
)
from tests.support.commands import app
from tests.support.config import put
from tests.support.paths import ROOT


def test_everything_is_computed_again_and_nothing_is_found(bundle_with_figures: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in bundle_with_figures.rglob("*")}
    found = audit(bundle_with_figures)
    assert found.findings == []
    *pages, atlas, operations, questions, labels, taken = found.taken
    assert [line.partition(":")[0] for line in pages] == sorted(PAGES)
    assert atlas == "the atlas: no system of it is shown"
    for line, table, number in (
        (operations, CROSSEVAL_OPERATIONS, "6 operations"),
        (questions, CROSSEVAL_QUESTIONS, "6 questions"),
    ):
        path = table.path.format(benchmark="factcons")
        assert line == f"{path}: {number} from elsewhere, SHA-256 {sha256_of(bundle_with_figures / path)}"
    assert labels.startswith(f"{ANNOTATIONS.path}: the labels of annotators")
    assert taken.startswith(f"{EMBEDDERS.path}: follows from no file of the results")
    runs = [path for path in (bundle_with_figures / "results").rglob("*.parquet") if metadata(path) == "trials"]
    assert found.checked == {
        "files": len(read_manifest_names(bundle_with_figures)),
        "suites built again": 2,
        "trials": sum(len(read_rows(path, TRIALS)) for path in runs),
        "answers": 12,
        "analysis files": len(list((bundle_with_figures / "results/analysis").rglob("*.parquet"))) - 1,
        "tables": len(table_specs(setup())),
    }
    assert found.versions is not None and found.versions.config["run"]["k"] == 10
    assert {path: path.stat().st_mtime_ns for path in bundle_with_figures.rglob("*")} == before


def metadata(path: Path) -> str | None:
    """The kind of a Parquet file."""
    return metadata_of(pq.read_table(path)).get("table")


def read_manifest_names(root: Path) -> list[str]:
    found = [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()]
    return [name for name in found if name not in (MANIFEST_FILE.as_posix(), *PAGES)]


def test_the_pages_show_the_checksum_of_the_manifest(bundle_with_figures: Path) -> None:
    digest = sha256_of(bundle_with_figures / MANIFEST_FILE)
    for page in PAGES:
        assert digest in (bundle_with_figures / page).read_text(encoding="utf-8")


def test_the_recipe_names_neither_this_machine_nor_a_script(bundle: Path) -> None:
    recipe = (bundle / RECIPE_FILE).read_text(encoding="utf-8")
    assert str(bundle) not in recipe and ".py" not in recipe
    assert Setup.from_json(json.loads(recipe)["setup"]).to_json() == json.loads(json.dumps(setup().to_json()))


@pytest.fixture
def paper_alone(bundle: Path) -> Path:
    """The bundle as `snakemake paper` leaves it."""
    for folder in ("paper_tables", "results/tables"):
        shutil.rmtree(bundle / folder)
    analyse(bundle, PAPER)
    tabulate(bundle, PAPER)
    sign_off(bundle)
    return bundle


def test_of_a_run_of_the_paper_alone_its_tables_are_expected_and_no_others(paper_alone: Path) -> None:
    found = audit(paper_alone)
    assert found.findings == []
    assert 0 < found.checked["tables"] == len(tables_of(setup(), PAPER)) < len(table_specs(setup()))
    assert not (paper_alone / "paper_tables/beyond.tex").exists()
    table = paper_alone / "paper_tables/naive_sql.csv"
    write_text(table, table.read_text(encoding="utf-8") + "more\n")
    sign_off(paper_alone)
    found = audit(paper_alone)
    assert found.findings and all(line.startswith("paper_tables/naive_sql.csv: ") for line in found.findings)


def test_the_tables_of_all_rooms_can_be_made_after_those_of_the_paper(paper_alone: Path) -> None:
    analyse(paper_alone)
    tabulate(paper_alone)
    sign_off(paper_alone)
    found = audit(paper_alone)
    assert (found.findings, found.checked["tables"]) == ([], len(table_specs(setup())))


def test_a_recipe_that_lies_about_its_room_hides_nothing(bundle: Path) -> None:
    recipe = json.loads((bundle / RECIPE_FILE).read_text(encoding="utf-8"))
    write_text(bundle / RECIPE_FILE, json.dumps({**recipe, "room": PAPER}))
    edit(bundle, RUN, TRIALS, lambda row: {**row, "verdict": "pass"})
    sign_off(bundle)
    found = audit(bundle).findings
    others = [spec for spec in table_specs(setup()) if spec.room != PAPER]
    why = "is not of paper, of which alone this run was; `snakemake paper_tables` makes it again"
    assert {f"{path}: {why}" for spec in others for path in forms(spec).values()} <= {*found}
    read = {*all_paths(others)} - {*all_paths(tables_of(setup(), PAPER))}
    assert [f"{RECIPE_FILE}: {path} is named, but no table reads it" for path in sorted(read)[:10]] == [
        line for line in found if line.endswith("but no table reads it")
    ]
    told = f"{RECIPE_FILE}: {len(read) - 10} more inputs named that no table reads, or read and not named"
    assert (told in found) == (len(read) > 10)
    said = f"file says 'pass'; it is 'fail', counted again from its recalled texts and the cases of {SUITE}"
    assert any(line.startswith(f"{RUN}: ") and line.endswith(said) for line in found), found


def test_a_recipe_of_the_paper_that_says_all_lacks_the_others(paper_alone: Path) -> None:
    recipe = json.loads((paper_alone / RECIPE_FILE).read_text(encoding="utf-8"))
    write_text(paper_alone / RECIPE_FILE, json.dumps({**recipe, "room": ""}))
    sign_off(paper_alone)
    assert "paper_tables/beyond.tex: does not follow from the results" in audit(paper_alone).findings
    write_text(paper_alone / RECIPE_FILE, json.dumps({**recipe, "room": "figures"}))
    sign_off(paper_alone)
    assert any("no recipe (room must be empty or paper)" in line for line in audit(paper_alone).findings)


def test_questions_that_are_left_out_with_their_answers_are_missed(bundle: Path) -> None:
    asked = CROSSEVAL_QUESTIONS.path.format(benchmark="factcons")
    answered = [(CROSSEVAL.path.format(benchmark="factcons", system=name), CROSSEVAL) for name in SYSTEMS[:2]]
    for path, table in ((asked, CROSSEVAL_QUESTIONS), *answered):
        rows = [row for row in read_rows(bundle / path, table) if row["question_id"] in ("q1", "q3", "q5")]
        assert len(rows) == 3
        write_rows(bundle / path, table, rows, PRODUCER)
    analyse(bundle)
    tabulate(bundle)
    sign_off(bundle)
    sizes = CROSSEVAL_SIZES.path.format(benchmark="factcons")
    assert audit(bundle).findings == [f"{asked}: 6k: 3 questions; {sizes} says 6"]


def test_what_was_released_is_taken_with_the_checksum_of_its_file(bundle: Path) -> None:
    write_rows(bundle / RELEASED_VARIANCE.path, RELEASED_VARIANCE, [], PRODUCER)
    recipe = json.loads((bundle / RECIPE_FILE).read_text(encoding="utf-8"))
    recipe["setup"]["release"]["sha256"] = {"hook_run_variance.csv": "12ab"}
    write_text(bundle / RECIPE_FILE, json.dumps(recipe))
    sign_off(bundle)
    found = audit(bundle)
    said = f"{RELEASED_VARIANCE.path}: read from the released hook_run_variance.csv, SHA-256 12ab"
    assert found.findings == [] and said in found.taken


def test_results_without_tables_can_be_audited(bundle: Path) -> None:
    shutil.rmtree(bundle / "paper_tables")
    assert audit(bundle).findings == []
    change_cell(bundle / LATENCY.path, "wall_ms", 0, 0.25)
    found = audit(bundle).findings
    assert "paper_tables/latency.csv: does not follow from the results" in found
    assert any("wall_ms: this file says 0.25; it is" in finding for finding in found)


def test_a_time_limit_that_is_changed_alone_is_found_and_is_else_a_declared_value(bundle: Path) -> None:
    path = bundle / VERSIONS_FILE
    said = json.loads(path.read_text(encoding="utf-8"))
    said["config"]["run"]["case_timeout_s"] = 1e6
    write_text(path, json.dumps(said, indent=1, sort_keys=True) + "\n")
    assert [line.partition(":")[0] for line in audit(bundle).findings] == [VERSIONS_FILE.as_posix()]
    (bundle / MANIFEST_FILE).unlink()
    write_manifest(bundle, put(config(), "run/case_timeout_s", 1e6), [], PRODUCER)
    assert audit(bundle).findings == [], "no row follows from it"
    documented = (ROOT / "docs/audit.md").read_text(encoding="utf-8")
    assert "`run.case_timeout_s`" in documented and "declared values" in documented


def test_a_cell_that_does_not_follow_is_named_in_every_form(bundle: Path) -> None:
    path, typed = bundle / "paper_tables/own_template.csv", bundle / "results/tables/own_template.json"
    shown, (value, count) = "5/10 (50.00)", (5, 10)
    assert shown in path.read_text(encoding="utf-8"), path.read_text(encoding="utf-8")
    write_text(path, path.read_text(encoding="utf-8").replace(shown, "9/10 (90.00)"))
    write_text(
        typed,
        typed.read_text(encoding="utf-8").replace(f'"value": {value}, "count": {count}', '"value": 9, "count": 10'),
    )
    found = audit(bundle).findings
    assert any(
        re.search(r"own_template.csv: .*: this file says '9/10 \(90.00\)'; it is '5/10.*', counted again from", line)
        and line.endswith(f"counted again from {SCORES.path.format(suite=OTHER)}")
        for line in found
    )
    assert any("own_template.json: " in line and "says {'value': 9}; it is {'value': 5}" in line for line in found)


def test_a_folder_that_is_a_link_to_itself_has_no_manifest(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UserError, match="loop"):
        audit(tmp_path / "loop")


def test_without_a_manifest_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"manifest\.parquet: no manifest here; name the folder that holds results/"):
        audit(tmp_path)


def test_the_command_says_what_it_checked_and_what_it_found(bundle: Path) -> None:
    done = CliRunner().invoke(app, ["audit", str(bundle)])
    assert done.exit_code == 0, done.output
    assert re.search(r"^pipeline: \d+ packages: .*matplotlib==", done.output, re.MULTILINE)
    assert f"manifest: SHA-256 {sha256_of(bundle / MANIFEST_FILE)}" in done.output
    tables = len(table_specs(setup()))
    assert re.search(
        rf"^0 findings\n\d+ files, .*100 trials, .*\d+ analysis files, {tables} tables checked$", done.output, re.M
    )
    again = len(setup().timed()) * setup().latency.repetitions * 5
    assert (len(SYSTEMS) * 2 + 1) * 10 + again == 100, "three systems on two suites, one with another embedder, times"
    change_cell(bundle / RUN, "verdict", 0, "error")
    done = CliRunner().invoke(app, ["audit", str(bundle)])
    assert done.exit_code == 1
    first, *others = done.output.splitlines()
    assert re.fullmatch(r"[1-9]\d* findings", first)
    assert "verdict is now 'error'" in "".join(others[: int(first.split()[0])])


def test_the_command_says_before_its_findings_that_other_code_wrote_the_run(
    bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = read_versions(bundle / VERSIONS_FILE).code
    monkeypatch.setattr("lethe.trust.versions.package_fingerprint", lambda: "0123456789abcdef")
    done = CliRunner().invoke(app, ["audit", str(bundle)])
    first, second, *_ = done.output.splitlines()
    assert first == "0 findings"
    assert second.startswith(f"this run was written by code {written}, and you audit it with code 0123456789abcdef: ")
