"""The pieces of a memory."""

import pytest

from lethe.planners.matcher.clauses.splitting import split


@pytest.mark.parametrize(
    "memory", [",", " , ", "Moss, : ,", "and", "; ,", "GATE KEY FOR THE GARDENER WHILE WE ARE AWAY: 5502."]
)
def test_an_odd_memory_is_one_piece_or_more(memory: str) -> None:
    assert split(memory)
