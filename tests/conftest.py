"""The option that runs the heavy systems' tests, and bundles of results."""

import shutil
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.bundle import draw, sign_off, write_bundle, write_pages

# How long an example takes is the machine's doing.
settings.register_profile("quick", deadline=None)
settings.register_profile("fuzz", deadline=None, max_examples=2000)
settings.load_profile("quick")
pytest_plugins = ["tests.distribution", "tests.support.bench", "tests.support.forking", "tests.support.suite_results"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--heavy", action="store_true", help="also test the systems marked heavy in config/systems.yaml")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--heavy"):
        return
    skip = pytest.mark.skip(reason="a heavy system: its environment is over 500 MB or needs a compiler; use --heavy")
    for item in items:
        if "heavy" in item.keywords:
            item.add_marker(skip)


@pytest.fixture(scope="session")
def _written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundle")
    write_bundle(folder)
    return folder


@pytest.fixture(scope="session")
def _written_with_figures(_written: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundle_with_figures")
    shutil.copytree(_written, folder, dirs_exist_ok=True)
    draw(folder)
    sign_off(folder)
    write_pages(folder)
    return folder


@pytest.fixture
def bundle(_written: Path, tmp_path: Path) -> Path:
    """A bundle of results with tables, of `tests.support.bundle`, which the test may change."""
    return Path(shutil.copytree(_written, tmp_path / "bundle"))


@pytest.fixture
def bundle_with_figures(_written_with_figures: Path, tmp_path: Path) -> Path:
    """The same with figures and the report."""
    return Path(shutil.copytree(_written_with_figures, tmp_path / "bundle"))
