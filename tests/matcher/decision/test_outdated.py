from collections.abc import Sequence

import pytest

from lethe.matcher.decision.outdated import outdated, statements
from lethe.matcher.decision.trees import Floats
from lethe.matcher.decision.weights import shipped
from tests.support.bench import HashEmbedder


@pytest.mark.parametrize(
    "memory",
    [
        "Ana lives in Porto; her brother Rui lives in Braga.",
        "The ferry sails at 09:40 and the cabin is on deck 6, but breakfast is not included.",
        "「鍵は棚の上にある。猫は庭にいる。」",
        "Ana lives in Porto.",
        "",
    ],
)
def test_what_is_embedded_of_a_memory_is_its_statements(memory: str) -> None:
    asked: list[str] = []

    def embed(texts: Sequence[str]) -> Floats:
        asked.extend(texts[2:])
        return HashEmbedder().embed(texts).astype("float64")

    outdated(memory, "where Ana lives", "Ana lives in Lisbon.", None, embed, shipped())

    assert asked == statements(memory)


def test_a_memory_of_two_statements_has_two() -> None:
    assert len(statements("Ana lives in Porto; her brother Rui lives in Braga.")) == 2
