"""The option that runs the heavy systems' tests."""

import pytest

pytest_plugins = ["tests.support.bench", "tests.support.suite_results"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--heavy", action="store_true", help="also test the systems marked heavy in config/systems.yaml")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--heavy"):
        return
    skip = pytest.mark.skip(reason="a heavy system: its environment is over 500 MB or needs a compiler; use --heavy")
    for item in items:
        if "heavy" in item.keywords:
            item.add_marker(skip)
