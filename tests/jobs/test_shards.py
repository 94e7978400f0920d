"""Shards: parts of a suite, and what becomes of their trials."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forgeteval.errors import UserError
from lethe.config.configurations import Configuration
from lethe.jobs.shards import Shard, join_shards, shards_of
from lethe.jobs.trials import run_cases
from tests.support.bench import Bench, make_case, timeless
from tests.support.disturbed import FAILING, three_cases


@given(st.integers(0, 50), st.integers(1, 20))
def test_every_case_is_in_one_shard_and_none_is_much_larger(cases: int, of: int) -> None:
    parts = [Shard(number, of).cases(range(cases)) for number in range(of)]
    assert [case for part in parts for case in part] == list(range(cases))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_the_trials_of_shards_are_those_of_one_job(bench: Bench) -> None:
    cases = [*three_cases(), make_case("c3", FAILING, "who rides", ["unicycle"], ["tandem"])]
    whole = bench.run(cases, repetitions=2)
    parts = [bench.run(Shard(number, 3).cases(cases), repetitions=2, fingerprint=str(number)) for number in range(3)]
    assert timeless(join_shards(parts, "sut")) == timeless(whole)


def test_that_every_trial_broke_is_said_of_the_whole_alone(bench: Bench) -> None:
    broken = {"verdict": "error", "repetition": 0, "model": "", "error": "the shelf fell down"}
    with pytest.raises(UserError, match="sut: every one of 2 trials broke, the first with: the shelf fell down"):
        join_shards([[broken], [], [broken]], "sut")
    assert len(join_shards([[broken], [{**broken, "verdict": "pass"}]], "sut")) == 2
    assert len(join_shards([[{**broken, "model": "m"}]], "sut")) == 1


def test_how_many_shards_is_said_for_all_or_by_system_or_configuration() -> None:
    entry = Configuration("lethe+llm", model="m")
    assert shards_of(4, entry) == 4
    assert shards_of({}, entry) == 1
    assert shards_of({"lethe+llm": 3, "lethe": 9}, entry) == 3
    assert shards_of({"lethe+llm": 3, "lethe+llm@m": 5}, entry) == 5
    assert shards_of(4, Configuration("mem0_paper", in_order=True)) == 1


def test_a_part_whose_every_trial_broke_is_no_error(bench: Bench, switch: Path) -> None:
    case = make_case("c0", [f"!fail {switch}"], "q")
    with run_cases(bench.session("Obedient"), [case], part=True) as rows:
        assert [row["verdict"] for row in rows] == ["error"]
