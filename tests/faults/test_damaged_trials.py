"""Journals that were damaged or edited: named with the line, never believed, never thrown away unasked."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lethe.jobs.journal import FinishedTrial, Journal

from forgeteval.errors import UserError
from forgeteval.run.replay import Answer, Replay
from lethe.gateway.context import Usage

TRIALS = [
    FinishedTrial(f"c{number}", 0, Replay(answers=[Answer("q", ["Alice rides"], 1.5)]), Usage(number, 10, 1, 0.5))
    for number in range(4)
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "system.jsonl"
    with Journal(path, "f") as journal:
        for trial in TRIALS:
            journal.append(trial)
    return path


def resumed(path: Path) -> list[FinishedTrial]:
    with Journal(path, "f") as journal:
        return journal.trials


def line(path: Path, number: int, change: Callable[[bytes], bytes]) -> None:
    lines = path.read_bytes().split(b"\n")
    lines[number - 1] = change(lines[number - 1])
    path.write_bytes(b"\n".join(lines))


def refused(path: Path, number: int) -> None:
    before = path.read_bytes()
    with pytest.raises(UserError) as caught:
        resumed(path)
    assert str(caught.value) == (
        f"{path}: line {number} is not as it was written; restore the file, or remove it to run its trials again"
    )
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line.replace(b"Alice", b"Nobody"),
        lambda line: line.replace(b'"error": null', b'"error": "x"', 1),
        lambda line: line.replace(b"1.5", b"1.50"),
        lambda line: line.replace(b'{"history"', b'{"history": "c9", "history"'),
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


def test_a_line_that_was_removed_or_moved_is_noticed(path: Path) -> None:
    whole = path.read_bytes()
    lines = whole.split(b"\n")
    path.write_bytes(b"\n".join([*lines[:2], *lines[3:]]))
    refused(path, 3)
    path.write_bytes(b"\n".join([lines[0], lines[2], lines[1], *lines[3:]]))
    refused(path, 2)


def test_lines_of_another_journal_do_not_fit(path: Path, tmp_path: Path) -> None:
    with Journal(tmp_path / "other.jsonl", "g") as other:
        other.append(TRIALS[0])
    foreign = (tmp_path / "other.jsonl").read_bytes().split(b"\n")[1]
    line(path, 2, lambda _: foreign)
    refused(path, 2)


@pytest.mark.parametrize("first", [b"garbage", b"[1]", b'{"fingerprint": "f"}', b'{"fingerprint": "f", "checksum": 1}'])
def test_a_damaged_first_line_is_named(path: Path, first: bytes) -> None:
    line(path, 1, lambda _: first)
    refused(path, 1)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(at=st.integers(0, 3000), new=st.binary(max_size=3), cut=st.booleans())
def test_whatever_the_damage_no_trial_is_made_up(path: Path, at: int, new: bytes, cut: bool) -> None:
    whole = path.read_bytes()
    try:
        path.write_bytes(whole[:at] + new + (b"" if cut else whole[at + len(new) :]))
        found = resumed(path)
        assert found == TRIALS[: len(found)]
    except UserError as error:
        assert str(path) in str(error) and "\n" not in str(error)
    finally:
        path.write_bytes(whole)
