import shutil
from pathlib import Path

import pytest

from lethe.findings.lines import FIGURES
from lethe.findings.release import BEGIN, END, NONE_YET, PAGES, pages_out_of_date
from lethe.schemas import ATLAS_SCORES, LONG_SCORES
from lethe.study.setup import Erasure
from lethe.trust.manifest import write_manifest
from lethe.trust.recipe import write_recipe
from tests.cli.conftest import Command
from tests.support.commands import mark_clone
from tests.support.findings import invented_setup, write_run
from tests.support.paths import ROOT


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for page in PAGES:
        (root / page).parent.mkdir(parents=True, exist_ok=True)
        (root / page).write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", encoding="utf-8")
    return mark_clone(root)


def test_readme_and_page_say_what_the_numbers_of_the_last_release_say() -> None:
    assert pages_out_of_date(ROOT) == [], "run `forgeteval findings FOLDER`"


def test_the_command_fills_both_pages_and_check_accepts_them(
    forgeteval: Command, project: Path, tmp_path: Path
) -> None:
    run = write_run(tmp_path / "run")
    assert forgeteval("findings", run, "--root", project)[0] == 0
    readme = (project / "README.md").read_text(encoding="utf-8")
    assert readme.startswith(f"before\n{BEGIN}\n10 configurations of memory stores")
    assert readme.endswith(f"{END}\nafter\n")
    assert f"![{FIGURES['stores']}](docs/findings/stores.png)" in readme
    index = (project / "docs/index.md").read_text(encoding="utf-8")
    assert all(f"![{shown}](findings/{name}.png)" in index for name, shown in FIGURES.items())
    assert forgeteval("findings", "--check", "--root", project)[0] == 0

    (project / "README.md").write_text(readme.replace("passes 20", "passes 21"), encoding="utf-8")
    code, _, err = forgeteval("findings", "--check", "--root", project)
    assert (code, err) == (2, "error: README.md: not what docs/findings says; run `forgeteval findings FOLDER`\n")


def test_kept_numbers_that_were_edited_are_found(forgeteval: Command, project: Path, tmp_path: Path) -> None:
    forgeteval("findings", write_run(tmp_path / "run"), "--root", project)
    kept = project / "docs/findings/numbers.json"
    kept.write_text(kept.read_text(encoding="utf-8").replace("0.61", "0.1"), encoding="utf-8")
    code, _, err = forgeteval("findings", "--check", "--root", project)
    assert (code, err.startswith("error: docs/findings/numbers.json: not that of the release")) == (2, True)


@pytest.mark.parametrize(
    "lacking",
    ["results/analysis/long.parquet", "results/recipe.json", "figures/stores.png", "results/manifest.parquet"],
)
def test_an_unfinished_run_changes_nothing(forgeteval: Command, project: Path, tmp_path: Path, lacking: str) -> None:
    run = write_run(tmp_path / "run")
    (run / lacking).unlink()
    code, _, err = forgeteval("findings", run, "--root", project)
    assert (code, lacking in err) == (2, True)
    assert not (project / "docs/findings").exists()
    assert "old" in (project / "README.md").read_text(encoding="utf-8")


def test_a_run_that_is_not_as_its_manifest_says_changes_nothing(
    forgeteval: Command, project: Path, tmp_path: Path
) -> None:
    run = write_run(tmp_path / "run")
    (run / "results/runs/mine").mkdir(parents=True)
    shutil.copy(run / LONG_SCORES.path, run / "results/runs/mine/keeper.parquet")
    code, _, err = forgeteval("findings", run, "--root", project)
    assert (code, "keeper.parquet: not in results/manifest.parquet; run the workflow again" in err) == (2, True)
    shutil.rmtree(run / "results/runs")
    shutil.copy(run / ATLAS_SCORES.path, run / LONG_SCORES.path)
    code, _, err = forgeteval("findings", run, "--root", project)
    assert (code, "long.parquet: not as results/manifest.parquet lists it" in err) == (2, True)
    (run / "results/manifest.parquet").write_bytes(b"junk")
    code, _, err = forgeteval("findings", run, "--root", project)
    assert (code, "manifest.parquet: cannot be read as Parquet" in err) == (2, True)
    assert not (project / "docs/findings").exists()


def test_a_run_of_a_part_has_the_figures_of_that_part(forgeteval: Command, project: Path, tmp_path: Path) -> None:
    run, setup = write_run(tmp_path / "run"), invented_setup(erasure=Erasure({}, {}, {}))
    (run / "figures/erasure.png").unlink()
    write_recipe(run, setup)
    write_manifest(run, {}, [], "test")
    assert forgeteval("findings", run, "--root", project)[2].startswith("error: What lasts: not run: left out by")
    code, _, err = forgeteval("findings", run, "--root", project, "--partial")
    assert (code, err) == (0, "")
    assert "erasure.png" not in (project / "docs/index.md").read_text(encoding="utf-8")
    assert forgeteval("findings", "--check", "--root", project)[0] == 0


def test_a_page_without_markers_is_named_and_nothing_is_written(
    forgeteval: Command, project: Path, tmp_path: Path
) -> None:
    (project / "docs/index.md").write_text("no markers\n", encoding="utf-8")
    code, _, err = forgeteval("findings", write_run(tmp_path / "run"), "--root", project)
    assert (code, "docs/index.md: no markers" in err) == (2, True)
    assert not (project / "docs/findings").exists()


def test_before_the_first_release_the_pages_say_how(project: Path) -> None:
    assert pages_out_of_date(project) == list(PAGES)
    for page in PAGES:
        (project / page).write_text(f"before\n{BEGIN}\n{NONE_YET}\n{END}\n", encoding="utf-8")
    assert pages_out_of_date(project) == []
