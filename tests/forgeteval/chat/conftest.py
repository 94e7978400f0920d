"""`forgeteval run` with a chat model that a test scripts."""

from collections.abc import Callable

import pytest
from typer.testing import Result

from tests.forgeteval.cli.conftest import Command, command, folder, run
from tests.gateway.conftest import dead_url, endpoint, key_and_short_waits, server
from tests.support.scripted_endpoint import ScriptedEndpoint

__all__ = ["command", "dead_url", "endpoint", "folder", "key_and_short_waits", "run", "server"]
RunModel = Callable[..., Result]


@pytest.fixture
def run_model(run: Command, endpoint: ScriptedEndpoint) -> RunModel:
    """`forgeteval run` on a shelf with the model `small`, on the first cases."""

    def run_it(*arguments: str, base_url: str = "", limit: int = 5) -> Result:
        asked = ("--model", "small", "--base-url", base_url or endpoint.url, "--key-env", "", "--limit", str(limit))
        return run("shelves:Shelf", *asked, *arguments)

    return run_it
