"""Nothing breaks the matcher: requests meet the memories of other cases, cut, shuffled and spoiled."""

import random

import pytest

from forgeteval.cases.reading import read_cases
from forgeteval.planners.protocol import Decision, Meant
from lethe.matcher.planner import Matcher
from tests.support.paths import ADVERSARIAL
from tests.support.scripted_planner import candidates

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


def positions(decision: Decision) -> set[int]:
    """The positions of the memories that a decision names."""
    return set(decision.named if isinstance(decision, Meant) else decision.candidates)


@pytest.mark.parametrize("call", [("supersede", "who runs it", "Ada runs it"), ("release", "it"), ("purge", "it")])
def test_of_no_memories_none_is_meant(call: tuple[str, ...]) -> None:
    method, *arguments = call
    decision = getattr(Matcher(), method)(*arguments, [])
    assert isinstance(decision, Meant) and decision.named == ()


@pytest.mark.parametrize("seed", range(60))
def test_any_request_on_any_memories_is_decided(seed: int) -> None:
    chance, matcher = random.Random(seed), Matcher()
    for _ in range(5):
        mutation = chance.choice(chance.choice(CASES).mutations)
        memories = candidates(*(spoiled(memory, chance) for memory in chance.choice(CASES).setup_facts))
        query, text = (spoiled(said, chance) for said in (mutation.query, mutation.text or mutation.query))
        shown = set(range(len(memories)))
        assert positions(matcher.purge(query, memories)) <= shown
        assert positions(matcher.release(query, memories)) <= shown
        for among in (memories, memories[:1]):
            decision = matcher.supersede(query, text, among)
            assert positions(decision) <= set(range(len(among)))
