"""The site: built by its one command, complete, and in need of no network."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from release.verify import Addresses, check_page
from tests.support.markdown import pages
from tests.support.paths import ROOT


@pytest.fixture(scope="module")
def site() -> Path:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path}
    done = subprocess.run(["make", "site"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return ROOT / "build/site"


@pytest.mark.slow
def test_every_page_is_there_and_finds_what_it_names(site: Path) -> None:
    built = {page.stem for page in site.glob("*.html")}
    assert {page.stem for page in pages() if page.parent.name == "docs"} | {"changelog"} <= built
    for page in site.glob("*.html"):
        if page.name != "404.html":  # its addresses are those of a server
            assert check_page(page) > 10


@pytest.mark.slow
def test_the_search_runs_without_a_server(site: Path) -> None:
    assert "assets/iframe-worker.js" in Addresses(site / "index.html").loaded
    assert (site / "search/search_index.js").is_file()


@pytest.mark.slow
def test_python_and_commands_are_described(site: Path) -> None:
    assert 'id="lethe.store.Store.purge"' in (site / "api.html").read_text(encoding="utf-8")
    commands = (site / "commands.html").read_text(encoding="utf-8")
    assert 'id="forgeteval-run"' in commands
    assert 'id="lethe-purge"' in commands
