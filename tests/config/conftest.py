"""The shipped configuration, for tests of its parts."""

from typing import Any

import pytest

from tests.support.config import shipped


@pytest.fixture
def config() -> dict[str, Any]:
    """The shipped configuration."""
    return shipped()
