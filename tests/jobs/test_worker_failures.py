"""Workers that die or hang in the middle of a run."""

import time
from pathlib import Path

import pytest

from forgeteval.errors import UserError
from tests.support.bench import Bench, make_case, timeless
from tests.support.disturbed import PASSING, ended, gone, kept, left_behind, three_cases, times_run


@pytest.mark.parametrize(
    ("order", "how"),
    [("!exit", "exit code 3"), ("!sigkill", "signal SIGKILL"), ("!sigrt", "signal 40")],
)
@pytest.mark.usefixtures("each_way_of_starting")
def test_a_dying_worker_stops_the_run_which_then_goes_on(
    bench: Bench, tmp_path: Path, switch: Path, order: str, how: str
) -> None:
    runs = tmp_path / "runs"
    cases = three_cases(order, switch, runs=runs)
    with pytest.raises(UserError) as caught:
        bench.run(cases)
    message = str(caught.value)
    for part in ("sut", "c1", how, str(bench.kept), str(bench.log)):
        assert part in message
    assert "\n" not in message
    assert kept(bench) == ["c0"]
    assert left_behind(bench) == ["sut.trials"]
    switch.unlink()
    resumed = bench.run(cases)
    assert times_run(runs) == [1, 3, 1]
    assert timeless(resumed) == timeless(Bench(tmp_path / "undisturbed").run(cases))
    assert left_behind(bench) == ["sut.trials"]


def test_a_case_whose_worker_fails_once_runs_once_more(
    bench: Bench, tmp_path: Path, switch: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    runs = tmp_path / "runs"
    rows = bench.run(three_cases("!exit_once", switch, runs=runs))
    assert [row["verdict"] for row in rows] == ["pass"] * 3
    assert times_run(runs) == [1, 2, 1]
    assert "the worker died at case c1 (exit code 3); it said nothing; it runs once more" in capfd.readouterr().err


def test_a_copy_of_a_worker_that_its_system_forked_answers_nothing(bench: Bench, switch: Path) -> None:
    rows = bench.run(three_cases("!fork", switch))
    assert [row["verdict"] for row in rows] == ["pass"] * 3
    assert "a process that the store forked has no part in the trial" in bench.logged()


def test_a_worker_that_dies_again_stops_again_without_losing_anything(
    bench: Bench, tmp_path: Path, switch: Path
) -> None:
    runs = tmp_path / "runs"
    cases = three_cases("!exit", switch, runs=runs)
    for _ in range(2):
        with pytest.raises(UserError, match="c1"):
            bench.run(cases)
    assert times_run(runs) == [1, 4, 0]
    assert kept(bench) == ["c0"]


@pytest.mark.usefixtures("each_way_of_starting")
def test_the_message_repeats_what_a_dying_worker_said_last(bench: Bench, switch: Path) -> None:
    with pytest.raises(UserError, match="the pipes have burst"):
        bench.run(three_cases("!say_and_exit", switch))


@pytest.mark.usefixtures("each_way_of_starting")
def test_a_worker_that_dies_without_a_word_is_said_to_have_said_nothing(bench: Bench, switch: Path) -> None:
    with pytest.raises(UserError, match="it said nothing"):
        bench.run(three_cases("!exit", switch))
    assert bench.log.read_bytes() == b""


def test_the_message_does_not_repeat_what_another_worker_said(bench: Bench, switch: Path) -> None:
    with pytest.raises(UserError):
        bench.run(three_cases("!say_and_exit", switch))
    with pytest.raises(UserError) as caught:
        bench.run(three_cases("!exit", switch))
    assert "the pipes have burst" not in str(caught.value)


def test_a_hanging_case_stops_the_run_which_then_goes_on(bench: Bench, tmp_path: Path, switch: Path) -> None:
    runs = tmp_path / "runs"
    cases = three_cases("!hang", switch, runs=runs)
    started = time.monotonic()
    with pytest.raises(UserError) as caught:
        bench.run(cases, limit_s=1.0)
    assert time.monotonic() - started < 15
    message = str(caught.value)
    for part in ("sut", "hung", "c1", "1 s", str(bench.kept), str(bench.log)):
        assert part in message
    assert kept(bench) == ["c0"]
    switch.unlink()
    resumed = bench.run(cases, limit_s=20.0)
    assert times_run(runs) == [1, 3, 1]
    assert timeless(resumed) == timeless(Bench(tmp_path / "undisturbed").run(cases))


def test_a_hung_worker_names_the_whole_limit(bench: Bench) -> None:
    case = make_case("c", PASSING, "unicycle", ["unicycle"])
    with pytest.raises(UserError) as caught:
        bench.run([case], "EmbeddingLateThenHanging", limit_s=3.0)
    assert "for 3 s" in str(caught.value)


@pytest.mark.parametrize(("order", "how"), [("!exit", "died"), ("!sigkill", "SIGKILL"), ("!hang", "hung")])
@pytest.mark.parametrize("at", [0, 2])
def test_worker_failures_can_be_recorded(
    bench: Bench, tmp_path: Path, switch: Path, order: str, how: str, at: int
) -> None:
    runs = tmp_path / "runs"
    cases = three_cases(order, switch, at=at, runs=runs)
    rows = bench.run(cases, worker_failure="record", limit_s=1.5)
    expected = ["pass"] * 3
    expected[at] = "error"
    assert [row["verdict"] for row in rows] == expected
    assert how in rows[at]["error"]
    assert rows[at]["probed_verdict"] is None
    assert set(rows[at]) == set(rows[1])
    assert times_run(runs) == [1, 1, 1]
    assert left_behind(bench) == ["sut.trials"]


def test_a_stopped_run_can_go_on_by_recording(bench: Bench, tmp_path: Path, switch: Path) -> None:
    runs = tmp_path / "runs"
    cases = three_cases("!exit", switch, runs=runs)
    with pytest.raises(UserError):
        bench.run(cases)
    rows = bench.run(cases, worker_failure="record")
    assert [row["verdict"] for row in rows] == ["pass", "error", "pass"]
    assert times_run(runs) == [1, 3, 1]


def test_children_of_a_hung_worker_are_ended(bench: Bench, tmp_path: Path, switch: Path) -> None:
    child = tmp_path / "child"
    case = make_case("c", [f"!child {child}", f"!hang {switch}"], "q")
    with ended(child):
        with pytest.raises(UserError, match="hung"):
            bench.run([case], limit_s=1.0)
        assert gone(child, within_s=5)


def test_children_of_a_finished_worker_are_ended(bench: Bench, tmp_path: Path) -> None:
    child = tmp_path / "child"
    with ended(child):
        bench.run([make_case("c", [*PASSING, f"!child {child}"], "q")])
        assert gone(child, within_s=5)
