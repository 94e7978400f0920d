"""Wheels, site, report and results of a finished run, packed into one folder with their checksums."""

import argparse
import io
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path

from forgeteval.errors import UserError, one_line_errors
from forgeteval.files import write_text
from forgeteval.json_records import read_object
from lethe.findings.release import RECORD
from lethe.fingerprints import sha256_of
from lethe.store import __version__
from lethe.trust.folder import MANIFEST_FILE, PAGES, listed_files

SUMS = "SHA256SUMS"
_ROOT = Path(__file__).parents[1]
_IN_WHEEL = ("config", "suites")
"""Folders that an audit reads; the study's wheel has them in `lethe/project`."""


def build_release(results: Path, site: Path, out: Path) -> None:
    """Write the files of a release; `out` is replaced once all of them are whole.

    Raises:
        UserError: where something is not committed or not finished, or the README tells of another run.
    """
    manifest = results / MANIFEST_FILE
    is_ours = not out.exists() or (out / SUMS).is_file() or (out.is_dir() and not any(out.iterdir()))
    _expect(is_ours, f"{out}: holds something else than a release; name another folder")
    _expect(not _git("status", "--porcelain"), "the working tree has changes; commit them first")
    _expect(manifest.is_file(), f"{manifest}: missing; RESULTS=FOLDER names a finished run")
    _expect((site / "index.html").is_file(), f"{site}/index.html: missing; run `make site`")
    _expect(all((results / page).is_file() for page in PAGES), f"{results}: no report; finish the run first")
    told = read_object(_ROOT / RECORD)["manifest"] if (_ROOT / RECORD).is_file() else None
    _expect(
        told == sha256_of(manifest), "the README tells of another run; run `forgeteval findings FOLDER` and commit it"
    )
    with tempfile.TemporaryDirectory(dir=out.absolute().parent) as folder:
        made = Path(folder) / out.name
        made.mkdir()
        build_wheels(made)
        name = f"lethe-{__version__}"
        _pack(made / f"{name}-site.tar.gz", "site", site, (path.relative_to(site) for path in site.rglob("*")))
        _pack(made / f"{name}-report.tar.gz", "report", results / "results/report", [Path(page).name for page in PAGES])
        _pack(made / f"{name}-results.tar.gz", name, results, [*listed_files(results), MANIFEST_FILE, *PAGES])
        for lock in ("pipeline.lock", "build.lock"):
            shutil.copyfile(_ROOT / "envs" / lock, made / lock)
        sums = [f"{sha256_of(path)}  {path.name}" for path in sorted(made.iterdir())]
        write_text(made / SUMS, "".join(f"{line}\n" for line in sums))
        shutil.rmtree(out, ignore_errors=True)
        made.rename(out)


def build_wheels(out: Path) -> None:
    """Build the wheels of what is committed: instrument, store, and study with the data that an audit reads."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder)
        archive = subprocess.run(["git", "archive", "HEAD"], cwd=_ROOT, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
            packed.extractall(source, filter="data")
        for name in _IN_WHEEL:
            (source / name).rename(_made(source / "lethe/project") / name)
        _build(source, ["flit_core.wheel", "--outdir", str(out.absolute())])
        for name in ("lethe/store", "lethe"):
            _build(source / name, ["hatchling", "build", "--target", "wheel", "--directory", str(out.absolute())])


def _build(folder: Path, command: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False)
    _expect(done.returncode == 0, f"the wheel of {folder.name} cannot be built: {done.stderr.strip()[-200:]}")


def _pack(archive: Path, top: str, folder: Path, names: Iterable[Path | str]) -> None:
    """Files of a folder below one top folder; the same files give the same members."""
    with tarfile.open(archive, "w:gz") as packed:
        for name in sorted(set(map(str, names))):
            if (folder / name).is_file():
                packed.add(folder / name, f"{top}/{name}", filter=_nobodys)


def _nobodys(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return member


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=_ROOT, capture_output=True, text=True, check=False)
    _expect(done.returncode == 0, f"git {arguments[0]}: {done.stderr.strip()[-200:]}; a release is built in a clone")
    return done.stdout


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise UserError(otherwise)


def check_python() -> None:
    """UserError where Python cannot unpack archives without what they may do besides."""
    if not hasattr(tarfile, "data_filter"):
        raise UserError(f"Python 3.11.4 or newer is needed for releases; this is {sys.version.split()[0]}")


def main() -> None:
    """Build from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("results", "site", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    given = parser.parse_args()
    with one_line_errors():
        check_python()
        build_release(given.results, given.site, given.out)


if __name__ == "__main__":
    main()
