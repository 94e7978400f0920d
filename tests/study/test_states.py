"""Leak, collateral and stale rates, by operation and category, with intervals over clusters."""

from typing import Any

import pytest

from forgeteval.cases.case import Case, Mutation
from forgeteval.cases.states import FactState
from forgeteval.run.facts import MEASURES, wrong
from forgeteval.scoring.intervals import wilson, wilson_of_clusters
from lethe.parquet import Row
from lethe.study.states import state_rows


def case(name: str, ops: tuple[str, ...], *states: str) -> Case:
    mutations = tuple(Mutation(op, "q", "new" if op == "supersede" else None) for op in ops)  # type: ignore[arg-type]
    facts = tuple(f"fact {number}" for number in range(len(states)))
    found = tuple(FactState(number, state, (str(number),)) for number, state in enumerate(states))  # type: ignore[arg-type]
    return Case(name, "mine", "drift", facts, mutations, "?", (), (), states=found)


def trial(case_id: str, present: list[bool], verdict: str = "fail", system: str = "s") -> dict[str, Any]:
    return {
        "suite": "mine", "system": system, "model": "", "repetition": 0, "case_id": case_id, "verdict": verdict,
        "present": present,
    }  # fmt: skip


def wrong_of(of: Case, row: dict[str, Any]) -> dict[str, list[FactState]]:
    return wrong(of, row["verdict"], row["present"])


CASES = [
    case("one", ("purge",), "purged", "purged", "stays", "stays"),
    case("two", ("supersede", "release"), "replaced", "released", "stays", "either"),
]


def rates(rows: list[dict[str, Any]], cut: str, value: str) -> dict[str, tuple[int, int]]:
    return {
        row["measure"]: (row["counted"], row["facts"]) for row in rows if (row["cut"], row["value"]) == (cut, value)
    }


def test_facts_are_counted_by_state() -> None:
    trials: list[Row] = [trial("one", [True, False, True, False]), trial("two", [True, False, True, True])]
    rows = state_rows(CASES, trials)
    everything = {"leak": (1, 3), "collateral": (1, 3), "stale": (1, 1)}
    assert rates(rows, "overall", "all") == rates(rows, "category", "drift") == everything
    assert rates(rows, "operation", "purge") == {"leak": (1, 2), "collateral": (1, 2)}
    assert rates(rows, "operation", "release") == {"leak": (0, 1)}
    assert rates(rows, "operation", "supersede") == {"stale": (1, 1)}


def test_the_facts_behind_a_rate_are_as_many_as_it_counts() -> None:
    trials: list[Row] = [trial("one", [True, False, True, False]), trial("two", [True, False, True, True])]
    named = [wrong_of(*pair) for pair in zip(CASES, trials, strict=True)]
    counted = rates(state_rows(CASES, trials), "overall", "all")
    assert {measure: sum(len(each[measure]) for each in named) for measure in MEASURES} == {
        measure: number for measure, (number, _) in counted.items()
    }
    assert [state.fact for state in named[0]["leak"]] == [0] and [state.fact for state in named[0]["collateral"]] == [3]


@pytest.mark.parametrize("verdict", ["na", "error"])
def test_what_was_not_reached_is_not_counted(verdict: str) -> None:
    unreached = [trial("one", [True] * 4, verdict), trial("two", [])]
    assert state_rows(CASES, unreached) == []
    assert not any(any(wrong_of(*pair).values()) for pair in zip(CASES, unreached, strict=True))


def test_systems_stand_apart() -> None:
    rows = state_rows(CASES, [trial("one", [True] * 4), trial("one", [False] * 4, system="t")])
    leaks = {row["system"]: row["rate"] for row in rows if (row["measure"], row["cut"]) == ("leak", "overall")}
    assert leaks == {"s": 1.0, "t": 0.0}


def test_running_a_case_again_makes_no_rate_surer() -> None:
    cases = [case(str(number), ("purge",), "purged") for number in range(10)]
    trials = [trial(each.case_id, [number < 4]) for number, each in enumerate(cases)]
    [once] = [row for row in state_rows(cases, trials) if (row["cut"], row["measure"]) == ("overall", "leak")]
    [often] = [row for row in state_rows(cases, trials * 5) if (row["cut"], row["measure"]) == ("overall", "leak")]
    assert (once["facts"], often["facts"]) == (10, 50)
    assert (often["trials"], often["low"]) == (10, pytest.approx(once["low"], abs=0.01))


def test_the_interval_of_single_facts_is_wilsons() -> None:
    clusters = [(1, 1)] * 30 + [(0, 1)] * 70
    assert wilson_of_clusters(clusters) == pytest.approx(wilson(30, 100), abs=0.01)


def test_facts_that_go_together_count_as_one() -> None:
    """Ten cases of ten facts each, in each of which all leak or none."""
    together = wilson_of_clusters([(10, 10)] * 3 + [(0, 10)] * 7)
    assert together == pytest.approx(wilson(3, 10), abs=0.04)
    apart = wilson_of_clusters([(3, 10)] * 10)
    assert apart == pytest.approx(wilson(30, 100), abs=0.001)


def test_the_interval_is_the_same_in_any_order_and_so_on_any_python() -> None:
    """`sum` of Python 3.12 adds otherwise than that of 3.11."""
    clusters = [(1, 2), (1, 1), (2, 2), (0, 2)]
    assert wilson_of_clusters(clusters) == wilson_of_clusters(clusters[::-1])


def test_nothing_and_everything_have_an_interval_by_cases() -> None:
    assert wilson_of_clusters([(0, 9)] * 20) == pytest.approx(wilson(0, 20))
    assert wilson_of_clusters([(9, 9)] * 20) == pytest.approx(wilson(20, 20))


@pytest.mark.parametrize("counted", [0, 2])
def test_an_interval_holds_its_rate(counted: int) -> None:
    intervals = [wilson_of_clusters([(counted, 2)] * number) for number in range(1, 200)]
    assert all(low <= counted / 2 <= high for low, high in intervals)
    assert all(low <= counted / 2 <= high for low, high in (wilson(counted * n // 2, n) for n in range(1, 200)))
