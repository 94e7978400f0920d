from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

import forgeteval
import lethe.store
from forgeteval.errors import UserError
from lethe.fingerprints import sha256_of
from release import build, verify
from release.build import SUMS, build_release
from release.verify import check_page, check_sums, verify_release
from tests.support.paths import ROOT


def test_everything_names_one_version() -> None:
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"] == lethe.store.__version__
    newest = next(
        line for line in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines() if line[:3] == "## "
    )
    assert newest.split()[1] == lethe.store.__version__ == forgeteval.__version__


@pytest.fixture
def sources(bundle_with_figures: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Results with their report, and a site; nothing uncommitted, and a README that tells of these results."""
    results, site = bundle_with_figures, tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text('<a href="index.html#top">top</a>', encoding="utf-8")
    manifest = sha256_of(results / "results/manifest.parquet")
    (tmp_path / "release.json").write_text(f'{{"manifest": "{manifest}"}}', encoding="utf-8")
    monkeypatch.setattr(build, "RECORD", tmp_path / "release.json")
    monkeypatch.setattr(build, "_git", lambda *_: "")
    return results, site


@pytest.mark.slow
def test_a_release_is_verified_in_a_new_environment(sources: tuple[Path, Path], tmp_path: Path) -> None:
    results, site = sources
    build_release(results, site, tmp_path / "dist")
    told = verify_release(tmp_path / "dist")
    assert told[-1].startswith("0 findings"), told
    wheels = sorted(path.name for path in (tmp_path / "dist").glob("*.whl"))
    assert wheels == [
        f"{name}-{lethe.store.__version__}-py3-none-any.whl" for name in ("forgeteval", "lethe_store", "lethe_study")
    ]


def no_report(results: Path, site: Path) -> None:
    (results / "results/report/index.html").unlink()


def no_site(results: Path, site: Path) -> None:
    (site / "index.html").unlink()


def other_run(results: Path, site: Path) -> None:
    (results / "results/manifest.parquet").write_bytes(b"another")


def no_manifest(results: Path, site: Path) -> None:
    (results / "results/manifest.parquet").unlink()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (no_report, "no report"),
        (no_site, "run `make site`"),
        (other_run, "tells of another run"),
        (no_manifest, "names a finished run"),
    ],
)
def test_what_is_not_finished_is_no_release(
    sources: tuple[Path, Path], tmp_path: Path, spoil: Callable[[Path, Path], None], said: str
) -> None:
    spoil(*sources)
    with pytest.raises(UserError, match=said):
        build_release(*sources, tmp_path / "dist")
    assert not (tmp_path / "dist").exists()


def test_what_is_not_committed_is_no_release(
    sources: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "_git", lambda *_: " M README.md\n")
    with pytest.raises(UserError, match="commit them first"):
        build_release(*sources, tmp_path / "dist")


def test_a_folder_of_something_else_is_no_place_for_a_release(sources: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "dist"
    out.mkdir()
    (out / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UserError, match="holds something else than a release"):
        build_release(*sources, out)
    assert (out / "notes.txt").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("main", [build.main, verify.main])
def test_a_python_that_cannot_unpack_safely_is_named(
    main: Callable[[], None], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delattr("tarfile.data_filter")
    monkeypatch.setattr(
        "sys.argv", ["release", *(["dist"] if main is verify.main else "--results=. --site=. --out=.".split())]
    )
    with pytest.raises(SystemExit):
        main()
    assert "Python 3.11.4 or newer is needed for releases" in capsys.readouterr().err


def test_what_is_no_clone_is_no_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "_ROOT", tmp_path)
    with pytest.raises(UserError, match="a release is built in a clone"):
        build_release(tmp_path, tmp_path, tmp_path / "dist")


@pytest.mark.parametrize(("archives", "said"), [({}, "results of 0 runs"), ({"a.tar.gz": b"\x1f\x8b"}, "be unpacked")])
def test_a_release_that_lacks_its_results_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, archives: dict[str, bytes], said: str
) -> None:
    monkeypatch.setattr(verify, "_pages", lambda _: {})
    monkeypatch.setattr(verify, "_installed", lambda *_: Path("forgeteval"))
    for name, content in archives.items():
        (tmp_path / name).write_bytes(content)
    sums = [f"{sha256_of(tmp_path / name)}  {name}\n" for name in archives]
    (tmp_path / SUMS).write_text("".join(sums), encoding="utf-8")
    with pytest.raises(UserError, match=said):
        verify_release(tmp_path)


@pytest.mark.parametrize(
    "change", [lambda folder: (folder / "a").write_text("2"), lambda folder: (folder / "b").touch()]
)
def test_a_file_that_the_checksums_do_not_know_is_found(tmp_path: Path, change: Callable[[Path], object]) -> None:
    (tmp_path / "a").write_text("1")
    (tmp_path / SUMS).write_text(f"{sha256_of(tmp_path / 'a')}  a\n")
    assert check_sums(tmp_path) == ["a"]
    change(tmp_path)
    with pytest.raises(UserError, match=r": (a|b): not what"):
        check_sums(tmp_path)


@pytest.mark.parametrize(
    ("tag", "said"),
    [
        ('<script src="https://example.org/x.js"></script>', "from the network"),
        ('<link rel="stylesheet" href="//example.org/x.css">', "from the network"),
        ('<img src="nowhere.png">', "does not exist"),
        ('<a href="nowhere.html#x">', "does not exist"),
    ],
)
def test_a_page_that_needs_what_is_not_there_is_found(tmp_path: Path, tag: str, said: str) -> None:
    page = tmp_path / "page.html"
    page.write_text('<a href="https://example.org">elsewhere</a><a href="page.html#y">here</a>', encoding="utf-8")
    assert check_page(page) == 2
    page.write_text(tag, encoding="utf-8")
    with pytest.raises(UserError, match=said):
        check_page(page)
