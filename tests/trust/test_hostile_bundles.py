"""Bundles of results that want something of the machine they are audited on: nothing in them is executed, nothing is
written, and nothing outside them is read."""

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from forgeteval.errors import UserError
from forgeteval.files import write_text
from lethe.parquet import read_rows, write_rows
from lethe.schemas import LATENCY, MANIFEST, SCORES
from lethe.trust.check import audit
from lethe.trust.folder import MANIFEST_FILE, VERSIONS_FILE
from lethe.trust.recipe import RECIPE_FILE
from tests.support.bundle import PRODUCER, RUN, SUITE, config, sign_off
from tests.support.commands import app

pytestmark = pytest.mark.slow

LATENCY_FILE = LATENCY.path
SCRIPT = "open('witness', 'w').close()\n"


@pytest.fixture(autouse=True)
def _nothing_appears(tmp_path: Path) -> Iterator[None]:
    """No script of a bundle leaves its witness, wherever it would have run."""
    with chdir(tmp_path):
        yield
    assert not list(tmp_path.rglob("witness"))


def tamper(root: Path, **changes: Any) -> None:
    """Change the recipe and write the manifest again."""
    path = root / RECIPE_FILE
    write_text(path, json.dumps({**json.loads(path.read_text(encoding="utf-8")), **changes}))
    sign_off(root)


