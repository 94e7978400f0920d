from collections.abc import Iterator
from pathlib import Path

import pytest

from lethe.store import Store
from tests.support.hash_embedder import DIM, Clock, hash_embed


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(clock: Clock) -> Iterator[Store]:
    with Store(embed=hash_embed, dim=DIM, clock=clock) as opened:
        yield opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memories.db"


@pytest.fixture
def file_store(path: Path, clock: Clock) -> Iterator[Store]:
    with Store(path, embed=hash_embed, dim=DIM, clock=clock) as opened:
        yield opened
