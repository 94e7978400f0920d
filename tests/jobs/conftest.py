"""The switch of a disturbing case."""

from pathlib import Path

import pytest


@pytest.fixture
def switch(tmp_path: Path) -> Path:
    """Orders are obeyed while this file exists."""
    path = tmp_path / "switch"
    path.touch()
    return path
