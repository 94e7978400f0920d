"""Processors of one's own: no two jobs hold the same, and whoever ends gives it back."""

import os
import subprocess
import sys
from contextlib import ExitStack

import pytest

from lethe.processors import own_processor

OURS = os.sched_getaffinity(0)
pytestmark = pytest.mark.skipif(len(OURS) == 1, reason="there is one processor")
HOLDER = """
from lethe.processors import own_processor
with own_processor() as held:
    print(*held, flush=True)
    input()
"""


def test_no_two_hold_the_same_and_the_last_ones_share_all() -> None:
    with ExitStack() as stack:
        held = [stack.enter_context(own_processor()) for _ in range(len(OURS) + 1)]
        single = [next(iter(each)) for each in held if len(each) == 1]
        assert len(single) == len(set(single)) and held[-1] == OURS
    with own_processor() as again:
        assert len(again) == 1 or again == OURS, "another workflow may hold them"


def test_a_killed_process_holds_nothing() -> None:
    process = subprocess.Popen([sys.executable, "-c", HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    held = set(map(int, process.stdout.readline().split()))
    with own_processor() as other:
        assert len(held) > 1 or other != held
    process.kill()
    process.communicate()
    with ExitStack() as stack:
        free = set().union(*(stack.enter_context(own_processor()) for _ in OURS))
        assert held <= free
