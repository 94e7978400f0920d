"""Some cases of each category: the first ones, or any, by a seed."""

import random
from collections import defaultdict
from collections.abc import Iterable

from forgeteval.cases.case import Case


def first_of_each_category(cases: Iterable[Case], limit: int) -> list[Case]:
    """The first `limit` cases of each category, in the order of `cases`."""
    return _chosen(list(cases), limit, None)


def any_of_each_category(cases: Iterable[Case], limit: int, seed: int) -> list[Case]:
    """`limit` cases of each category, or all where it has fewer, in the order of `cases`.

    The same seed takes the same cases, and a larger limit these and more.
    """
    return _chosen(list(cases), limit, random.Random(seed))


def _chosen(cases: list[Case], limit: int, generator: random.Random | None) -> list[Case]:
    places: dict[str, list[int]] = defaultdict(list)
    for place, case in enumerate(cases):
        places[case.category].append(place)
    taken = (
        found[:limit] if generator is None else generator.sample(found, len(found))[:limit] for found in places.values()
    )
    return [cases[place] for place in sorted(place for group in taken for place in group)]
