"""Six facts about pilots, and a case for each way to change each of them."""

from typing import Any

from tests.support.bench import make_case

TOWNS = ["Ghent", "Tartu", "Leiden", "Varna", "Bergen", "Cusco"]
FACTS = [f"Pilot {name} keeps a {thing} in {town}" for name, thing, town in zip(
    ["Aluko", "Brandt", "Cheng", "Duarte", "Eriksen", "Farouk"],
    ["glider", "kayak", "loom", "forge", "telescope", "harp"],
    TOWNS, strict=True,
)]  # fmt: skip
EVERYTHING = "What does each pilot keep, and where?"


def _cases() -> list[Any]:
    """Each fact changed in each way, and chains of changes; a purge meets the same fact twice."""
    cases = []
    for number, (fact, town) in enumerate(zip(FACTS, TOWNS, strict=True)):
        query, rest = " ".join(fact.split()[:5]), [other for other in FACTS if other != fact]
        moved = fact.replace(town, "Hobart")
        for name, facts, mutations in (
            ("supersede", FACTS, [("supersede", query, moved)]),
            ("chain", FACTS, [("supersede", query, moved), ("supersede", moved, fact.replace(town, "Lima"))]),
            ("release", FACTS, [("release", query)]),
            ("purge", [*FACTS, fact], [("purge", query)]),
            ("both", FACTS, [("release", rest[0]), ("purge", query), ("supersede", rest[1], "Nobody keeps anything")]),
        ):
            cases.append(make_case(f"{name}_{number}", facts, EVERYTHING, must_not=[fact], mutations=mutations))
    return cases


CASES = _cases()
