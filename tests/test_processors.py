"""Processors of one's own, on machines that are invented: no two jobs hold the same, and whoever ends gives it back."""

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from lethe import processors
from lethe.processors import own_processor

HOLDER = """
import os
os.sched_getaffinity = lambda _: {300, 301}
from lethe.processors import own_processor
with own_processor() as held:
    print(*held, flush=True)
    input()
"""


def machine(monkeypatch: pytest.MonkeyPatch, *numbers: int) -> None:
    """Let this process be on a machine with these processors; each test has others, since tests run side by side."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(numbers))


def test_no_two_hold_the_same_and_the_last_ones_share_all(monkeypatch: pytest.MonkeyPatch) -> None:
    machine(monkeypatch, 200, 201)
    with ExitStack() as stack:
        assert [stack.enter_context(own_processor()) for _ in range(3)] == [{200}, {201}, {200, 201}]
    with own_processor() as again:
        assert again == {200}


def test_cores_come_before_second_threads_of_a_core(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    machine(monkeypatch, 220, 221, 222, 223)
    for number, siblings in {220: "220-221", 221: "220-221", 222: "222,223", 223: "222,223"}.items():
        (tmp_path / str(number)).write_text(f"{siblings}\n", encoding="ascii")
    monkeypatch.setattr(processors, "_SIBLINGS", f"{tmp_path}/{{}}")
    with ExitStack() as stack:
        assert [stack.enter_context(own_processor()) for _ in range(4)] == [{220}, {222}, {221}, {223}]


def test_a_killed_process_holds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    machine(monkeypatch, 300, 301)
    process = subprocess.Popen([sys.executable, "-c", HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "300\n"
    with own_processor() as other:
        assert other == {301}
    process.kill()
    process.communicate()
    with own_processor() as free:
        assert free == {300}
