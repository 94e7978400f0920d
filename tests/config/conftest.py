"""The shipped configuration, for tests of its parts."""

from typing import Any

import pytest

from tests.support.config import FILES, load


@pytest.fixture
def config() -> dict[str, Any]:
    """The shipped configuration, merged as the Snakefile merges it."""
    merged: dict[str, Any] = {}
    for name in FILES:
        merged.update(load(name))
    return merged
