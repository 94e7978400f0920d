"""How many memories a hook chose is set beside how many were meant."""

from typing import Any

from forgeteval.cases.case import Case, Mutation
from lethe.study.hook_choices import hook_choice_rows


def case(name: str, *mutations: Mutation, gold: tuple[str, ...] | None = ("c", "d")) -> Case:
    return Case(name, "s", "negation_trap", ("a", "b", "c", "d"), mutations, "q", (), (), gold_rows=gold)


def trial(name: str, *decisions: str) -> dict[str, Any]:
    return {"suite": "s", "system": "x", "model": "m", "case_id": name, "decisions": list(decisions)}


def test_decisions_are_counted_by_what_they_chose() -> None:
    purge, release = Mutation("purge", "q"), Mutation("release", "q")
    cases = [case(name, purge) for name in ("all", "right", "none", "partly")]
    cases += [case("released", release), case("two", purge, release), case("unknown", purge, gold=None)]
    trials = [
        trial("all", "purge: 4 of 4 memories"),
        trial("right", "purge: 2 of 4 memories (both name it)"),
        trial("partly", "purge: 0 of 4 memories, 1 in part"),
        trial("none", "purge: fallback (no usable decision)"),
        trial("released", "release: 3 of 4 memories"),
        trial("two", "purge: 4 of 4 memories", "release: 4 of 4 memories"),
        trial("unknown", "purge: 4 of 4 memories"),
    ]
    purges, releases = hook_choice_rows(cases, trials)
    expected = {"decisions": 3, "undecided": 1, "chosen": 7, "meant": 6, "shown": 12}
    assert expected.items() <= purges.items()
    assert {"as_many": 1, "fewer": 1, "more": 1, "every": 1}.items() <= purges.items()
    assert {"operation": "release", "chosen": 3, "meant": 2, "more": 1, "every": 0}.items() <= releases.items()


def test_supersessions_and_trials_without_a_hook_do_not_count() -> None:
    cases = [case("s", Mutation("supersede", "q", "new")), case("p", Mutation("purge", "q"))]
    assert hook_choice_rows(cases, [trial("s", "supersede: replace"), trial("p")]) == []
