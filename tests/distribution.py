"""How tests are shared between processes (`pytest --numprocesses logical`)."""

import pytest
from xdist.scheduler import LoadScopeScheduling

TOGETHER = ("tests/workflow/", "tests/systems/", "tests/serving/", "tests/embedding/", "tests/forgeteval/examples/")
"""Folders of tests that build environments or run the workflow, which locks its folder: one process runs them all."""
WAITING = "tests/cluster/"
"""Tests that mostly wait, so that they begin beside those that use every core."""


class Distribution(LoadScopeScheduling):
    """Sends the tests of a file to one process, and those of all files in `TOGETHER` to one, which begins with them."""

    def _split_scope(self, nodeid: str) -> str:
        return "together" if nodeid.startswith(TOGETHER) else nodeid.partition("::")[0]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: (not item.nodeid.startswith(TOGETHER), not item.nodeid.startswith(WAITING)))


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Distribution:
    config.option.loadscopereorder = False
    return Distribution(config, log)
