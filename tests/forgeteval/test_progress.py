"""The time that is said to be left: of a run that goes on, it follows from what was done since."""

import time

import pytest

from forgeteval.progress import progress


@pytest.mark.parametrize(
    ("total", "before", "left"), [(1000, 0, 1960), (1000, 900, 160), (1000, 980, 0)], ids=["new", "resumed", "last"]
)
def test_the_time_left_of_a_run_that_goes_on_counts_what_was_done_since(
    total: int, before: int, left: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seconds = iter([0.0, 20.0, 40.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(seconds))
    with progress("box on mine", total, before) as advance:
        advance(10)
        advance(10)
    # Two seconds for each item of this process, whatever was kept.
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"box on mine: {before + 20} of {total} after 40 s, {left} s left"
    )
