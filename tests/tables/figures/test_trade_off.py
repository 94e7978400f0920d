"""The recall-forgetting figure: which systems are in it, which of them dominate, and what is said of the others."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from lethe.study.setup import Benchmark
from lethe.tables.figures.trade_off import Point, dominated, draw_trade_off, trade_off_points
from lethe.tables.writing import save_figure
from tests.support.tables import configuration, results, score, setup

SYSTEMS = {
    name: configuration(label, regime)
    for name, label, regime in (
        ("plain", "Plain", "deterministic"),
        ("plain+llm@m", "Plain+LLM", "mutation hook"),
        ("worse", "Worse", "no deletion"),
        ("null", "null", "control"),
        ("one_axis", "One axis", "unheard of"),
        ("absent", "Absent", "deterministic"),
    )
}


def recall(system: str, rate: float | None, cut: str = "overall") -> dict[str, Any]:
    name, _, model = system.partition("@")
    return {"system": name, "model": model, "cut": cut, "rate": rate, "wilson_low": 0.1, "wilson_high": 0.9}


RECALL = [
    *(recall(name, 0.4) for name in ("plain", "plain+llm@m", "null")),
    recall("worse", 0.3),
    recall("absent", None),
    recall("one_axis", 0.99, cut="part"),
]
SCORES = [score("plain", "all", 3, 10), score("plain+llm@m", "all", 9, 10), score("worse", "all", 0, 10)]
SCORES += [score("null", "all", 0, 10), score("one_axis", "all", 5, 10)]
FORGETTING = results(SCORES, SYSTEMS)
SETUP = setup(SYSTEMS, hook_pairs=[["plain", "plain+llm@m"]])


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    plt.close("all")


def texts(figure: Figure) -> set[str]:
    return {text.get_text() for text in figure.findobj(mpl.text.Text)}


def test_points_are_the_rows_with_both_axes() -> None:
    points, left_out = trade_off_points(FORGETTING, RECALL)
    assert [point.row for point in points] == ["plain", "plain+llm@m", "worse", "null"]
    assert left_out == ["One axis"], "a row that ran nowhere is not mentioned"
    assert points[0].recall == (40.0, 10.0, 90.0) and points[0].forgetting[0] == 30.0


def test_a_point_is_dominated_by_one_at_least_as_good_on_both_axes() -> None:
    def point(recall: float, forgetting: float) -> Point:
        return Point("", "", "", (recall, 0, 100), (forgetting, 0, 100))

    best, equal, left, worse = point(50, 50), point(50, 50), point(40, 60), point(50, 40)
    everything = [best, equal, left, worse]
    assert [dominated(one, everything) for one in everything] == [False, False, False, True]


def test_the_figure_is_drawn_alike_each_time(tmp_path: Path) -> None:
    for run in ("a", "b"):
        figure = draw_trade_off(FORGETTING, RECALL, SETUP)
        shown = texts(figure)
        rings = [line for line in figure.axes[0].lines if line.get_markersize() == 12]
        save_figure(figure, {kind: tmp_path / f"{run}.{kind}" for kind in ("pdf", "png")})
    for kind in ("pdf", "png"):
        assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    assert not plt.get_fignums(), "a saved figure is closed"
    assert {"Plain", "Plain+LLM", "Worse", "null", "deterministic", "no deletion", "control"} <= shown
    (notes,) = [text for text in shown if text.startswith("Bars:")]
    assert "Arrows: the same store with a hook." in notes and "on one axis alone: One axis." in notes
    assert len(rings) == 1, "the hooked configuration dominates; controls do not count"


def test_nothing_to_draw_says_why() -> None:
    absent = setup(SYSTEMS, benchmarks={"memora": Benchmark(False, "not run: no data", {})})
    shown = texts(draw_trade_off(FORGETTING, [], absent))
    assert "not run: no data" in shown
    assert not any("Arrows" in text or "one axis alone" in text for text in shown)
