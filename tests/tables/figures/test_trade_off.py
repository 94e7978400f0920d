"""The recall-forgetting figure: which systems are in it, which of them dominate, and what is said of the others."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from lethe.study.setup import Benchmark, Release, Suite
from lethe.tables.figures.trade_off import Point, counted_points, dominated, draw_trade_off, trade_off_points
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
        ("lethe", "Lethe", "deterministic"),
        ("absent", "Absent", "deterministic"),
    )
} | {"further": configuration("Further", extended=True)}


def recall(system: str, rate: float | None, cut: str = "overall") -> dict[str, Any]:
    name, _, model = system.partition("@")
    key = {"benchmark": "memora", "system": name, "model": model, "cut": cut, "questions": 10}
    return {**key, "rate": rate, "wilson_low": 0.1, "wilson_high": 0.9, "joined": 0}


RECALL = [
    *(recall(name, 0.4) for name in ("plain", "plain+llm@m", "null", "further")),
    recall("lethe", 0.2),
    recall("worse", 0.3),
    recall("absent", None),
    recall("one_axis", 0.99, cut="part"),
]
SCORES = [score("plain", "all", 3, 10), score("plain+llm@m", "all", 9, 10), score("worse", "all", 0, 10)]
SCORES += [score("null", "all", 0, 10), score("one_axis", "all", 5, 10), score("further", "all", 10, 10)]
SCORES += [score("lethe", "all", 2, 10)]
RELEASED = [
    {
        "suite": "adversarial", "system": "lethe+llm", "model": "deepseek-ai/DeepSeek-V3", "scorer": "substring",
        "release": "v0.5", "case_id": case, "verdict": verdict,
    }
    for case, verdict in (("a", "pass"), ("b", "pass"), ("c", "fail"), ("d", "pass"))
]  # fmt: skip
FORGETTING = results(SCORES, SYSTEMS)
SETUP = setup(SYSTEMS, hook_pairs=[["plain", "plain+llm@m"]])


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    plt.close("all")


def texts(figure: Figure) -> set[str]:
    return {text.get_text() for text in figure.findobj(mpl.text.Text)}


def test_who_joins_memories_in_one_text_is_named_and_not_drawn() -> None:
    joining = [{**row, "joined": 3 * (row["system"] == "worse")} for row in RECALL]
    assert [point.row for point in trade_off_points(FORGETTING, joining)] == ["plain", "plain+llm@m", "lethe", "null"]
    said = "\n".join(texts(draw_trade_off(FORGETTING, joining, [], SETUP)))
    assert "Not drawn: Worse, whose recalls hold more than k memories" in said
    assert "Not drawn" not in "\n".join(texts(draw_trade_off(FORGETTING, RECALL, [], SETUP)))


def test_points_are_the_primary_rows_with_both_axes() -> None:
    points = trade_off_points(FORGETTING, RECALL)
    assert [point.row for point in points] == ["plain", "plain+llm@m", "worse", "lethe", "null"]
    assert points[0].recall == (40.0, 10.0, 90.0) and points[0].forgetting[0] == 30.0


def test_a_hook_of_the_paper_stands_above_its_store_by_the_released_verdicts() -> None:
    points = trade_off_points(FORGETTING, RECALL)
    (hook,) = counted_points(points, RELEASED)
    assert (hook.label, hook.store) == ("Lethe+LLM (DeepSeek-V3)", "lethe")
    assert hook.recall[0] == 20.0 and hook.forgetting[0] == 75.0
    assert counted_points([], RELEASED) == counted_points(points, []) == []


def test_a_point_is_dominated_by_one_at_least_as_good_on_both_axes() -> None:
    def point(recall: float, forgetting: float) -> Point:
        return Point("", "", "", (recall, 0, 100), (forgetting, 0, 100))

    best, equal, left, worse = point(50, 50), point(50, 50), point(40, 60), point(50, 40)
    everything = [best, equal, left, worse]
    assert [dominated(one, everything) for one in everything] == [False, False, False, True]


def test_the_figure_is_drawn_alike_each_time(tmp_path: Path) -> None:
    for run in ("a", "b"):
        figure = draw_trade_off(FORGETTING, RECALL, RELEASED, SETUP)
        shown = texts(figure)
        rings = [line for line in figure.axes[0].lines if line.get_markersize() == 12]
        save_figure(figure, {kind: tmp_path / f"{run}.{kind}" for kind in ("pdf", "png")})
    for kind in ("pdf", "png"):
        assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    assert not plt.get_fignums(), "a saved figure is closed"
    assert {"Plain", "Plain+LLM", "Worse", "null", "deterministic", "no deletion", "control"} <= shown
    assert {"Lethe+LLM (DeepSeek-V3)", "mutation hook, counted from released verdicts"} <= shown
    (notes,) = [text for text in shown if text.startswith("Bars:")]
    assert "Arrows: the same store with a hook." in notes and "taken for the store's own" in notes
    assert len(rings) == 1, "the hooked configuration dominates; controls and counted runs do not count"


@pytest.mark.parametrize(
    ("suite", "said"), [("mine", "this project's 10 cases"), ("published_adversarial", "the paper's 10 cases")]
)
def test_the_axis_says_whose_cases_they_are(suite: str, said: str) -> None:
    record = setup(
        SYSTEMS, suites={"published_adversarial": Suite("Published", {})},
        release=Release(None, {"adversarial": "published_adversarial"}),
    )  # fmt: skip
    axes = draw_trade_off(replace(FORGETTING, suite=suite), RECALL, [], record).axes[0]
    assert said in axes.get_ylabel()


def test_nothing_to_draw_says_why() -> None:
    absent = setup(SYSTEMS, benchmarks={"memora": Benchmark(False, "not run: no data", {})})
    shown = texts(draw_trade_off(FORGETTING, [], [], absent))
    assert "not run: no data" in shown
    assert not any("Arrows" in text for text in shown)
