"""memoryeval's thirty scenarios on the store; times are left out, since they are those of the machine."""

import asyncio

import pytest

pytest.importorskip("memeval", reason="needs memoryeval (envs/frameworks.lock)")

import memeval

from tests.support.memory_eval import LetheAdapter


def test_all_scenarios_pass() -> None:
    results = asyncio.run(memeval.evaluate(LetheAdapter()))
    failed = {
        result.scenario.name
        for result in results
        if any(step.assertion_passed is False for step in result.step_results)
        or any(not met.passed for name, met in result.metric_results.items() if name != "latency_cost")
    }
    assert len(results) == 30 and not failed
