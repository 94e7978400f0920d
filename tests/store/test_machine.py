"""The state machine of the store (`machine.py`), for as many seconds as LETHE_MACHINE_SECONDS says, by default 20."""

import os
import time

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.store.machine import Machine

SECONDS = float(os.environ.get("LETHE_MACHINE_SECONDS", "20"))
PART = settings(
    max_examples=25,
    stateful_step_count=50,
    deadline=None,
    database=None,
    derandomize=False,
    suppress_health_check=list(HealthCheck),
)


def test_two_connections_do_what_a_plain_model_expects() -> None:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        run_state_machine_as_test(Machine, settings=PART)
    print(f"{Machine.examples} examples, {Machine.steps} steps")
    assert Machine.steps
