"""A bundle that was handed in."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lethe.trust.submit import submit
from tests.support.paths import ROOT

Hand = Callable[[str], Path]


@pytest.fixture
def hand_in(bundle: Path, tmp_path: Path) -> Hand:
    """Makes the file that hands in a configuration of the small results."""

    def made(name: str) -> Path:
        file = tmp_path / f"{name}.tar.gz"
        submit(bundle, name, "Ana", file, ROOT)
        return file

    return made


@pytest.fixture
def handed(hand_in: Hand) -> Path:
    """The file that hands in Naive SQL."""
    return hand_in("naive_sql")