def setup_of(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((root / RECIPE_FILE).read_text(encoding="utf-8"))["setup"]
    return found


@pytest.mark.parametrize("key", ["script", "tables", "snakefile"])
def test_a_recipe_that_names_a_script_executes_nothing(bundle: Path, key: str) -> None:
    write_text(bundle / "results/evil.py", SCRIPT)
    tamper(bundle, **{key: str(bundle / "results/evil.py")})
    (finding,) = audit(bundle).findings
    assert finding.startswith("results/recipe.json: nothing can be computed again: UserError: no recipe")


def test_modules_and_settings_beside_the_results_are_not_loaded(bundle_with_figures: Path) -> None:
    for name in ("sitecustomize.py", "conftest.py", "statsmodels.py", "matplotlib_evil.py", "Snakefile"):
        write_text(bundle_with_figures / name, SCRIPT)
    rc = "backend: module://matplotlib_evil\ntext.usetex: True\nfont.size: 30\naxes.facecolor: red\n"
    write_text(bundle_with_figures / "matplotlibrc", rc)
    with chdir(bundle_with_figures):
        assert audit(Path()).findings == []
        import matplotlib as mpl

        with mpl.rc_context({"font.size": 30, "axes.facecolor": "red"}):
            assert audit(Path()).findings == []


def test_a_backend_of_the_bundles_own_is_not_loaded(bundle: Path) -> None:
    write_text(bundle / "results/evil.py", SCRIPT)
    record = setup_of(bundle)
    record["configurations"]["lethe"]["backend"] = "results.evil:Backend"
    with chdir(bundle):
        tamper(bundle, setup=record)
        (finding,) = audit(bundle).findings
    assert "configurations is not what the configuration in results/versions.json gives" in finding


def test_nothing_is_written(bundle: Path) -> None:
    def state() -> dict[Path, tuple[int, int]]:
        return {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in sorted(bundle.parent.rglob("*"))}

    name = "../../../../results/analysis/scores/other"
    record = setup_of(bundle)
    record["suites"][name] = {"label": "Forged", "not_run": {}}
    tamper(bundle, setup=record)
    before = state()
    found = audit(bundle).findings
    assert any(name in line and "leaves the folder" in line for line in found), found
    assert state() == before


def test_an_input_that_leaves_the_folder_is_a_finding(bundle: Path) -> None:
    paths = ["../outside.parquet", "/etc/passwd", "results/../../outside.parquet"]
    recipe = json.loads((bundle / RECIPE_FILE).read_text(encoding="utf-8"))
    tamper(bundle, inputs=[*recipe["inputs"], *paths])
    assert audit(bundle).findings == [f"results/recipe.json: {path} is named, but no table reads it" for path in paths]


def test_of_many_inputs_ten_are_named(bundle: Path) -> None:
    recipe = json.loads((bundle / RECIPE_FILE).read_text(encoding="utf-8"))
    tamper(bundle, inputs=[*recipe["inputs"], *(f"results/{number:05}.parquet" for number in range(100_000))])
    *first, last = [line for line in audit(bundle).findings if "no table reads" in line]
    assert first == [
        f"results/recipe.json: results/0000{number}.parquet is named, but no table reads it" for number in range(10)
    ]
    assert last == "results/recipe.json: 99990 more inputs named that no table reads, or read and not named"


def test_of_many_runs_that_are_not_there_ten_are_named(bundle: Path) -> None:
    record = setup_of(bundle)
    entry = record["configurations"]["naive_sql"]
    record["configurations"] |= {f"other{number:03}": entry for number in range(200)}
    tamper(bundle, setup=record)
    found = audit(bundle).findings
    runs = [line for line in found if line.startswith("results/runs/")]
    assert len(runs) == 10 and all(line.endswith("not there, or not in the manifest)") for line in runs)
    assert "results/recipe.json: 790 more files of runs are not there, or not in the manifest" in found


def test_a_manifest_that_names_other_paths_has_a_finding_for_each(bundle: Path) -> None:
    names = ["/etc/passwd", "../outside", "results/../../outside", "", ".", "setup.py", "results"]
    rows = read_rows(bundle / MANIFEST_FILE, MANIFEST)
    more = [{**rows[0], "file": name} for name in names]
    write_rows(bundle / MANIFEST_FILE, MANIFEST, [*rows, *more], PRODUCER)
    found = audit(bundle).findings
    assert len(found) == len(names)
    assert all(line.startswith(f"{name}: ") for line, name in zip(found, names, strict=True)), found


@pytest.mark.parametrize("inside", [True, False], ids=["into the folder", "out of it"])
def test_a_link_is_a_finding_and_not_read(bundle: Path, inside: bool) -> None:
    file = bundle / LATENCY_FILE
    target = bundle / "results/elsewhere.parquet" if inside else bundle.parent / "outside.parquet"
    shutil.move(file, target)
    file.symlink_to(target)
    found = audit(bundle).findings
    assert f"{LATENCY_FILE}: a symbolic link; it is not followed" in found
    assert f"{LATENCY_FILE}: missing" in found
    assert any(line.startswith("table latency: cannot be computed again") for line in found), found


@pytest.mark.parametrize("folder", ["results/analysis", "paper_tables"])
def test_a_linked_folder_is_a_finding(bundle: Path, folder: str) -> None:
    shutil.move(bundle / folder, bundle.parent / "outside")
    (bundle / folder).symlink_to(bundle.parent / "outside")
    found = audit(bundle).findings
    assert f"{folder}: a symbolic link; it is not followed" in found


def test_a_linked_manifest_is_none(bundle: Path) -> None:
    shutil.move(bundle / MANIFEST_FILE, bundle.parent / "outside.parquet")
    (bundle / MANIFEST_FILE).symlink_to(bundle.parent / "outside.parquet")
    with pytest.raises(UserError, match="no manifest here"):
        audit(bundle)


@pytest.mark.parametrize("listed", [True, False], ids=["in place of a file", "beside the files"])
def test_a_pipe_keeps_nobody_waiting(bundle: Path, listed: bool) -> None:
    name = LATENCY_FILE if listed else "results/pipe.parquet"
    (bundle / name).unlink(missing_ok=True)
    os.mkfifo(bundle / name)
    assert f"{name}: neither a file nor a folder" in audit(bundle).findings


def test_a_file_that_is_not_listed_is_a_finding(bundle: Path) -> None:
    names = ["figures/a.svg", "paper_tables/more.tex", "results/.hidden.parquet", "results/evil.py"]
    for name in names:
        write_text(bundle / name, SCRIPT)
    assert sorted(audit(bundle).findings) == [f"{name}: not in the manifest" for name in names]


def test_a_file_that_is_not_listed_is_no_input(bundle: Path) -> None:
    scores = SCORES.path.format(suite=SUITE)
    rows = read_rows(bundle / MANIFEST_FILE, MANIFEST)
    write_rows(bundle / MANIFEST_FILE, MANIFEST, [row for row in rows if row["file"] != scores], PRODUCER)
    found = audit(bundle).findings
    assert f"{scores}: not in the manifest" in found
    assert any(
        line.startswith("table own_adversarial: ") and f"{scores}: not there, or not in the" in line for line in found
    )


def test_a_file_that_would_fill_the_memory_is_not_read(bundle: Path) -> None:
    rows = pa.table({"a": pa.repeat(pa.scalar(0, pa.int8()), 20_000_000)})
    pq.write_table(rows, bundle / RUN, compression="zstd")
    found = audit(bundle).findings
    refused = f"{RUN}: changed since it was written; too large to be read: 20000000 rows"
    assert any(line.startswith(refused) for line in found), found
    assert any(line.startswith(f"{RUN}: cannot be computed again") for line in found), found


def test_more_resamples_than_anybody_draws_are_not_drawn(bundle: Path) -> None:
    tamper(bundle, setup={**setup_of(bundle), "resamples": 10**12})
    (finding,) = audit(bundle).findings
    assert "1000000000000 resamples are not computed again" in finding


def put_suite(root: Path, **options: Any) -> None:
    path = root / VERSIONS_FILE
    versions = json.loads(path.read_text(encoding="utf-8"))
    versions["config"]["suites"][SUITE] = {"label": "Mine", **options}
    write_text(path, json.dumps(versions))


@pytest.mark.parametrize("folder", ["/etc", "../..", "suites/..", "suites/../..", "suites/adversarial/.."])
def test_a_suite_is_built_from_this_project_alone(bundle: Path, folder: str) -> None:
    put_suite(bundle, folder=folder)
    said = f"results/suites/{SUITE}/cases.parquet: 10 cases from elsewhere, SHA-256 "
    found = audit(bundle)
    is_refused = any("must be a folder by its name" in line for line in found.findings)
    assert is_refused or any(line.startswith(said) for line in found.taken)


def test_a_suite_is_not_built_larger_than_it_was_handed_on(bundle: Path) -> None:
    put_suite(bundle, seed=1, cases_per_family=10_000)
    assert any("more cases than there are" in line for line in audit(bundle).findings)


def test_what_a_bundle_says_cannot_steer_a_terminal(bundle: Path) -> None:
    write_text(bundle / "results/\x1b[2J\x1b]0;title\x07.py", "")
    done = CliRunner().invoke(app, ["audit", str(bundle)])
    assert done.exit_code == 1 and not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", done.output)
    assert "results/\\x1b[2J\\x1b]0;title\\x07.py: not in the manifest" in done.output


ADDRESS = "https://user:secret-in-account@example.org/v1?key=secret-in-query#secret-in-fragment"


def test_no_credentials_reach_the_versions(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(config(), "models", {"unused": {"base_url": ADDRESS, "family": "f", "model": "m"}})
    sign_off(bundle)
    text = (bundle / VERSIONS_FILE).read_text(encoding="utf-8")
    assert "secret" not in text and '"https://example.org/v1"' in text
