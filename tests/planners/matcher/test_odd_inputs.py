"""No request and no rows break the planner: requests meet the rows of other cases, cut, shuffled and spoiled."""

import random

import pytest

from lethe.cases.written import read_written
from lethe.planners.matcher import Matcher
from lethe.planners.matcher.clauses.splitting import split
from tests.support.paths import ADVERSARIAL

CASES = read_written("adversarial", ADVERSARIAL)


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


@pytest.mark.parametrize("seed", range(60))
def test_any_request_on_any_rows_is_decided(seed: int) -> None:
    chance, planner = random.Random(seed), Matcher()
    for _ in range(5):
        mutation = chance.choice(chance.choice(CASES).mutations)
        rows = [spoiled(row, chance) for row in chance.choice(CASES).setup_facts]
        query, text = (spoiled(said, chance) for said in (mutation.query, mutation.text or mutation.query))
        planner.purge_match(query, rows)
        planner.release_match(query, rows)
        planner.choose(query, text, rows)
        planner.supersede(rows[0], query, text)


@pytest.mark.parametrize(
    "row", [",", " , ", "Moss, : ,", "and", "; ,", "GATE KEY FOR THE GARDENER WHILE WE ARE AWAY: 5502."]
)
def test_an_odd_row_is_one_piece_or_more(row: str) -> None:
    assert split(row)
