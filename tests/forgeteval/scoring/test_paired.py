"""Paired comparisons of two systems on the same cases."""

import math

import pytest

from forgeteval.scoring.paired import mcnemar_exact


@pytest.mark.parametrize(("first", "second"), [(0, 1), (3, 3), (34, 16), (150, 197)])
def test_a_p_value_is_the_binomial_tail(first: int, second: int) -> None:
    discordant, least = first + second, min(first, second)
    ways = sum(math.comb(discordant, fewer) for fewer in range(least + 1))
    assert mcnemar_exact(first, second) == min(1.0, 2 * ways / 2**discordant)


def test_many_discordant_cases_take_no_time() -> None:
    # Term by term from the binomial coefficients, these took more than a minute.
    assert round(mcnemar_exact(10_100, 9_900), 4) == 0.1594
