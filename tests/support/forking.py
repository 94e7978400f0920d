"""Fixtures of tests whose workers are started, or forked from a server as in a workflow."""

import os
import sys
from collections.abc import Iterator

import pytest

from lethe.jobs import forks
from tests.support.paths import ROOT


@pytest.fixture
def forking() -> Iterator[None]:
    """Workers are forked from a server of this process."""
    server = forks.ForkServer.started(sys.executable, [], {**os.environ, "PYTHONPATH": str(ROOT)})
    forks._here[:] = [server]
    yield
    forks._here.clear()
    server.close()


@pytest.fixture(params=["started", "forked"])
def each_way_of_starting(request: pytest.FixtureRequest) -> None:
    """The test runs twice: its workers are started, then forked."""
    if request.param == "forked":
        request.getfixturevalue("forking")
