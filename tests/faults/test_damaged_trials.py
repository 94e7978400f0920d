"""Kept trials that were damaged or edited: named with the line, never believed, never thrown away unasked."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from forgeteval.errors import UserError
from forgeteval.run.replay import Answer, Replay
from lethe.gateway.context import Usage
from lethe.jobs.kept import FinishedTrial, KeptTrials
from lethe.jobs.session import Code
from tests.support.bench import Bench
from tests.support.disturbed import three_cases, times_run

TRIALS = {
    f"key{number}": FinishedTrial(
        "mine", f"c{number}", 0, Replay(answers=[Answer("q", ["Alice rides"], 1.5)]), Usage(number, 10, 1, 0.5)
    )
    for number in range(4)
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "system.trials"
    with KeptTrials(path) as trials:
        for key, trial in TRIALS.items():
            trials.add(key, trial)
    return path


def found(path: Path) -> dict[str, FinishedTrial]:
    with KeptTrials(path) as trials:
        return {key: trial for key in TRIALS if (trial := trials.find(key)) is not None}


def line(path: Path, number: int, change: Callable[[bytes], bytes]) -> None:
    lines = path.read_bytes().split(b"\n")
    lines[number - 1] = change(lines[number - 1])
    path.write_bytes(b"\n".join(lines))


def refused(path: Path, number: int) -> None:
    before = path.read_bytes()
    with pytest.raises(UserError) as caught:
        found(path)
    assert str(caught.value) == (
        f"{path}: line {number} is not as it was written; restore it, or remove it to run its trials again"
    )
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line.replace(b"Alice", b"Nobody"),
        lambda line: line.replace(b'"error": null', b'"error": "x"', 1),
        lambda line: line.replace(b"1.5", b"1.50"),
        lambda line: line.replace(b'"history"', b'"history": "c9", "history"'),
        lambda line: line.replace(b"key2", b"key9"),
        lambda line: b"0" * 16 + line[16:],
        lambda line: line[16:],
        lambda line: line[:20],
        lambda line: b"\0" * len(line),
        lambda line: b"[" * 200_000,
        lambda line: b"[]",
        lambda line: b"",
        lambda line: b'"\xff"',
        lambda line: line + b" ",
    ],
)
def test_a_changed_line_is_named(path: Path, change: Callable[[bytes], bytes]) -> None:
    line(path, 3, change)
    refused(path, 3)


def test_a_line_that_was_removed_or_moved_makes_no_trial_another(path: Path) -> None:
    """Each trial stands for itself: what is removed runs again, and order means nothing."""
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[2], lines[0], lines[1]]))
    assert found(path) == {key: trial for key, trial in TRIALS.items() if key != "key3"}


def test_lines_of_another_configuration_stand_for_no_trial_of_this_one(bench: Bench, tmp_path: Path) -> None:
    runs, other = tmp_path / "runs", Bench(tmp_path / "other")
    other.run(three_cases(runs=runs), code=Code("another code"))
    bench.run(three_cases(runs=runs)[:1])
    bench.kept.write_bytes(bench.kept.read_bytes() + other.kept.read_bytes())
    bench.run(three_cases(runs=runs))
    assert times_run(runs) == [2, 2, 2]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(at=st.integers(0, 3000), new=st.binary(max_size=3), cut=st.booleans())
def test_whatever_the_damage_no_trial_is_made_up(path: Path, at: int, new: bytes, cut: bool) -> None:
    whole = path.read_bytes()
    try:
        path.write_bytes(whole[:at] + new + (b"" if cut else whole[at + len(new) :]))
        assert found(path).items() <= TRIALS.items()
    except UserError as error:
        assert str(path) in str(error) and "\n" not in str(error)
    finally:
        path.write_bytes(whole)
