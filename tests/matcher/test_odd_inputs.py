"""Nothing breaks the matcher: requests meet the memories of other cases, cut, shuffled and spoiled."""

import random

import pytest

from forgeteval.cases.reading import read_cases
from forgeteval.planners.protocol import Choice, Edit, Matches
from lethe.matcher.planner import Matcher
from tests.support.paths import ADVERSARIAL

CASES = read_cases(ADVERSARIAL, "adversarial")


def spoiled(text: str, chance: random.Random) -> str:
    return chance.choice(
        [
            text,
            text[: chance.randint(0, len(text))],
            "".join(chance.sample(text, len(text))),
            text.upper(),
            text.replace(" ", ""),
            f"{text} \0 \U0001f642 {text[::-1]}",
            "",
        ]
    )


def positions(decision: object) -> set[int]:
    """The positions that a purge or release matches; none for any other decision."""
    return set(decision.indices) if isinstance(decision, Matches) else set()


@pytest.mark.parametrize("seed", range(60))
def test_any_request_on_any_memories_is_decided(seed: int) -> None:
    chance, matcher = random.Random(seed), Matcher()
    for _ in range(5):
        mutation = chance.choice(chance.choice(CASES).mutations)
        memories = [spoiled(memory, chance) for memory in chance.choice(CASES).setup_facts]
        query, text = (spoiled(said, chance) for said in (mutation.query, mutation.text or mutation.query))
        shown = set(range(len(memories)))
        assert positions(matcher.purge_match(query, memories)) <= shown
        assert positions(matcher.release_match(query, memories)) <= shown
        choice = matcher.choose(query, text, memories)
        assert not isinstance(choice, Choice) or choice.index in shown
        edit = matcher.supersede(memories[0], query, text)
        assert not isinstance(edit, Edit) or edit.text.startswith(text)
