from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from lethe.study.setup import StoreSize
from lethe.tables.figures.store_size import draw_store_size
from lethe.tables.writing import save_figure
from tests.support.tables import configuration, setup

SIZES = (0, 100, 10_000)
SYSTEMS = {
    "first": configuration("First"),
    "second": configuration("Second"),
    "mute": configuration("Mute", "no deletion"),
    "oracle": configuration("oracle", "control"),
}
SETUP = setup(SYSTEMS, store_size=StoreSize(True, "Mine", list(SYSTEMS), "mine", SIZES, 5))


def score(system: str, size: int, rate: float, na: int = 0, errors: int = 0, joined: int | None = 0) -> dict[str, Any]:
    limits = {"wilson_low": max(0.0, rate - 0.1), "wilson_high": min(1.0, rate + 0.1)}
    counts = {"cases": 50, "passed": round(50 * rate), "na": na, "errors": errors, "joined": joined}
    return {"suite": "mine", "size": size, "system": system, **counts, "rate": rate, **limits, "recall_ms": 1.0}


SCORES = [
    *(score("first", size, rate) for size, rate in zip(SIZES, (0.8, 0.6, 0.5), strict=True)),
    *(score("second", size, 0.5, na=10, errors=2) for size in SIZES),
    *(score("mute", size, 0.0, na=50) for size in SIZES),
    *(score("oracle", size, 1.0) for size in SIZES),
]


@pytest.fixture
def drawn() -> Iterator[Figure]:
    figure = draw_store_size(SCORES, SETUP)
    yield figure
    plt.close(figure)


def lines(figure: Figure) -> list[Any]:
    return [line for line in figure.axes[0].get_lines() if len(line.get_xdata()) == len(SIZES)]


def test_each_system_that_was_evaluated_has_a_line_and_a_label(drawn: Figure) -> None:
    heights = [[round(float(y)) for y in line.get_ydata()] for line in lines(drawn)]
    assert heights == [[80, 60, 50], [50, 50, 50], [100, 100, 100]]
    labels = {text.get_text(): text.get_color() for text in drawn.axes[0].texts}
    assert set(labels) == {"First", "Second", "oracle"}
    assert [labels[name] for name in ("First", "Second", "oracle")] == [line.get_color() for line in lines(drawn)]


def test_cases_that_ran_again_are_counted_once(drawn: Figure) -> None:
    assert "n = 50 cases a point" in drawn.axes[0].get_title(loc="left")
    assert not any("was run" in text.get_text() for text in drawn.texts)
    again = draw_store_size(SCORES, replace(SETUP, repetitions={"": 2}))
    assert "n = 25 cases a point" in again.axes[0].get_title(loc="left")
    assert any("Each case was run 2 times; " in text.get_text() for text in again.texts)
    plt.close(again)


def test_lines_differ_without_colour(drawn: Figure) -> None:
    styles = [(line.get_marker(), str(line.get_linestyle())) for line in lines(drawn)]
    assert len(set(styles)) == len(styles)


def test_a_system_that_is_na_throughout_is_named_below(drawn: Figure) -> None:
    (note,) = [text.get_text() for text in drawn.texts]
    assert "Mute is not drawn: N/A on every case." in note
    assert "Second: 30 of 150 trials N/A." in note
    assert "Second: 6 of 150 trials broke (error)." in note
    assert "First" not in note


def test_who_joins_memories_in_one_text_has_no_line() -> None:
    joining = [*(score("second", size, 0.9, joined=7 * (size > 0)) for size in SIZES)]
    first, mute = ([row for row in SCORES if row["system"] == name] for name in ("first", "mute"))
    oracle = [score("oracle", size, 1.0, joined=None) for size in SIZES]
    figure = draw_store_size([*first, *joining, *mute, *oracle], SETUP)
    assert {text.get_text() for text in figure.axes[0].texts} == {"First", "oracle"}
    (note,) = [text.get_text() for text in figure.texts]
    assert "Second is not drawn: 14 of 150 recalls hold more than k memories: several stand in one text" in note
    plt.close(figure)


def test_title_and_axes_say_what_is_measured(drawn: Figure) -> None:
    axes = drawn.axes[0]
    assert "Mine suite, n = 50 cases" in axes.get_title(loc="left")
    assert "top 10 memories" in axes.get_title(loc="left")
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["0", "100", "10\u2009000"]
    assert axes.get_ylabel() == "cases passed (%)"


def test_intervals_are_drawn(drawn: Figure) -> None:
    segments = [s for collection in drawn.axes[0].collections for s in collection.get_segments()]
    assert [round(float(y)) for y in segments[1][:, 1]] == [50, 70]


def test_the_same_scores_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        save_figure(draw_store_size(SCORES, SETUP), {kind: tmp_path / f"{name}.{kind}" for kind in ("pdf", "png")})
    for kind in ("pdf", "png"):
        assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()
    assert mpl.get_backend().lower() == "agg"
