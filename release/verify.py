"""A release checked where nothing else of the project is: checksums, the wheels in a new environment, audit, pages."""

import argparse
import os
import shutil
import subprocess
import tarfile
import tempfile
import zlib
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from forgeteval.errors import UserError, one_line_errors
from forgeteval.files import write_text
from lethe.environments.build import build_environment
from lethe.fingerprints import sha256_of
from release.build import SUMS, check_python

_ELSEWHERE = {"http", "https"}
_SOURCES = ("connection-pool",)
"""The packages of the lock that are published as sources alone."""


def verify_release(folder: Path) -> list[str]:
    """What was checked, one line each.

    Args:
        folder: what `release.build` wrote.

    Raises:
        UserError: at the first thing that is not in order.
    """
    told = [f"{len(check_sums(folder))} checksums"]
    with tempfile.TemporaryDirectory() as name:
        empty = Path(name)
        for archive in folder.glob("*.tar.gz"):
            try:
                with tarfile.open(archive) as packed:
                    packed.extractall(empty, filter="data")
            except (tarfile.TarError, EOFError, zlib.error) as error:
                raise UserError(f"{archive}: cannot be unpacked ({error})") from error
        told += [f"{page}: {links} addresses" for page, links in _pages(empty).items()]
        command = _installed(folder.absolute(), empty / "environment")
        results = [path.parents[1] for path in empty.glob("*/results/manifest.parquet")]
        if len(results) != 1:
            raise UserError(f"{folder}: holds the results of {len(results)} runs; a release has those of one")
        told.append(_audited(command, results[0]))
    return told


def check_sums(folder: Path) -> list[str]:
    """The names of the files of a release, each compared with its checksum; no others may be there."""
    if not (folder / SUMS).is_file():
        raise UserError(f"{folder / SUMS}: missing; build the release first")
    lines = (line.partition("  ") for line in (folder / SUMS).read_text(encoding="utf-8").splitlines())
    stated = {name: checksum for checksum, _, name in lines}
    found = {path.name: sha256_of(path) for path in folder.iterdir() if path.name != SUMS}
    different = sorted(name for name in stated.keys() | found.keys() if stated.get(name) != found.get(name))
    if different:
        raise UserError(f"{folder}: {', '.join(different)}: not what {SUMS} says")
    return sorted(found)


class Addresses(HTMLParser):
    """What a page loads by itself, and where its links lead."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.linked: list[str] = []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Note the addresses of a tag."""
        named = dict(attributes)
        if tag in ("script", "img", "iframe", "source"):
            self.loaded += filter(None, [named.get("src")])
        elif tag == "link" and named.get("rel") not in ("canonical", "prev", "next"):
            self.loaded += filter(None, [named.get("href")])
        elif tag == "a":
            self.linked += filter(None, [named.get("href")])


def check_page(page: Path) -> int:
    """The number of addresses of a page: what it loads stands beside it, and so does what it links of its own.

    Raises:
        UserError: at an address that needs the network, or leads nowhere.
    """
    found = Addresses(page)
    for address in found.loaded:
        if urlsplit(address).scheme in _ELSEWHERE or address.startswith("//"):
            raise UserError(f"{page.name}: loads {address} from the network")
    for address in (*found.loaded, *found.linked):
        parts = urlsplit(address)
        if not parts.scheme and parts.path and not (page.parent / unquote(parts.path)).exists():
            raise UserError(f"{page.name}: {address} does not exist")
    return len(found.loaded) + len(found.linked)


def _pages(folder: Path) -> dict[str, int]:
    site = {page: check_page(page) for page in sorted((folder / "site").glob("*.html")) if page.name != "404.html"}
    if folder / "site/index.html" not in site:
        raise UserError("the site has no index.html")
    return {f"{len(site)} pages of the site": sum(site.values()), "report": check_page(folder / "report/index.html")}


def _installed(release: Path, environment: Path) -> Path:
    """The command `forgeteval` of a new environment that holds the wheels and what the lock lists."""
    envs = environment.with_name("envs")
    envs.mkdir()
    for lock in ("pipeline.lock", "build.lock"):
        shutil.copyfile(release / lock, envs / lock)
    write_text(envs / "pipeline.extras.yaml", f"built: [{', '.join(_SOURCES)}]\n")
    build_environment(envs / "pipeline.lock", environment, environment.with_name("packages.txt"))
    install: list[str | Path] = [
        environment / "bin/python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        *sorted(release.glob("*.whl")),
    ]
    _run(install, environment.parent)
    return environment / "bin/forgeteval"


def _audited(command: Path, results: Path) -> str:
    return _run([command, "audit", results], results.parent).splitlines()[0]


def _run(command: Sequence[str | Path], folder: Path) -> str:
    own = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stdout + done.stderr).strip().splitlines()
        raise UserError(f"{Path(command[0]).name} {command[1]}: {'; '.join(said[-3:])}")
    return done.stdout


def main() -> None:
    """Verify from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    with one_line_errors():
        check_python()
        for line in verify_release(given.folder):
            print(line)


if __name__ == "__main__":
    main()
